"""What this machine can do, and the mend for what it cannot: the data behind `colbench doctor`."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

from colbench_gym import assets, provision
from colbench_gym.errors import ColbenchError
from colbench_gym.grading.render import close, render
from colbench_gym.grading.sandbox import isolation
from colbench_gym.grading.unit_tests import PACKAGES
from colbench_gym.tasks.load import OFFICIAL_FILES, OFFICIAL_REPOSITORY

CLIP_REPOSITORY = "timm/vit_base_patch32_clip_224.openai"
CLIP_FILES = ("open_clip_model.safetensors", "open_clip_pytorch_model.bin")
"""Where OpenCLIP keeps the weights `openai` of ViT-B-32, either of two files."""


class Finding(NamedTuple):
    """One thing looked at. Without a `needed` one, answers cannot be graded safely here."""

    name: str
    ok: bool
    detail: str
    mend: str
    needed: bool


def examine() -> list[Finding]:
    """Looks at isolation, the packages that answers may import, the official data, the official prompts, and what
    Frontend Design needs. Renders a page with the browser that is found."""
    isolated = [
        Finding(found.name, found.ok, found.detail, found.mend, needed=found.name in ("sandbox", "system"))
        for found in isolation.report()
    ]
    return [*isolated, *_packages(), *_frontend(), *_measures(), _small_model(), _official_data(), _official_prompts()]


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


def _frontend() -> list[Finding]:
    missing = [module for module in provision.FRONTEND_MODULES if importlib.util.find_spec(module) is None]
    return [
        Finding(
            "Frontend Design",
            not missing,
            f"not installed: {', '.join(missing)}" if missing else ", ".join(provision.FRONTEND_MODULES),
            "pip install 'colbench-gym[frontend]'" if missing else "",
            needed=False,
        ),
        _browser(),
        _rendering(),
        _fonts(),
        *(_tailwind(version) for version in assets.TAILWIND),
    ]


def _browser() -> Finding:
    try:
        browser = assets.find_chromium()
        version = provision.browser_version(browser.path)
    except ColbenchError as error:
        return _broken("browser", error)
    return Finding("browser", True, f"{version}, {browser.path} (from: {browser.source})", "", needed=False)


def _rendering() -> Finding:
    try:
        page = render("<html><body>A page</body></html>")
    except ColbenchError as error:
        return _broken("pages", error)
    finally:
        close()
    return Finding("pages", True, f"one was rendered by {page.renderer}", "", needed=False)


def _fonts() -> Finding:
    try:
        assets.font_folder()
    except ColbenchError as error:
        return _broken("fonts", error)
    count = len(list(assets.FONTS.glob("*.ttf")))
    return Finding(
        "fonts",
        count > 0,
        f"{count} of our own, and no others, in {assets.FONTS}",
        "" if count else "install colbench-gym again: its font files are gone",
        needed=False,
    )


def _tailwind(version: assets.TailwindVersion) -> Finding:
    name = f"Tailwind {version}"
    try:
        return Finding(name, True, str(assets.tailwind_file(version)), "", needed=False)
    except ColbenchError as error:
        return _broken(name, error)


def _broken(name: str, error: ColbenchError) -> Finding:
    """What an error says, parted into what was found and the mend."""
    found, _, mend = str(error).partition(" Mend: ")
    return Finding(name, False, found, mend, needed=False)


def _measures() -> list[Finding]:
    """Torch and OpenCLIP for the measures `mini` and `clip`; the weights of `clip`; the renderer `blitz`."""
    missing = [module for module in ("torch", "open_clip") if importlib.util.find_spec(module) is None]
    blitz = importlib.util.find_spec("blitz_py") is not None
    return [
        Finding(
            "similarity mini, clip",
            not missing,
            f"not installed: {', '.join(missing)} ('visual' needs neither)" if missing else "torch, open_clip",
            "pip install 'colbench-gym[clip]'" if missing else "",
            needed=False,
        ),
        _clip_weights(),
        Finding(
            "renderer blitz",
            blitz,
            "blitz_py" if blitz else "not installed; only used when asked for by name",
            "" if blitz else "pip install 'colbench-gym[blitz]'",
            needed=False,
        ),
    ]


def _clip_weights() -> Finding:
    name = "CLIP weights"
    mend = f"use similarity 'clip' once online ({CLIP_REPOSITORY}), or give a checkpoint: clip:PATH"
    if importlib.util.find_spec("huggingface_hub") is None:
        return Finding(name, False, "huggingface_hub is not installed", mend, needed=False)
    from huggingface_hub import try_to_load_from_cache

    cached = [try_to_load_from_cache(CLIP_REPOSITORY, file) for file in CLIP_FILES]
    here = [path for path in cached if isinstance(path, str)]
    return Finding(name, bool(here), here[0] if here else "not cached", "" if here else mend, needed=False)


def _small_model() -> Finding:
    folder = assets.small_model_folder()
    there = folder.is_dir()
    return Finding(
        "small model",
        there,
        str(folder) if there else "not fetched; for trying agents and users of a language model's kind offline",
        "" if there else "pip install 'colbench-gym[small]', then colbench setup --small-model",
        needed=False,
    )


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
