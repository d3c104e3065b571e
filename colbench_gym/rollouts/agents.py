"""Agents by specification string."""

from __future__ import annotations

from importlib.metadata import entry_points

from colbench_gym.errors import ConfigError
from colbench_gym.specs import make_attribute, names_attribute, parse_spec
from colbench_gym.types import Agent, Ceiling

GROUP = "colbench.agents"


def make_agent(spec: str | Agent | Ceiling) -> Agent | Ceiling:
    """An agent.

    Args:
        spec: `KIND:REST?KEY=VALUE` where a package has announced KIND in the entry-point group `colbench.agents` (its
            function gets the parsed `Spec`), or `module:attribute` of your own code: an agent, or a class or function
            that makes one when called without arguments. An agent is returned as it is.

    Raises:
        ConfigError: the string names no agent.
    """
    if not isinstance(spec, str):
        return _checked(spec, repr(spec))
    parsed = parse_spec(spec)
    announced = {entry.name: entry for entry in entry_points(group=GROUP)}
    if parsed.kind in announced:
        return _checked(announced[parsed.kind].load()(parsed), spec)
    if names_attribute(spec):
        return _checked(make_attribute(spec, lambda found: isinstance(found, (Agent, Ceiling))), spec)
    raise ConfigError(f"no agent {spec!r}. Mend: one of {', '.join(sorted(announced))}, or module:attribute")


def _checked(agent: object, spec: str) -> Agent | Ceiling:
    if isinstance(agent, (Agent, Ceiling)):
        return agent
    raise ConfigError(
        f"{spec} is no agent. Mend: it needs act(messages) -> AgentReply and identity (JSON data that names it)"
    )
