"""What `colbench setup` fetches: files that are not ours to ship."""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from colbench_gym.errors import ConfigError

OFFICIAL_REVISION = "38daf2a58497e898a65ef530a7b1c13ff4b0f128"
OFFICIAL_SOURCE = f"https://raw.githubusercontent.com/facebookresearch/sweet_rl/{OFFICIAL_REVISION}/prompts"
OFFICIAL_LICENCE = "CC BY-NC 4.0 (non-commercial; the licence of facebookresearch/sweet_rl)"
OFFICIAL_PROMPTS: dict[str, str] = {
    "human_simulator_code_prompt.txt": "0f522a5f95d06d7b1305ddb8850164d57eeef1a13114207261cd46f23e73928c",
    "human_simulator_html_prompt.txt": "8e0dee786bfd203da4cb6f114577ac8486dccf077436736d0141c256d886a4d6",
    "llm_agent_code_prompt.txt": "429c1c5ae65a2488ee8cb37058b9aff91341b2390de3beb934dd52a7580cdce3",
    "llm_agent_html_prompt.txt": "045b608288f5c38f0621d6afac38f3da63a5484208f9cc47d740264a0d184e88",
}
"""File name -> sha256 at `OFFICIAL_REVISION`."""


def cache_folder() -> Path:
    """Where fetched files are kept: `COLBENCH_CACHE`, else `colbench-gym` in the user's cache folder."""
    chosen = os.environ.get("COLBENCH_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "colbench-gym"


def official_prompt_folder() -> Path:
    return cache_folder() / "official-prompts" / OFFICIAL_REVISION[:12]


def official_prompt(name: str) -> Path:
    """A fetched official prompt file, its checksum verified again.

    Raises:
        ConfigError: no such file, not fetched yet, or changed since.
    """
    if name not in OFFICIAL_PROMPTS:
        raise ConfigError(f"no official prompt {name!r}. Mend: one of {', '.join(OFFICIAL_PROMPTS)}")
    path = official_prompt_folder() / name
    if not path.is_file():
        raise ConfigError(f"the official prompt {name} is not here. Mend: colbench setup --official-prompts")
    if _sha256(path.read_bytes()) != OFFICIAL_PROMPTS[name]:
        raise ConfigError(f"{path} is not the official file any more. Mend: delete it and run setup again")
    return path


def fetch_official_prompts(
    *, source: str = OFFICIAL_SOURCE, expected: Mapping[str, str] = OFFICIAL_PROMPTS, seconds: float = 30.0
) -> list[tuple[Path, bool]]:
    """Fetches the official prompt files into the cache, those already there and sound aside.

    Args:
        source: address of the folder that holds them.
        expected: file name -> sha256.
        seconds: time limit of each request.

    Returns:
        For each file its path, and whether it was fetched now.

    Raises:
        ConfigError: a file cannot be fetched, or is not the expected one (then nothing is kept of it).
    """
    folder = official_prompt_folder()
    folder.mkdir(parents=True, exist_ok=True)
    results: list[tuple[Path, bool]] = []
    for name, checksum in expected.items():
        path = folder / name
        if path.is_file() and _sha256(path.read_bytes()) == checksum:
            results.append((path, False))
            continue
        address = f"{source}/{name}"
        try:
            with urllib.request.urlopen(address, timeout=seconds) as response:
                content = response.read()
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            raise ConfigError(
                f"{address} cannot be fetched ({error}). Mend: connect to the network, or put the file into {folder} "
                "yourself"
            ) from error
        if _sha256(content) != checksum:
            raise ConfigError(f"{address} has sha256 {_sha256(content)}, not {checksum}: refused")
        beside = path.with_name(name + ".new")
        beside.write_bytes(content)
        beside.replace(path)
        results.append((path, True))
    return results


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
