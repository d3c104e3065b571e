"""What chooses among the candidates of `best-of-n`."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from colbench_agents.prompted import split_thinking
from colbench_gym import prompts
from colbench_gym.completions import (
    ENDPOINT_OPTIONS,
    CompletionError,
    Endpoint,
    Sampling,
    encodable,
    excerpt,
    needs_client,
    sampling_options,
)
from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.protocol import spoken
from colbench_gym.specs import make_attribute, names_attribute, parse_spec
from colbench_gym.types import Domain, Message

JUDGE_KEYS = ("COLBENCH_JUDGE_API_KEY", "COLBENCH_AGENT_API_KEY", "OPENAI_API_KEY")
JUDGE_OPTIONS = ("temperature", "top_p", "max_tokens", *ENDPOINT_OPTIONS)
JUDGE_TOKENS = 1024
JUDGE_PROMPT: Mapping[Domain, str] = {"backend": "judge_backend_v1", "frontend": "judge_frontend_v1"}

_BEST = re.compile(
    r"\bbest\b(?:\s+(?:candidate|message|one))?(?:\s+is)?[\s:*_#=\[(-]*(?:candidate\W*)?(\d+)", re.IGNORECASE
)
_ONLY_A_NUMBER = re.compile(r"\W*(?:candidate\W*)?(\d+)\W*", re.IGNORECASE)


@runtime_checkable
class Scorer(Protocol):
    """Judges candidates for an agent's next action. Called from many threads.

    `identity` is JSON data that tells two scorers apart that may choose otherwise.
    """

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def score(self, messages: Sequence[Message], candidates: Sequence[str], seed: int) -> Sequence[float]:
        """A number for each candidate; the higher, the better.

        Args:
            messages: the dialogue so far.
            candidates: the agent's raw texts.
            seed: of anything random, 0 to 2**31 - 1.

        Raises:
            AgentError: no scores could be produced.
        """
        ...


def make_scorer(text: str, domain: Domain) -> Scorer:
    """`first`, `random`, `judge:MODEL@URL` or `module:attribute`.

    Raises:
        MissingExtra: a judge without the extra `llm`.
        ConfigError: the string names no scorer.
    """
    if text == "first":
        return First()
    if text == "random":
        return Random()
    spec = parse_spec(text)
    if spec.kind == "judge":
        endpoint = Endpoint.from_spec(spec, "a scorer", JUDGE_KEYS)
        spec.only_options(*JUDGE_OPTIONS)
        return Judge(endpoint, domain, sampling_options(spec, temperature=0.0, max_tokens=JUDGE_TOKENS))
    if names_attribute(text):
        scorer = make_attribute(text, lambda found: isinstance(found, Scorer))
        if isinstance(scorer, Scorer):
            return scorer
        raise ConfigError(
            f"{text} is no scorer. Mend: it needs score(messages, candidates, seed) and identity (JSON data)"
        )
    raise ConfigError(f"no scorer {text!r}. Mend: first, random, judge:MODEL@URL, or module:attribute")


class First:
    """Takes the first candidate: what the inner agent would do by itself."""

    identity: Mapping[str, Any] = {"kind": "first"}

    def score(self, messages: Sequence[Message], candidates: Sequence[str], seed: int) -> list[float]:
        return [0.0] * len(candidates)


class Random:
    """Takes any candidate: the floor for other scorers."""

    identity: Mapping[str, Any] = {"kind": "random"}

    def score(self, messages: Sequence[Message], candidates: Sequence[str], seed: int) -> list[float]:
        generator = random.Random(seed)
        return [generator.random() for _ in candidates]


class Judge:
    """A language model behind a server that is shown the dialogue and the candidates, and names the best.

    It sees what would be said, without thoughts; equal candidates once; in an order drawn anew each turn, since models
    favour places in a list. It does not see the reference.

    Args:
        endpoint: the model and its server.
        domain: `backend` or `frontend`.
        sampling: further fields of each request.

    Raises:
        MissingExtra: the extra `llm` is not installed.
    """

    requests_per_action = 1

    def __init__(self, endpoint: Endpoint, domain: Domain, sampling: Sampling) -> None:
        needs_client("the scorer 'judge'")
        self._endpoint = endpoint
        self._sampling = sampling
        self._prompt_name = JUDGE_PROMPT[domain]
        self._prompt = prompts.read(self._prompt_name)

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "kind": "judge",
            "model": self._endpoint.model,
            "endpoint": self._endpoint.host,
            "sampling": dict(self._sampling),
            "prompt": self._prompt_name,
            "prompt_sha256": hashlib.sha256(self._prompt.encode()).hexdigest(),
        }

    def score(self, messages: Sequence[Message], candidates: Sequence[str], seed: int) -> list[float]:
        said = [spoken(candidate).strip() for candidate in candidates]
        shown = list(dict.fromkeys(said))
        if len(shown) == 1:
            return [0.0] * len(candidates)
        random.Random(seed).shuffle(shown)
        try:
            completion = self._endpoint.complete(self.request(messages, shown), {**self._sampling, "seed": seed})
        except CompletionError as error:
            raise self._error(error.problem, error.mend) from None
        number = choice_in(completion.text)
        if number is None or not 1 <= number <= len(shown):
            ended = ", cut off by max_tokens" if completion.cut_off else ""
            raise self._error(
                f"named none of {len(shown)} candidates{ended}: it ended {excerpt(completion.text[-120:])}",
                "a model that follows instructions better, or more max_tokens",
            )
        return [float(text == shown[number - 1]) for text in said]

    def request(self, messages: Sequence[Message], shown: Sequence[str]) -> list[dict[str, str]]:
        """What the judge is asked."""
        names = {"user": "Person", "assistant": "Agent"}
        parts = ["The conversation so far:"]
        parts += [_entry(names[message["role"]], message["content"]) for message in messages]
        parts.append("The candidates for the agent's next message:")
        parts += [_entry(f"Candidate {number}", text) for number, text in enumerate(shown, 1)]
        asked = "\n\n".join(parts)
        return [{"role": "system", "content": self._prompt.strip()}, {"role": "user", "content": encodable(asked)}]

    def _error(self, problem: str, mend: str) -> AgentError:
        return AgentError(f"the judge {self._endpoint.name} {problem}. Mend: {mend}")


def choice_in(reply: str) -> int | None:
    """The number that a judge's reply names as the best; None if it names none. The last mention counts."""
    said, _ = split_thinking(reply)
    found = _BEST.findall(said)
    if found:
        return int(found[-1])
    alone = _ONLY_A_NUMBER.fullmatch(said)
    return int(alone[1]) if alone else None


def _entry(name: str, text: str) -> str:
    """A text under its name. Its lines are indented, so that none can pass for an entry of its own."""
    return f"{name}:\n" + "\n".join(f"    {line}".rstrip() for line in text.splitlines())
