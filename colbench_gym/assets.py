"""Where the files are that we do not ship, and whether they are the right ones. `provision` fetches them."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

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

TailwindVersion = Literal["2.2.19", "3", "4"]


@dataclass(frozen=True, slots=True)
class Published:
    """A file as its makers published it.

    Attributes:
        file: its name in our cache.
        sha256: of its content.
        package: npm package and version that holds it.
        member: its path in that package.
    """

    file: str
    sha256: str
    package: str
    member: str

    @property
    def address(self) -> str:
        """Where web pages load it from: the CDN serves the files of npm packages as they are."""
        return f"https://cdn.jsdelivr.net/npm/{self.package}/{self.member}"


TAILWIND: dict[TailwindVersion, Published] = {
    "2.2.19": Published(
        "tailwind-2.2.19.min.css",
        "b6ad97402eddb903e7a5d7a73ee47a679204efbdda4521a391cbad9df509b932",
        "tailwindcss@2.2.19",
        "dist/tailwind.min.css",
    ),
    "3": Published(
        "tailwind-play-3.4.10.js",
        "2f0570ef81afaa4194fa4ffe80fb291971f0ce27cecd0a1100fdcb4865703364",
        "tailwindcss-cdn@3.4.10",
        "3.4.10/tailwindcss.js",
    ),
    "4": Published(
        "tailwind-browser-4.3.4.js",
        "e54f393a8f716e47e9e21b916e934d42793dfb6ed65988583dcc3456dcb012aa",
        "@tailwindcss/browser@4.3.4",
        "dist/index.global.js",
    ),
}
"""The stylesheet that ColBench's pages link, and the scripts that pages of newer models load instead. All MIT."""

SYSTEM_BROWSERS = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)

FONTS = Path(__file__).parent / "grading" / "fonts"
"""The only fonts that pages are rendered with; README.md in it says what they are."""


