"""Our own prompts, versioned: what an agent has to know about the protocol.

They are written for this package and owe no text to the official prompts (for those, `colbench setup
--official-prompts`). A released version never changes; its hash is recorded with every episode that used it.
"""

from __future__ import annotations

from importlib import resources

from colbench_gym.errors import ConfigError
from colbench_gym.protocol import MAX_TURNS

LATEST = {"backend": "v1", "frontend": "v1"}


def instructions(domain: str, *, max_turns: int = MAX_TURNS, version: str | None = None) -> str:
    """What a language model must be told to play a whole episode: turns, marker, format.

    Args:
        domain: `backend` or `frontend`.
        max_turns: the environment's turn limit.
        version: `v1`, ...; the latest by default.

    Raises:
        ConfigError: no instructions for that domain or version.
    """
    if domain not in LATEST:
        raise ConfigError(f"no instructions for domain {domain!r}. Mend: one of {', '.join(LATEST)}")
    file = resources.files(__name__) / f"agent_{domain}_{version or LATEST[domain]}.txt"
    if not file.is_file():
        raise ConfigError(
            f"no version {version!r} of the {domain} instructions. Mend: {LATEST[domain]!r} is the latest"
        )
    return file.read_text(encoding="utf-8").replace("{max_turns}", str(max_turns)).strip()
