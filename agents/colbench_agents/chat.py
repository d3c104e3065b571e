"""A language model as the agent, behind any server that speaks OpenAI's chat completions protocol (docs/agents.md).

What is told to the model is `colbench_gym.instructions` (or a file) and then the dialogue, turn by turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from colbench_agents.prompted import AgentPrompt, split_thinking
from colbench_gym.completions import (
    ENDPOINT_OPTIONS,
    Completion,
    CompletionError,
    Endpoint,
    NoText,
    Sampling,
    needs_client,
    sampling_options,
)
from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.specs import Spec
from colbench_gym.types import AgentReply, Domain, Message

OPTIONS = ("temperature", "top_p", "max_tokens", "seed", "logprobs", "token_ids", "prompt", *ENDPOINT_OPTIONS)
KEY_VARIABLES = ("COLBENCH_AGENT_API_KEY", "OPENAI_API_KEY")
VERSION = 1
"""Raised whenever the same request would be answered by another action."""

TEMPERATURE = 1.0
MAX_TOKENS = 4096


def make(spec: Spec, *, domain: Domain, max_turns: int) -> ChatAgent:
    """The agent that `chat:MODEL@URL?OPTIONS` names.

    Args:
        spec: its options are those of docs/agents.md.
        domain, max_turns: of the environment it plays in.

    Raises:
        MissingExtra: the extra `llm` is not installed.
        ConfigError: the specification is no such thing, or the prompt is unusable.
    """
    endpoint = Endpoint.from_spec(spec, "an agent", KEY_VARIABLES)
    spec.only_options(*OPTIONS)
    return ChatAgent(
        endpoint,
        AgentPrompt.read(domain, max_turns=max_turns, file=spec.options.get("prompt")),
        sampling=sampling_options(spec, temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        seeded=_one_of(spec, "seed", {"turn": True, "none": False}),
        logprobs=_one_of(spec, "logprobs", {"false": False, "true": True}),
        token_ids=_one_of(spec, "token_ids", {"false": False, "true": True}),
    )


class ChatAgent:
    """The agent, played by a language model. One object serves any number of dialogues and threads.

    Args:
        endpoint: the model and its server.
        prompt: what it is told.
        sampling: further fields of each request.
        seeded: whether each request carries the seed of its turn.
        logprobs: whether the log-probability of each token is asked for.
        token_ids: whether the tokens are asked for (`return_token_ids`, a field that vLLM knows).

    Raises:
        MissingExtra: the extra `llm` is not installed.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        prompt: AgentPrompt,
        *,
        sampling: Sampling,
        seeded: bool = True,
        logprobs: bool = False,
        token_ids: bool = False,
    ) -> None:
        needs_client("the agent 'chat'")
        self._endpoint = endpoint
        self._prompt = prompt
        self._sampling = sampling
        self._seeded = seeded
        self._asked_for = {"logprobs": logprobs, "token_ids": token_ids}

    def __repr__(self) -> str:
        return f"ChatAgent({self._endpoint.model!r}, {self._endpoint.url!r})"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two agents must share for their scores to be comparable. Holds no key."""
        return {
            "kind": "chat",
            "version": VERSION,
            "model": self._endpoint.model,
            "endpoint": self._endpoint.host,
            "sampling": {**self._sampling, **({"seed": "turn"} if self._seeded else {})},
            **self._prompt.identity,
        }

    def act(self, messages: Sequence[Message]) -> AgentReply:
        """An action drawn without a seed. Raises as `act_seeded`."""
        return self._act(messages, None)

    def act_seeded(self, messages: Sequence[Message], seed: int) -> AgentReply:
        """The model's next message.

        Raises:
            AgentError: the server failed. A model that says nothing has made a move, and an empty one.
            GivenUp, BudgetSpent: see `completions.Endpoint.complete`.
        """
        return self._act(messages, seed)

    def preview(self, messages: Sequence[Message], seed: int = 0) -> dict[str, Any]:
        """The JSON data of the request that `act_seeded` would send."""
        return self._endpoint.body(self._prompt.request(messages), self._parameters(seed))

    def _parameters(self, seed: int | None) -> dict[str, Any]:
        parameters: dict[str, Any] = dict(self._sampling)
        if self._seeded and seed is not None:
            parameters["seed"] = seed
        if self._asked_for["logprobs"]:
            parameters["logprobs"] = True
        if self._asked_for["token_ids"]:
            parameters["return_token_ids"] = True
        return parameters

    def _act(self, messages: Sequence[Message], seed: int | None) -> AgentReply:
        try:
            completion = self._endpoint.complete(self._prompt.request(messages), self._parameters(seed))
        except NoText as nothing:
            if nothing.silence is None:
                raise self._error(nothing.problem, nothing.mend) from None
            completion = nothing.silence
        except CompletionError as error:
            raise self._error(error.problem, error.mend) from None
        self._check_tokens(completion)
        text, thoughts = split_thinking(completion.text)
        thinking = "\n\n".join(part for part in (completion.reasoning, thoughts) if part)
        return AgentReply(text, completion.usage, completion.token_ids, completion.logprobs, thinking or None)

    def _check_tokens(self, completion: Completion) -> None:
        for name, asked in self._asked_for.items():
            if asked and getattr(completion, name) is None:
                raise self._error(f"gave no {name}", f"another server, or leave out {name}=true")
        ids, logprobs = completion.token_ids, completion.logprobs
        if ids is not None and logprobs is not None and len(ids) != len(logprobs):
            raise self._error(
                f"gave {len(logprobs)} logprobs for {len(ids)} token_ids", "another server, or leave out one of the two"
            )

    def _error(self, problem: str, mend: str) -> AgentError:
        return AgentError(f"the agent {self._endpoint.name} {problem}. Mend: {mend}")


def _one_of(spec: Spec, name: str, meanings: Mapping[str, bool]) -> bool:
    """What the option `name` means; the first of `meanings` is the default."""
    value = spec.options.get(name, next(iter(meanings)))
    if value not in meanings:
        raise ConfigError(f"{spec.text!r}: {name}={value}. Mend: one of {', '.join(meanings)}")
    return meanings[value]