def cache_folder() -> Path:
    """Where fetched files are kept: `COLBENCH_CACHE`, else `colbench-gym` in the user's cache folder."""
    chosen = os.environ.get("COLBENCH_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "colbench-gym"


# ------------------------------------------------------------------------------------------------------------- browser


@dataclass(frozen=True, slots=True)
class Browser:
    """A Chromium on this machine, and who put it there: `COLBENCH_CHROMIUM`, `colbench setup`, `playwright`, `system`.

    Nothing was started to find it: whether it runs is another question.
    """

    path: Path
    source: str


def browser_folder() -> Path:
    """Where `colbench setup` puts a browser that neither Playwright nor the system brings."""
    return cache_folder() / "browser"


def find_chromium() -> Browser:
    """The browser that pages are rendered with: the first of those that `Browser` names.

    Raises:
        ConfigError: there is none, or `COLBENCH_CHROMIUM` names no program.
    """
    chosen = os.environ.get("COLBENCH_CHROMIUM")
    if chosen:
        found = shutil.which(Path(chosen).expanduser())
        if found is None:
            raise ConfigError(
                f"COLBENCH_CHROMIUM={chosen} names no program. Mend: give the path of a Chromium, or unset it"
            )
        return Browser(Path(found).absolute(), "COLBENCH_CHROMIUM")
    own = browser_folder() / "chromium"
    if _runnable(own):
        return Browser(own, "colbench setup")
    for path in _playwright_browsers():
        if _runnable(path):
            return Browser(path, "playwright")
    for name in SYSTEM_BROWSERS:
        found = shutil.which(name)
        if found is not None:
            return Browser(Path(found).absolute(), "system")
    raise ConfigError(
        f"no Chromium here: not in COLBENCH_CHROMIUM (unset), {own}, {playwright_folder()} or, on the PATH, "
        f"{', '.join(SYSTEM_BROWSERS)}. Mend: colbench setup"
    )


def playwright_folder() -> Path:
    """Where Playwright keeps the browsers it downloads."""
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if chosen == "0":  # Playwright's way to say: inside its own package.
        package = importlib.util.find_spec("playwright")
        if package is not None and package.origin is not None:
            return Path(package.origin).parent / "driver" / "package" / ".local-browsers"
    if chosen and chosen != "0":
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright"


def _playwright_browsers() -> Iterator[Path]:
    """Playwright's own browsers: headless shells before full browsers (3x slower a context), newest first."""
    for folders, program in (
        ("chromium_headless_shell-*", "chrome*/*headless*shell"),
        ("chromium-*", "chrome*/chrome"),
    ):
        found = playwright_folder().glob(folders)
        for folder in sorted(found, key=lambda one: int("0" + re.sub(r"\D", "", one.name)), reverse=True):
            yield from sorted(folder.glob(program))


def _runnable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


# ------------------------------------------------------------------------------------------------------------ Tailwind


def tailwind_folder() -> Path:
    return cache_folder() / "tailwind"


def tailwind_file(version: TailwindVersion) -> Path:
    """The fetched stylesheet (2.2.19) or script (3, 4), its checksum verified once per process.

    Raises:
        ConfigError: not fetched yet, or changed since.
    """
    published = TAILWIND[version]
    path = tailwind_folder() / published.file
    _verify(path, published.sha256)
    return path


def is_sound(path: Path, checksum: str) -> bool:
    """Whether the file is there and has this sha256."""
    return path.is_file() and sha256(path.read_bytes()) == checksum


@functools.cache
def _verify(path: Path, checksum: str) -> None:
    if not path.is_file():
        raise ConfigError(f"{path} is not here. Mend: colbench setup")
    if not is_sound(path, checksum):
        raise ConfigError(f"{path} is not the published file any more. Mend: colbench setup")


# --------------------------------------------------------------------------------------------------------- small model


def small_model_folder() -> Path:
    """Where `colbench setup --small-model` puts SmolLM2-135M-Instruct; never there in part."""
    return cache_folder() / "models" / "SmolLM2-135M-Instruct"


# --------------------------------------------------------------------------------------------------------------- fonts

# Hinting, antialiasing and the choice of a font are fixed here, so that no file of the machine can change a pixel.
_FONTS_CONF = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="autohint" mode="assign"><bool>false</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
    <edit name="lcdfilter" mode="assign"><const>lcdnone</const></edit>
    <edit name="embeddedbitmap" mode="assign"><bool>false</bool></edit>
  </match>
{aliases}
</fontconfig>
"""
_FAMILIES = {
    "ColBench Sans": ("sans-serif", "system-ui", "ui-sans-serif", "Arial", "Helvetica", "Helvetica Neue"),
    "ColBench Serif": ("serif", "ui-serif", "Times", "Times New Roman", "Georgia"),
    "ColBench Mono": ("monospace", "ui-monospace", "Courier", "Courier New", "Consolas", "Menlo", "Monaco"),
}
_ALIAS = """\
  <alias binding="same"><family>{family}</family><prefer><family>{ours}</family></prefer></alias>"""


def font_folder() -> Path:
    """A folder with the `fonts.conf` to give a browser as `FONTCONFIG_FILE`: it then sees our fonts and no others.

    Raises:
        ConfigError: the cache folder cannot be written.
    """
    config = _FONTS_CONF.format(
        fonts=escape(str(FONTS)),
        cache=escape(str(cache_folder() / "fonts" / "cache")),
        aliases="\n".join(
            _ALIAS.format(family=family, ours=ours) for ours, families in _FAMILIES.items() for family in families
        ),
    ).encode()
    # Named by its content: two installs that share a cache have their fonts in two places.
    folder = cache_folder() / "fonts" / sha256(config)[:12]
    path = folder / "fonts.conf"
    if not path.is_file():
        try:
            put(path, config)
        except OSError as error:
            raise ConfigError(
                f"{folder} cannot be written ({error}). Mend: set COLBENCH_CACHE to a folder of yours"
            ) from error
    return folder


# --------------------------------------------------------------------------------------------------- reading, writing


def put(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Writes a file whole or not at all, also beside other processes that write the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as beside:
        beside.write(content)
    os.chmod(beside.name, mode)
    os.replace(beside.name, path)


def download(address: str, checksum: str, *, seconds: float = 30.0) -> bytes:
    """The content of a file on the web.

    Raises:
        ConfigError: it cannot be fetched, or is not the expected one.
    """
    try:
        with urllib.request.urlopen(address, timeout=seconds) as response:
            content = response.read()
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        raise ConfigError(
            f"{address} cannot be fetched ({error}). Mend: connect to the network, or see docs/setup.md"
        ) from error
    if sha256(content) != checksum:
        raise ConfigError(f"{address} has sha256 {sha256(content)}, not {checksum}: refused")
    return content


def sha256(content: bytes) -> str:
    """In hexadecimal."""
    return hashlib.sha256(content).hexdigest()


# ---------------------------------------------------------------------------------------------------- official prompts


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
    if sha256(path.read_bytes()) != OFFICIAL_PROMPTS[name]:
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
    results: list[tuple[Path, bool]] = []
    for name, checksum in expected.items():
        path = folder / name
        if is_sound(path, checksum):
            results.append((path, False))
            continue
        put(path, download(f"{source}/{name}", checksum, seconds=seconds))
        results.append((path, True))
    return results
