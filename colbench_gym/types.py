"""The plain data and the interfaces that every other module speaks in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

Domain = Literal["backend", "frontend"]
Profile = Literal["strict", "official"]


class Message(TypedDict):
    """One message of a dialogue, in the chat format of `transformers` and of OpenAI-compatible servers.

    `user` is the simulated person (whose first message is the task description), `assistant` the agent.
    """

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Detail:
    """A hidden fact of an embedded task.

    Attributes:
        name: identifier, unique within the task.
        topics: words and phrases by which a question asks for it.
        sentence: the fact as the simulated person says it.
        value: its value in the reference (JSON data).
        careless: the value somebody who does not ask would assume.
    """

    name: str
    topics: tuple[str, ...]
    sentence: str
    value: Any
    careless: Any


@dataclass(frozen=True, slots=True)
class Task:
    """One collaboration task.

    Attributes:
        id: unique within its task set.
        domain: `backend` or `frontend`.
        description: what the agent sees first.
        reference: the hidden Python function or HTML page.
        tests: name -> call expression, at least one (None for frontend).
        details: hidden facts with their sentences; empty unless the task is embedded.
        source: the task set's name, or the file it was read from.
        family: kind of an embedded task, for breaking results down.
    """

    id: str
    domain: Domain
    description: str
    reference: str
    tests: Mapping[str, str] | None = None
    details: tuple[Detail, ...] = ()
    source: str = ""
    family: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The task as JSON data; `from_dict` is its inverse."""
        return {
            "id": self.id,
            "domain": self.domain,
            "description": self.description,
            "reference": self.reference,
            "tests": None if self.tests is None else dict(self.tests),
            "details": [{**asdict(detail), "topics": list(detail.topics)} for detail in self.details],
            "source": self.source,
            "family": self.family,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Task:
        details = tuple(Detail(**{**item, "topics": tuple(item["topics"])}) for item in data["details"])
        return cls(**{**data, "details": details})

    def canonical_json(self) -> bytes:
        """The bytes that fingerprints are taken over. `source` is left out: moving a file changes no task."""
        data = self.to_dict()
        del data["source"]
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def fingerprint(tasks: Sequence[Task]) -> str:
    """sha256 (hex) over the canonical JSON of the tasks, one line each, in order."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(task.canonical_json() + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the simulated user said, and the names of the details this reply gave away."""

    text: str
    disclosed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens one agent action cost, as its server or tokenizer counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class AgentReply:
    """One action of an agent.

    Attributes:
        text: the raw text. What stands before `OUTPUT:` in it is thinking (see `protocol.spoken`).
        usage: tokens spent, if known.
        token_ids: the action's own tokens, shape `(tokens,)`, if known; thinking apart from `text` included.
        logprobs: natural-log probability of each of `token_ids` under the model (temperature 1, nothing cut off),
            shape `(tokens,)`, if known.
        thinking: reasoning that the model or its server keeps apart from `text`; recorded, never said.
    """

    text: str
    usage: Usage | None = None
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    thinking: str | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """What an answer is worth, and what produced that figure. Plain data; holds no value the answer returned.

    Attributes:
        reward: the paper's: backend 1 if every test passed, else 0; frontend the similarity.
        success: backend: every test passed; frontend: the similarity is 1.
        profile: the grading rules that were applied.
        tests_passed, tests_total: backend only.
        similarity: frontend only, in [0, 1].
        isolation: what stood between the answer and this machine (backend only).
        details: JSON data. Backend: `tests` maps each test's name to `{"kind": ...}`, with the `exception`'s
            type and its `message` where one was raised; `note` says why an answer was not run as written.
            Frontend: `measure` (what compared the pages), its `parts`, `geometry`, `renderer`, `flags` of the answer's
            render; `note` says why there was no page to compare.
    """

    reward: float
    success: bool
    profile: str
    tests_passed: int | None = None
    tests_total: int | None = None
    similarity: float | None = None
    isolation: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def public_details(self) -> dict[str, Any]:
        """`details` as `info` may show them: kinds and exception types, without exception texts."""
        public = {key: value for key, value in self.details.items() if key != "tests"}
        if "tests" in self.details:
            public["tests"] = {
                name: {key: value for key, value in result.items() if key != "message"}
                for name, result in self.details["tests"].items()
            }
        return public


@runtime_checkable
class User(Protocol):
    """The simulated person. Keeps no dialogue between calls: one object serves many episodes and threads at a time.

    `identity` is JSON data that tells two users apart whose replies may differ (kind, version, model, prompt hash);
    it is recorded with every episode and decides whether two runs may be compared.
    """

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """The next thing the person says. `messages` starts with the description and ends with the agent's words.

        Raises:
            SimulatorError: no reply could be produced.
        """
        ...

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`, with the names of the details it gave away."""
        ...


@runtime_checkable
class Agent(Protocol):
    """The collaborating agent.

    A run calls `act` from as many threads as it has episodes in play; an agent that cannot take that has an attribute
    `serial` that is true, and is called by one at a time.
    """

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def act(self, messages: Sequence[Message]) -> AgentReply:
        """The agent's next action, given the dialogue so far (which ends with a `user` message).

        Raises:
            AgentError: no action could be produced.
        """
        ...


@runtime_checkable
class SamplingAgent(Protocol):
    """An agent that draws its actions at random: what it draws is fixed by a seed."""

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def act(self, messages: Sequence[Message]) -> AgentReply: ...

    def act_seeded(self, messages: Sequence[Message], seed: int) -> AgentReply:
        """As `act`; equal for equal messages and seeds as far as the model behind it allows.

        Args:
            seed: 0 to 2**31 - 1; a run gives every turn of every episode its own.
        """
        ...


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that is faster with several dialogues at a time. A run hands it those that are waiting, as they come."""

    @property
    def identity(self) -> Mapping[str, Any]: ...

    @property
    def max_batch(self) -> int:
        """The most dialogues it takes at a time."""
        ...

    def act(self, messages: Sequence[Message]) -> AgentReply: ...

    def act_batch(self, dialogues: Sequence[Sequence[Message]], seeds: Sequence[int]) -> Sequence[AgentReply]:
        """One action for each dialogue, in order; `seeds` as in `SamplingAgent.act_seeded`, one a dialogue.

        Raises:
            AgentError: some action could not be produced. A run asks for each of the batch by itself then.
        """
        ...


@runtime_checkable
class Ceiling(Protocol):
    """Something that acts like an agent but reads the hidden reference: an upper bound, reported as such."""

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def act_knowing(self, task: Task, messages: Sequence[Message]) -> AgentReply: ...


class Grader(Protocol):
    """Grades an answer. `None` means that none was given."""

    def __call__(self, task: Task, answer: str | None) -> Grade: ...


@dataclass(frozen=True, slots=True)
class Episode:
    """One dialogue and what became of it: a line of `episodes.jsonl`.

    Attributes:
        key: env id, task id, sample, agent, user and seed: what makes this episode this one.
        identities: agent, user, grader, task set (with fingerprint) and package version, as JSON data.
        messages: the dialogue; the agent's messages also hold `raw`, the action as it was written, and where the agent
            gives them `thinking`, `token_ids` and `logprobs` (see `AgentReply`).
        answer: the raw answer; None if the episode failed before one was given.
        reward: what the environment paid at the end; None for a failed episode.
        grade: `Grade.to_dict()`; None for a failed episode.
        disclosed: for each reply of the user, the details it gave away.
        usage: by party (`agent`, `user`, as far as they use any) its `requests` to a server, `prompt_tokens` and
            `completion_tokens` over the episode.
        timings: seconds of each agent turn, of each environment step, and of the whole episode.
        status: `ok` or `failed`.
        error: for a failed episode its `boundary`, `type` and `message`.
    """

    key: Mapping[str, Any]
    identities: Mapping[str, Any]
    messages: Sequence[Mapping[str, Any]]
    answer: str | None
    reward: float | None
    grade: Mapping[str, Any] | None
    disclosed: Sequence[Sequence[str]]
    usage: Mapping[str, Mapping[str, int]]
    timings: Mapping[str, Any]
    status: Literal["ok", "failed"]
    error: Mapping[str, str] | None = None
    schema: str = "colbench-episode/1"

    def to_dict(self) -> dict[str, Any]:
        """The episode as JSON data. What a reader looks for in every line comes first."""
        return {
            "schema": self.schema,
            "key": self.key,
            "status": self.status,
            "error": self.error,
            "reward": self.reward,
            "grade": self.grade,
            "answer": self.answer,
            "messages": self.messages,
            "disclosed": self.disclosed,
            "usage": self.usage,
            "timings": self.timings,
            "identities": self.identities,
        }
