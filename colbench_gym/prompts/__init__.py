"""Our own prompts, versioned: what an agent has to know about the protocol.

They are written for this package and owe no text to the official prompts (for those, `colbench setup
--official-prompts`). A released version never changes; its hash is recorded with every episode that used it.
"""

from __future__ import annotations

from importlib import resources

from colbench_gym.errors import ConfigError
from colbench_gym.protocol import MAX_TURNS

LATEST = {"backend": "v1", "frontend": "v1", "backend_single": "v1", "frontend_single": "v1"}
"""Newest version of the agent's instructions, by domain; those of `single` are for agents that have one turn only."""

_DOMAINS = ("backend", "frontend")


def instructions(domain: str, *, max_turns: int = MAX_TURNS, version: str | None = None) -> str:
    """What a language model must be told to play a whole episode: turns, marker, format.

    Args:
        domain: `backend` or `frontend`.
        max_turns: the environment's turn limit. With a single turn there is nothing to ask: other instructions tell the
            model to answer at once.
        version: `v1`, ...; the latest by default.

    Raises:
        ConfigError: no instructions for that domain or version.
    """
    name = instructions_name(domain, max_turns=max_turns, version=version)
    return read(name).replace("{max_turns}", str(max_turns)).strip()


def instructions_name(domain: str, *, max_turns: int = MAX_TURNS, version: str | None = None) -> str:
    """The name of the prompt that `instructions` fills in, such as `agent_backend_v1`.

    Raises:
        ConfigError: no instructions for that domain.
    """
    if domain not in _DOMAINS:
        raise ConfigError(f"no instructions for domain {domain!r}. Mend: one of {', '.join(_DOMAINS)}")
    kind = f"{domain}_single" if max_turns == 1 else domain
    return f"agent_{kind}_{version or LATEST[kind]}"


def read(name: str) -> str:
    """The text of one of our prompts, such as `agent_backend_v1`, as it stands in its file.

    Raises:
        ConfigError: there is none of that name.
    """
    file = resources.files(__name__) / f"{name}.txt"
    if not file.is_file():
        kind, _, version = name.rpartition("_")
        known = sorted(
            other.name.removesuffix(".txt")
            for other in resources.files(__name__).iterdir()
            if other.name.startswith(f"{kind}_v")
        )
        raise ConfigError(f"no version {version!r} of the prompt {kind}. Mend: {', '.join(known) or 'another prompt'}")
    return file.read_text(encoding="utf-8")
