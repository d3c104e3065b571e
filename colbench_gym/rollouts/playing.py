"""What a run plays: its environment, its agent, and one episode at a time."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Any, NamedTuple, cast

import gymnasium
from gymnasium.envs.registration import load_env_creator

import colbench_gym
from colbench_gym.accounts import Account, BudgetSpent, GivenUp, charged_to
from colbench_gym.envs.base import ColbenchEnv
from colbench_gym.errors import AgentError, ColbenchError, ConfigError, GraderError, SimulatorError
from colbench_gym.registration import IDS
from colbench_gym.rollouts.agents import Serial, act, make_agent
from colbench_gym.rollouts.batching import Batcher
from colbench_gym.tasks import TaskSet
from colbench_gym.types import Agent, AgentReply, BatchAgent, Ceiling, Episode, Message, User

_FAILURES: Mapping[str, type[ColbenchError]] = {"agent": AgentError, "user": SimulatorError, "grader": GraderError}


@dataclass(frozen=True)
class RunConfig:
    """What a run is: two runs with equal configurations may share a directory, others may not.

    Attributes:
        env_id: a registered id.
        agent: a specification string (`make_agent`).
        tasks, user, profile, max_turns, similarity, geometry, renderer: override the id's own; None keeps it.
        seed: of everything random.
    """

    env_id: str
    agent: str
    tasks: str | None = None
    user: str | None = None
    profile: str | None = None
    max_turns: int | None = None
    seed: int = 0
    similarity: str | None = None
    geometry: str | None = None
    renderer: str | None = None

    def make_env(self, tasks: TaskSet | None = None, user: User | None = None) -> gymnasium.Env[str, str]:
        """The environment, with failures of the user and the grader turned into truncated episodes.

        Args:
            tasks, user: what the configuration names, if it was made before.

        Raises:
            ConfigError: no such id, or one of its arguments is unusable.
        """
        chosen: dict[str, Any] = {k: v for k, v in asdict(self).items() if k not in ("env_id", "agent", "seed")}
        try:
            spec = gymnasium.spec(self.env_id)
        except gymnasium.error.Error as error:
            raise ConfigError(f"no environment {self.env_id!r} ({error}). Mend: one of {', '.join(IDS)}") from None
        maker = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
        if not (isinstance(maker, type) and issubclass(maker, ColbenchEnv)):
            raise ConfigError(f"{self.env_id} is no ColBench environment. Mend: one of {', '.join(IDS)}")
        overrides = {name: value for name, value in chosen.items() if value is not None}
        for name in overrides:
            if name not in signature(maker).parameters:
                raise ConfigError(f"{self.env_id} takes no {name}. Mend: leave it out, or another environment")
        made = {"tasks": tasks, "user": user}
        overrides |= {name: value for name, value in made.items() if value is not None}
        return gymnasium.make(spec, on_error="truncate", disable_env_checker=True, **overrides)


class Item(NamedTuple):
    """An episode to be played."""

    task_id: str
    sample: int


class Run:
    """A configuration brought to life in this process: what all its episodes share.

    Args:
        config: what to play.
        agent: the agent, if it is already made (it must be the one that `config.agent` names).

    Attributes:
        agent: as it was given or made.
        given_agent: as it was given; None if it was made from `config.agent`.
        tasks, user: loaded and made once. The user is asked by as many threads as there are episodes in play.
        identities: see `Episode`.

    Raises:
        ConfigError: the configuration names something that does not exist.
        ColbenchError: this machine lacks something that the environment needs.
    """

    def __init__(self, config: RunConfig, agent: Agent | Ceiling | None = None) -> None:
        self.config = config
        self.given_agent = agent
        inner = cast(ColbenchEnv, config.make_env().unwrapped)
        self.tasks = inner.tasks
        self.user = inner.user
        self.domain = inner.domain
        self.max_turns = inner.max_turns
        self.agent = make_agent(
            config.agent if agent is None else agent, domain=inner.domain, max_turns=inner.max_turns
        )
        self.identities = identities_of(inner, self.agent)
        self._caller: Agent | Ceiling = self.agent
        if isinstance(self.agent, BatchAgent):
            self._caller = Batcher(self.agent)
        elif isinstance(self.agent, Agent) and getattr(self.agent, "serial", False):
            self._caller = Serial(self.agent)

    def make_env(self) -> gymnasium.Env[str, str]:
        """An environment for one more thread, with the tasks and the user of all."""
        return self.config.make_env(self.tasks, self.user)

    def key(self, item: Item) -> dict[str, Any]:
        """What makes this episode this one."""
        return {
            "env_id": self.config.env_id,
            "task_id": item.task_id,
            "sample": item.sample,
            "agent": self.config.agent,
            "user": self.identities["user"],
            "seed": self.config.seed,
        }

    def episode(self, env: gymnasium.Env[str, str], item: Item, account: Account) -> EpisodeInPlay:
        """An episode of this run, ready to be played in `env`."""
        key = self.key(item)
        return EpisodeInPlay(
            env,
            self._caller,
            item.task_id,
            key=key,
            identities=self.identities,
            seed=_seed(key["seed"], item.task_id, item.sample),
            account=account,
        )

    def close(self) -> None:
        """Turns away requests that are waiting for a batch."""
        if isinstance(self._caller, Batcher):
            self._caller.close()


def identities_of(env: ColbenchEnv, agent: Agent | Ceiling) -> dict[str, Any]:
    """Who played, against whom, on what, graded by what: what a score must be cited with."""
    identities = {
        "agent": dict(agent.identity),
        "user": dict(env.user.identity),
        "grader": env.grader_identity,
        "tasks": {"name": env.tasks.name, "fingerprint": env.tasks.fingerprint, "size": len(env.tasks)},
        "max_turns": env.max_turns,
        "package": colbench_gym.__version__,
    }
    try:
        json.dumps(identities)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"an identity is no JSON data ({error}). Mend: plain names and numbers") from None
    return identities


class EpisodeInPlay:
    """One episode: from its first message to its grade, or to the failure of a party.

    Args:
        env: made with `on_error="truncate"`.
        agent: `Ceiling`s are shown the task.
        task_id: of a task of the environment.
        key, identities: see `Episode`.
        seed: of the environment's reset, and of the agent's draws: every turn gets its own from it.
        account: what the episode is charged to.
    """

    def __init__(
        self,
        env: gymnasium.Env[str, str],
        agent: Agent | Ceiling,
        task_id: str,
        *,
        key: Mapping[str, Any],
        identities: Mapping[str, Any],
        seed: int = 0,
        account: Account | None = None,
    ) -> None:
        self._env = env
        self._inner = cast(ColbenchEnv, env.unwrapped)
        self._agent = agent
        self._task_id = task_id
        self._key = key
        self._identities = identities
        self._seed = seed
        self.account = Account() if account is None else account
        self._replies: list[AgentReply] = []
        self._seconds: dict[str, list[float]] = {"agent_s": [], "step_s": []}
        self._began = time.perf_counter()
        self._is_reset = False

    def play(self) -> Episode:
        """Plays it to its end. A failure of any party becomes a failed episode, with the dialogue so far.

        Raises:
            BudgetSpent, GivenUp: it was cut off from outside, and is nobody's result.
        """
        self._began = time.perf_counter()
        with charged_to(self.account):
            try:
                return self._recorded(reward=self._play())
            except (BudgetSpent, GivenUp):
                raise
            except ColbenchError as error:
                return self.failed(error)

    def failed(self, error: ColbenchError) -> Episode:
        """Its record, if it ends now and with this error. Another thread may ask for it while `play` hangs."""
        message = {"boundary": error.boundary, "type": type(error).__name__, "message": str(error)[:2000]}
        return self._recorded(error=message)

    def timed_out(self, what: str, seconds: float) -> Episode:
        """Its record, if it ends now because a limit of time is over."""
        party = self.account.party
        kind = _FAILURES[party]
        return self.failed(
            kind(
                f"the {what} has taken more than {seconds:g} s, and the {party} was at work. Mend: a faster one, fewer "
                f"episodes at a time (--concurrency), or a greater --{what}-seconds"
            )
        )

    def _play(self) -> float:
        self._env.reset(seed=self._seed, options={"task_id": self._task_id})
        self._is_reset = True
        while True:
            self.account.begin_turn()
            self.account.party = "agent"
            with self._timed("agent_s"):
                self._replies.append(self._act())
            with self._timed("step_s"):
                _, reward, terminated, truncated, _ = self._env.step(self._replies[-1].text)
            if self._inner.failure is not None:
                raise self._inner.failure
            if terminated or truncated:
                return float(reward)

    def _act(self) -> AgentReply:
        charged = self.account.usage.get("agent")
        seed = _seed(self._seed, self._task_id, len(self._replies))
        reply = act(self._agent, self._inner.task, self._inner.messages, seed)
        # What asks a server through this package has been charged for every request, failed ones included.
        if reply.usage is not None and self.account.usage.get("agent") == charged:
            self.account.charge(**asdict(reply.usage))
        return reply

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        before = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[part].append(round(time.perf_counter() - before, 6))

    def _recorded(self, *, reward: float | None = None, error: Mapping[str, str] | None = None) -> Episode:
        env = self._inner
        grade = env.final_grade if error is None else None
        return Episode(
            key=self._key,
            identities=self._identities,
            messages=_with_raw(env.messages, self._replies) if self._is_reset else [],
            answer=env.answer if self._is_reset else None,
            reward=reward,
            grade=grade.to_dict() if grade else None,
            disclosed=env.disclosed if self._is_reset else [],
            usage=self.account.usage,
            timings={
                **{part: list(seconds) for part, seconds in self._seconds.items()},
                "total_s": round(time.perf_counter() - self._began, 6),
            },
            status="ok" if error is None else "failed",
            error=error,
        )


def _with_raw(messages: Sequence[Message], replies: Sequence[AgentReply]) -> list[dict[str, Any]]:
    """The dialogue, with what the agent wrote (and its tokens and log-probabilities, if given) beside what it said."""
    remaining = iter(replies)
    recorded: list[dict[str, Any]] = []
    for message in messages:
        entry: dict[str, Any] = dict(message)
        if message["role"] == "assistant":
            reply = next(remaining)
            entry["raw"] = reply.text
            if reply.thinking is not None:
                entry["thinking"] = reply.thinking
            if reply.token_ids is not None:
                entry["token_ids"] = list(reply.token_ids)
            if reply.logprobs is not None:
                entry["logprobs"] = list(reply.logprobs)
        recorded.append(entry)
    return recorded


def _seed(*parts: object) -> int:
    """A seed (0 to 2**31 - 1) of their own for these parts: equal for equal ones, unrelated otherwise."""
    text = "/".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
