"""What a chat completions server answers, taken apart, and what can stand in place of a completion."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from colbench_gym.types import Usage

_EXCERPT = 160


class CompletionError(Exception):
    """There is no completion. Whoever asked says whose failure that is.

    Attributes:
        problem: what the server did, as the rest of a sentence that begins with its name.
        mend: what helps.
        status: the HTTP status, if it is what went wrong; else 0.
    """

    def __init__(self, problem: str, mend: str, status: int = 0) -> None:
        super().__init__(f"{problem}. Mend: {mend}")
        self.problem = problem
        self.mend = mend
        self.status = status


class NoText(CompletionError):
    """The server answered, but with nothing that a model said.

    Attributes:
        fault: a key of `NO_TEXT`.
        excerpt: the beginning of what came instead, quoted; may be empty.
        silence: what the model did instead, if that was its own doing: it refused, only thought, or ended at once.
    """

    def __init__(self, fault: str, excerpt: str = "", silence: Completion | None = None) -> None:
        super().__init__(
            f"gave no usable completion: {fault} ({excerpt})" if excerpt else f"gave no usable completion: {fault}",
            NO_TEXT[fault],
        )
        self.fault = fault
        self.excerpt = excerpt
        self.silence = silence


_NO_PROTOCOL = "a URL of an OpenAI-compatible server that ends in /v1, or see the server's log"
NO_TEXT: Mapping[str, str] = {
    "malformed JSON": _NO_PROTOCOL,
    "an answer of the wrong form": _NO_PROTOCOL,
    "an answer without choices": _NO_PROTOCOL,
    "an error in place of a reply": "what it says, or see the server's log",
    "refusal": "another model or prompt",
    "tool call": "a server that is not set up to call tools by itself",
    "content filter": "the server's filter settings",
    "only reasoning": "a greater ?max_tokens=N: reasoning counts too",
    "empty": "another model, or the server's chat template",
}
"""What can stand in place of a text, and the mend."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said.

    Attributes:
        text: never empty.
        cut_off: it ran into its limit of tokens.
        reasoning: thoughts that the server keeps apart from the text.
        usage: tokens as the server counted them, if it did.
        token_ids: the completion's tokens, shape `(tokens,)`, if the server was asked for them and gives them.
        logprobs: natural-log probability of each token, shape `(tokens,)`, likewise.
    """

    text: str
    cut_off: bool
    reasoning: str | None = None
    usage: Usage | None = None
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


Quote = Callable[[str], str]
"""Makes an excerpt that may stand in an error."""


def parsed(body: bytes, quote: Quote) -> dict[str, Any]:
    """The JSON data of an answer.

    Raises:
        NoText: it is no JSON object.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise NoText("malformed JSON", quote(body.decode("utf-8", "replace"))) from None
    if not isinstance(data, dict):
        raise NoText("an answer of the wrong form", quote(json.dumps(data)))
    return data


def usage_in(data: Mapping[str, Any]) -> Usage | None:
    """The tokens that an answer says were used, if it says so."""
    usage = data.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = {}
    for name in ("prompt_tokens", "completion_tokens"):
        tokens = usage.get(name)
        counts[name] = tokens if type(tokens) is int and tokens > 0 else 0
    return Usage(**counts)


def completion_in(data: Mapping[str, Any], quote: Quote) -> Completion:
    """What the model said.

    Raises:
        NoText: nothing.
    """
    choices = data.get("choices")
    if data.get("error") and not choices:
        raise NoText("an error in place of a reply", quote(json.dumps(data)))
    if not isinstance(choices, list) or not choices:
        raise NoText("an answer without choices", quote(json.dumps(data)))
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise NoText("an answer of the wrong form", quote(json.dumps(data)))
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is not None and not isinstance(content, str):
        raise NoText("an answer of the wrong form", quote(json.dumps(data)))
    reason = choice.get("finish_reason")
    thoughts = [message[name] for name in ("reasoning_content", "reasoning") if isinstance(message.get(name), str)]
    completion = Completion(
        content or "",
        cut_off=reason == "length",
        reasoning=next(filter(None, thoughts), None),
        usage=usage_in(data),
        token_ids=_token_ids_in(choice),
        logprobs=_logprobs_in(choice),
    )
    if content:
        return completion
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        raise NoText("refusal", quote(refusal), replace(completion, text=refusal))
    if message.get("tool_calls") or message.get("function_call"):
        raise NoText("tool call", quote(json.dumps(message)))
    if reason == "content_filter":
        raise NoText("content filter")
    raise NoText("only reasoning" if reason == "length" or any(thoughts) else "empty", silence=completion)


def encodable(text: str) -> str:
    """`text` with halves of characters, which no request can carry, replaced by the mark for unknown ones."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def excerpt(text: str) -> str:
    """The beginning of what a model or a server sent, quoted, on one line."""
    text = " ".join(text.split())
    # As ASCII: every terminal and log takes it, whatever was sent.
    longest = _EXCERPT if text.isascii() else _EXCERPT // 4
    return ascii(text[:longest] + ("..." if len(text) > longest else "")) if text else ""


def _token_ids_in(choice: Mapping[str, Any]) -> tuple[int, ...] | None:
    """As vLLM gives them for `return_token_ids`."""
    ids = choice.get("token_ids")
    return tuple(ids) if isinstance(ids, list) and all(type(one) is int for one in ids) else None


def _logprobs_in(choice: Mapping[str, Any]) -> tuple[float, ...] | None:
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list):
        return None
    found: list[Any] = [token.get("logprob") if isinstance(token, dict) else None for token in tokens]
    return tuple(map(float, found)) if all(isinstance(one, (int, float)) for one in found) else None
