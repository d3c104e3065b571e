"""Playing episodes: one, or a whole run that can be interrupted and resumed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from inspect import signature
from pathlib import Path
from typing import Any, cast

import gymnasium
from gymnasium.envs.registration import load_env_creator

import colbench_gym
from colbench_gym.envs.base import ColbenchEnv
from colbench_gym.errors import AgentError, ColbenchError, ConfigError
from colbench_gym.registration import IDS
from colbench_gym.rollouts.agents import make_agent
from colbench_gym.rollouts.episodes import EpisodeStore
from colbench_gym.types import Agent, AgentReply, Ceiling, Episode, Message, Task


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

    def make_env(self) -> gymnasium.Env[str, str]:
        """The environment, with failures of the user and the grader turned into truncated episodes.

        Raises:
            ConfigError: no such id, or one of its arguments is unusable.
        """
        chosen = {name: value for name, value in asdict(self).items() if name not in ("env_id", "agent", "seed")}
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
        return gymnasium.make(spec, on_error="truncate", **overrides)


def evaluate(
    config: RunConfig,
    directory: Path,
    *,
    episodes: int | None = None,
    agent: Agent | Ceiling | None = None,
    on_episode: Callable[[Mapping[str, Any], int, int], None] | None = None,
) -> int:
    """Plays the first `episodes` episodes of a run into its directory, leaving out those already there.

    Episode i plays task i modulo the number of tasks; its sample number says how often that task came before (whole
    blocks of the task list, as in the official files).

    Args:
        config: what to play.
        directory: the run directory.
        episodes: how many; each task once by default.
        agent: the agent, if it is already made (it must be the one that `config.agent` names).
        on_episode: called with each new episode's JSON data, the number of episodes done, and the number to do.

    Returns:
        The number of episodes played now.

    Raises:
        ConfigError: bad arguments, or a directory that holds something else.
    """
    if episodes is not None and episodes < 1:
        raise ConfigError(f"episodes={episodes}. Mend: at least 1")
    env = config.make_env()
    inner = cast(ColbenchEnv, env.unwrapped)
    agent = make_agent(config.agent) if agent is None else agent
    identities = identities_of(inner, agent)
    total = episodes or len(inner.tasks)
    played = 0
    with EpisodeStore(directory, {**asdict(config), "identities": identities}) as store:
        for number in range(total):
            task = inner.tasks[number % len(inner.tasks)]
            key = {
                "env_id": config.env_id,
                "task_id": task.id,
                "sample": number // len(inner.tasks),
                "agent": config.agent,
                "user": identities["user"],
                "seed": config.seed,
            }
            if store.is_done(key):
                continue
            episode = play(env, agent, task.id, key=key, identities=identities, seed=_episode_seed(key))
            store.append(episode)
            played += 1
            if on_episode is not None:
                on_episode(episode.to_dict(), number + 1, total)
    env.close()
    return played


def identities_of(env: ColbenchEnv, agent: Agent | Ceiling) -> dict[str, Any]:
    """Who played, against whom, on what, graded by what: what a score must be cited with."""
    return {
        "agent": dict(agent.identity),
        "user": dict(env.user.identity),
        "grader": env.grader_identity,
        "tasks": {"name": env.tasks.name, "fingerprint": env.tasks.fingerprint, "size": len(env.tasks)},
        "max_turns": env.max_turns,
        "package": colbench_gym.__version__,
    }


def play(
    env: gymnasium.Env[str, str],
    agent: Agent | Ceiling,
    task_id: str,
    *,
    key: Mapping[str, Any],
    identities: Mapping[str, Any],
    seed: int | None = None,
) -> Episode:
    """Plays one episode to its end. A failure of any party becomes a failed episode, with the dialogue so far."""
    inner = cast(ColbenchEnv, env.unwrapped)
    agent_seconds: list[float] = []
    step_seconds: list[float] = []
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    replies: list[AgentReply] = []
    reward: float | None = None
    failure: ColbenchError | None = None
    started = time.perf_counter()
    env.reset(seed=seed, options={"task_id": task_id})
    over = False
    while not over:
        before = time.perf_counter()
        try:
            reply = _act(agent, inner.task, inner.messages)
        except ColbenchError as error:
            failure = error
            break
        finally:
            agent_seconds.append(time.perf_counter() - before)
        replies.append(reply)
        if reply.usage is not None:
            usage["prompt_tokens"] += reply.usage.prompt_tokens
            usage["completion_tokens"] += reply.usage.completion_tokens
        before = time.perf_counter()
        _, paid, terminated, truncated, _ = env.step(reply.text)
        step_seconds.append(time.perf_counter() - before)
        reward = float(paid)
        failure = inner.failure
        over = terminated or truncated
    return Episode(
        key=key,
        identities=identities,
        messages=_with_raw(inner.messages, replies),
        answer=inner.answer,
        reward=None if failure else reward,
        grade=inner.final_grade.to_dict() if inner.final_grade else None,
        disclosed=inner.disclosed,
        usage=usage,
        timings={
            "agent_s": [round(seconds, 6) for seconds in agent_seconds],
            "step_s": [round(seconds, 6) for seconds in step_seconds],
            "total_s": round(time.perf_counter() - started, 6),
        },
        status="failed" if failure else "ok",
        error=_described(failure) if failure else None,
    )


def _act(agent: Agent | Ceiling, task: Task, messages: list[Message]) -> AgentReply:
    """The agent's action; whatever it raises becomes an AgentError."""
    try:
        reply = agent.act(messages) if isinstance(agent, Agent) else agent.act_knowing(task, messages)
    except ColbenchError:
        raise
    except Exception as error:
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
    if isinstance(reply, str):
        return AgentReply(reply)
    if not isinstance(reply, AgentReply):
        raise AgentError(f"act() returned a {type(reply).__name__}. Mend: an AgentReply, or the text alone")
    return reply


def _with_raw(messages: Sequence[Message], replies: Sequence[AgentReply]) -> list[dict[str, Any]]:
    """The dialogue, with what the agent wrote (and its tokens and log-probabilities, if given) beside what it said."""
    remaining = iter(replies)
    recorded: list[dict[str, Any]] = []
    for message in messages:
        entry: dict[str, Any] = dict(message)
        if message["role"] == "assistant":
            reply = next(remaining)
            entry["raw"] = reply.text
            if reply.token_ids is not None:
                entry["token_ids"] = list(reply.token_ids)
            if reply.logprobs is not None:
                entry["logprobs"] = list(reply.logprobs)
        recorded.append(entry)
    return recorded


def _described(error: ColbenchError) -> dict[str, str]:
    return {"boundary": error.boundary, "type": type(error).__name__, "message": str(error)[:2000]}


def _episode_seed(key: Mapping[str, Any]) -> int:
    """A seed of an episode's own: equal for equal keys, unrelated between samples of one task."""
    text = f"{key['seed']}/{key['task_id']}/{key['sample']}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
