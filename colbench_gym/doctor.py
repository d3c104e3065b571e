"""What this machine can do, and the mend for what it cannot: the data behind `colbench doctor`."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

from colbench_gym import assets
from colbench_gym.grading.sandbox import isolation
from colbench_gym.grading.unit_tests import PACKAGES
from colbench_gym.tasks.load import OFFICIAL_FILES, OFFICIAL_REPOSITORY


class Finding(NamedTuple):
    """One thing looked at. Without a `needed` one, answers cannot be graded safely here."""

    name: str
    ok: bool
    detail: str
    mend: str
    needed: bool


def examine() -> list[Finding]:
    """Looks at isolation, the packages that answers may import, the official data and the official prompts."""
    isolated = [
        Finding(found.name, found.ok, found.detail, found.mend, needed=found.name in ("sandbox", "system"))
        for found in isolation.report()
    ]
    return [*isolated, *_packages(), _official_data(), _official_prompts()]


def _packages() -> list[Finding]:
    findings = []
    for name in sorted(PACKAGES):
        there = importlib.util.find_spec(name) is not None
        pip_name = {"bs4": "beautifulsoup4"}.get(name, name)
        findings.append(
            Finding(
                f"package {name}",
                there,
                "answers may import it" if there else "answers that import it fail",
                "" if there else f"pip install {pip_name}",
                needed=False,
            )
        )
    return findings


def _official_data() -> Finding:
    name = "official task files"
    mend = f"pip install 'colbench-gym[hub]' and use official-backend:test once online ({OFFICIAL_REPOSITORY}), or "
    mend += "point COLBENCH_DATA at a folder that holds " + " and ".join(OFFICIAL_FILES.values())
    local = os.environ.get("COLBENCH_DATA")
    if local:
        missing = [file for file in OFFICIAL_FILES.values() if not (Path(local).expanduser() / file).is_file()]
        found = f"COLBENCH_DATA={local}" + (f" lacks {', '.join(missing)}" if missing else "")
        return Finding(name, not missing, found, mend if missing else "", needed=False)
    if importlib.util.find_spec("huggingface_hub") is None:
        return Finding(name, False, "huggingface_hub is not installed", mend, needed=False)
    from huggingface_hub import try_to_load_from_cache

    missing = [
        file
        for file in OFFICIAL_FILES.values()
        if not isinstance(try_to_load_from_cache(OFFICIAL_REPOSITORY, file, repo_type="dataset"), str)
    ]
    found = f"not cached: {', '.join(missing)}" if missing else "in the hub's cache"
    return Finding(name, not missing, found, mend if missing else "", needed=False)


def _official_prompts() -> Finding:
    folder = assets.official_prompt_folder()
    missing = [name for name in assets.OFFICIAL_PROMPTS if not (folder / name).is_file()]
    return Finding(
        "official prompts",
        not missing,
        f"{len(missing)} files not fetched" if missing else str(folder),
        "colbench setup --official-prompts (CC BY-NC)" if missing else "",
        needed=False,
    )
