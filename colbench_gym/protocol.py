"""The dialogue's text rules, as pure functions (docs: `docs/protocol.md`; arXiv 2503.15478, section 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from colbench_gym.types import Message, Profile

MAX_TURNS = 10
ANSWER_MARKER = "I WANT TO ANSWER:"
OUTPUT_MARKER = "OUTPUT:"
USER_CHARACTERS = {"backend": 400, "frontend": 1000}
"""The longest user reply, in characters, by domain. Longer ones are clipped."""
USER_SENTENCES = 2
"""The most sentences a backend user's reply has."""

# Searched for one after the other, never as one pattern with two stars: that takes quadratic time on a hostile message.
_OPENING = {tag: re.compile(rf"<{tag}\b[^<>]*>", re.IGNORECASE) for tag in ("html", "body")}
_CLOSING = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in ("html", "body")}
_FENCE = re.compile(r"```[ \t]*(?:html)?[ \t]*\n\s*", re.IGNORECASE)
# Tags are named, so that `<think>` or a tool call is no page.
_TAG = re.compile(
    r"<(?:!doctype|!--|head|title|meta|link|style|div|main|header|footer|section|nav|article|aside|form|table|h[1-6]|p|"
    r"ul|ol|li|a|img|button|input|label|span|figure|center|hr|br|b|i|strong|em)\b",
    re.IGNORECASE,
)
_BLOCK = r"div|main|header|section|nav|article|form|table"
_BLOCK_OPENS = re.compile(rf"^[ \t]*<({_BLOCK})\b", re.IGNORECASE | re.MULTILINE)
_BLOCK_CLOSES = re.compile(rf"^[ \t]*</({_BLOCK})>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_RANDOM_IMAGE = re.compile(
    r"https://source\.unsplash\.com/random/(\d+)x(\d+)/?(?:\?[^\s\"'<>)]*)?|https://picsum\.photos/(\d+)/(\d+)"
)
_SIGNATURE = re.compile(r"\bdef\s+(\w+)\s*\(")


def spoken(action: str) -> str:
    """The part of an action that is said: what stands between the first and the second `OUTPUT:`, if there is one.

    What comes before it is thinking; it is kept for training and never reaches the user.
    """
    parts = action.split(OUTPUT_MARKER)
    return parts[1] if len(parts) > 1 else action


def answer_in(message: str) -> str | None:
    """The raw text after the first `I WANT TO ANSWER:`, up to a second one; None without a marker."""
    parts = message.split(ANSWER_MARKER)
    return parts[1] if len(parts) > 1 else None


def clip(text: str, characters: int) -> str:
    """The first `characters` characters of `text`."""
    return text[:characters]


def official_code(answer: str) -> str:
    """Code cut out of an answer by the official rule.

    The text between the first ```` ```python ```` and the next ```` ``` ````; without one, the text between the first
    two ```` ``` ````.
    """
    for fence in ("```python", "```"):
        if fence in answer:
            answer = answer.split(fence)[1].split("```")[0]
    return answer


def snippet_in(message: str, profile: Profile = "strict") -> str | None:
    """The page a message proposes; None if it proposes none.

    Args:
        message: what the agent said.
        profile: `official`: the first `<html...>...</html>`, else the first `<body...>...</body>`, tags in lower case
            and closed. `strict` also takes pages as models really write them: tags in any case, a page cut off before
            its end, and a fenced or free-standing piece of a page without its outer tags.

    Returns:
        The HTML, with `rewrite_images` applied.
    """
    found = _official_snippet(message) if profile == "official" else _strict_snippet(message.replace("\r\n", "\n"))
    return None if found is None else rewrite_images(found.strip())


def _official_snippet(message: str) -> str | None:
    for tag in ("html", "body"):
        start = message.find(f"<{tag}")
        opened = message.find(">", start)
        closed = message.find(f"</{tag}>", opened)
        if -1 not in (start, opened, closed):
            return message[start : closed + len(f"</{tag}>")]
    return None


def _strict_snippet(message: str) -> str | None:
    for tag in ("html", "body"):
        if opening := _OPENING[tag].search(message):
            # A page that was cut off runs to the end of the fence it stands in, or of the message.
            closing = _CLOSING[tag].search(message, opening.end())
            return message[opening.start() : closing.end()] if closing else _to_fence(message, opening.start())
    for fence in _FENCE.finditer(message):
        if _TAG.match(message, fence.end()):
            return _to_fence(message, fence.end())
    if _TAG.match(message.lstrip()):
        return message
    # In the middle of a message only a whole element on lines of its own: a question may name a tag.
    last_closing = {match[1].lower(): match for match in _BLOCK_CLOSES.finditer(message)}
    for opening in _BLOCK_OPENS.finditer(message):
        closing = last_closing.get(opening[1].lower())
        if closing and closing.start() > opening.start():
            return message[opening.start() : closing.end()]
    return None


def _to_fence(message: str, start: int) -> str:
    return message[start:].partition("```")[0]


def last_snippet(messages: Sequence[Message], profile: Profile = "strict") -> str | None:
    """The newest page the agent proposed, from whichever turn: what the user sees, and at the end the answer."""
    for message in reversed(messages):
        if message["role"] == "assistant" and (snippet := snippet_in(message["content"], profile)) is not None:
            return snippet
    return None


def rewrite_images(html: str) -> str:
    """Addresses that give another image each time, replaced by that of one fixed image of the same size.

    `https://source.unsplash.com/random/WxH/?words` and `https://picsum.photos/W/H` become
    `https://picsum.photos/id/48/W/H`, in reference and answer alike.
    """
    return _RANDOM_IMAGE.sub(
        lambda match: f"https://picsum.photos/id/48/{match[1] or match[3]}/{match[2] or match[4]}", html
    )


def transcript(messages: Sequence[Message]) -> str:
    """The whole dialogue as text: what the paper calls the observation o_t."""
    return "\n\n".join(f"{message['role'].capitalize()}: {message['content']}" for message in messages)


def script(messages: Sequence[Mapping[str, Any]]) -> str:
    """The dialogue as a prompt holds it, `User:` and `Agent:` taking turns.

    Later lines of a message are indented, so that none can pass for somebody's next turn.
    """
    names = {"user": "User", "assistant": "Agent"}
    lines: list[str] = []
    for message in messages:
        first, *others = message["content"].splitlines() or [""]
        lines.append(f"{names[message['role']]}: {first}".rstrip())
        lines.extend(f"    {line}".rstrip() for line in others)
    return "\n".join(lines)


def signature_in(description: str) -> str | None:
    """The last `def name(...)` in a description, up to its closing parenthesis; None if there is none.

    Some official descriptions break off inside the parentheses; then it runs to the end.
    """
    matches = list(_SIGNATURE.finditer(description))
    if not matches:
        return None
    start, position = matches[-1].start(), matches[-1].end() - 1
    depth = 0
    for index in range(position, len(description)):
        depth += {"(": 1, ")": -1}.get(description[index], 0)
        if depth == 0:
            return description[start : index + 1]
    return description[start:]
