"""The dialogue's text rules, as pure functions (docs: `docs/protocol.md`; arXiv 2503.15478, section 3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from colbench_gym.types import Message

MAX_TURNS = 10
ANSWER_MARKER = "I WANT TO ANSWER:"
OUTPUT_MARKER = "OUTPUT:"
USER_CHARACTERS = {"backend": 400, "frontend": 1000}
"""The longest user reply, in characters, by domain. Longer ones are clipped."""
USER_SENTENCES = 2
"""The most sentences a backend user's reply has."""

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


def transcript(messages: Sequence[Message]) -> str:
    """The whole dialogue as text: what the paper calls the observation o_t."""
    return "\n\n".join(f"{message['role'].capitalize()}: {message['content']}" for message in messages)


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
