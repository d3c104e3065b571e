"""Agents by specification string, and their one way of being called."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

from colbench_gym.accounts import current_account
from colbench_gym.errors import AgentError, ColbenchError, ConfigError
from colbench_gym.protocol import MAX_TURNS
from colbench_gym.specs import make_attribute, names_attribute, parse_spec
from colbench_gym.types import Agent, AgentReply, Ceiling, Domain, Message, SamplingAgent, Task

GROUP = "colbench.agents"


def make_agent(
    spec: str | Agent | Ceiling, *, domain: Domain = "backend", max_turns: int = MAX_TURNS
) -> Agent | Ceiling:
    """An agent.

    Args:
        spec: `KIND:REST?KEY=VALUE` where a package has announced KIND in the entry-point group `colbench.agents` (its
            function is called with the parsed `Spec`, and `domain` and `max_turns` by keyword), or `module:attribute`
            of your own code: an agent, or a class or function that makes one when called without arguments. An agent is
            returned as it is.
        domain, max_turns: of the environment it shall play in: what a language model has to be told.

    Raises:
        ConfigError: the string names no agent.
    """
    if not isinstance(spec, str):
        return _checked(spec, repr(spec))
    parsed = parse_spec(spec)
    announced = {entry.name: entry for entry in entry_points(group=GROUP)}
    if parsed.kind in announced:
        return _checked(announced[parsed.kind].load()(parsed, domain=domain, max_turns=max_turns), spec)
    if names_attribute(spec):
        return _checked(make_attribute(spec, lambda found: isinstance(found, (Agent, Ceiling))), spec)
    raise ConfigError(f"no agent {spec!r}. Mend: one of {', '.join(sorted(announced))}, or module:attribute")


def act(agent: Agent | Ceiling, task: Task, messages: Sequence[Message], seed: int) -> AgentReply:
    """The agent's action, by whichever form of acting it has.

    Args:
        task: shown to a `Ceiling` only.
        seed: for a `SamplingAgent`.

    Raises:
        AgentError: whatever it raised, other than an error of this package; or it returned no action.
    """
    try:
        if isinstance(agent, SamplingAgent):
            reply = agent.act_seeded(messages, seed)
        elif isinstance(agent, Agent):
            reply = agent.act(messages)
        else:
            reply = agent.act_knowing(task, messages)
    except ColbenchError:
        raise
    except Exception as error:
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
    return as_reply(reply)


def as_reply(reply: object) -> AgentReply:
    """What an agent returned, which may be the text alone.

    Raises:
        AgentError: it is neither.
    """
    if isinstance(reply, str):
        return AgentReply(reply)
    if not isinstance(reply, AgentReply):
        raise AgentError(f"act() returned a {type(reply).__name__}. Mend: an AgentReply, or the text alone")
    return reply


class Serial:
    """An agent that is called by one thread at a time. Waiting for one's turn counts against no limit."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._lock = threading.Lock()

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._agent.identity

    def act(self, messages: Sequence[Message]) -> AgentReply:
        return self.act_seeded(messages, 0)

    def act_seeded(self, messages: Sequence[Message], seed: int) -> AgentReply:
        with current_account().waiting():
            self._lock.acquire()
        try:
            if isinstance(self._agent, SamplingAgent):
                return self._agent.act_seeded(messages, seed)
            return self._agent.act(messages)
        finally:
            self._lock.release()


def _checked(agent: object, spec: str) -> Agent | Ceiling:
    if isinstance(agent, (Agent, Ceiling)):
        return agent
    raise ConfigError(
        f"{spec} is no agent. Mend: it needs act(messages) -> AgentReply and identity (JSON data that names it)"
    )
