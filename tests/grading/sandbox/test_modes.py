"""The self-check as other users and on other Pythons, in processes of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from colbench_gym.grading.sandbox.isolation import NAMES

PACKAGE = Path(__file__).resolve().parents[3] / "colbench_gym"

# The package's own `__init__` needs gymnasium, which another interpreter may not have; the sandbox needs nothing.
LAUNCH = """
import sys, types
for name, path in (("colbench_gym", {package!r}), ("colbench_gym.grading", {package!r} + "/grading")):
    module = types.ModuleType(name)
    module.__path__ = [path]
    sys.modules[name] = module
from colbench_gym.grading.sandbox import selfcheck
sys.exit(selfcheck.main(sys.argv[1:]))
"""


def _selfcheck(command: list[str], isolation: str, package: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(
        [*command, "-c", LAUNCH.format(package=str(package)), isolation],
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
        timeout=120,
        check=False,
    )
    # What bwrap says itself is that this machine does not give it namespaces.
    if "bubblewrap is not installed" in result.stdout or "does not work here: bwrap:" in result.stdout:
        pytest.skip(result.stdout)
    failed = [line for line in result.stdout.splitlines() if not line.startswith("ok")]
    assert result.returncode == 0, "\n".join(failed) + result.stderr


def _python_for_everybody() -> str:
    """An interpreter that an ordinary user may read, 3.11 or newer."""
    for name in ("/usr/bin/python3", "/usr/local/bin/python3", sys.executable):
        path = os.path.realpath(name)
        if os.path.exists(path) and not any(not parent.stat().st_mode & 1 for parent in Path(path).parents):
            script = "import sys; sys.exit(sys.version_info < (3, 11))"
            if subprocess.run([path, "-c", script], check=False).returncode == 0:
                return path
    pytest.skip("no Python >= 3.11 here that an ordinary user may read")


@pytest.mark.slow
@pytest.mark.parametrize("isolation", NAMES)
@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become somebody else; tests/ run as a user then")
def test_ordinary_user(isolation: str, tmp_path: Path) -> None:
    python = _python_for_everybody()
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is not installed (apt-get install util-linux)")
    # pytest's directory is for the superuser only, and so may be this checkout.
    public = Path("/var/tmp") / f"colbench-test-{os.getpid()}-{NAMES.index(isolation)}"
    try:
        shutil.copytree(PACKAGE, public / "colbench_gym", ignore=shutil.ignore_patterns("__pycache__"))
        for path in (public, *public.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        command = [setpriv, "--reuid", "12345", "--regid", "12345", "--clear-groups", python]
        _selfcheck(command, isolation, public / "colbench_gym")
    finally:
        shutil.rmtree(public, ignore_errors=True)


def _other_pythons() -> list[str]:
    """Interpreters of the other supported versions, from PATH and from pyenv."""
    found: dict[str, str] = {}
    for version in ("3.11", "3.12", "3.13"):
        if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
            continue
        candidates = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        if candidates:
            found[version] = str(candidates[-1])
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("isolation", NAMES[:2])
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_other_python(version: str, isolation: str) -> None:
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        pytest.skip("that is the one which runs all other tests")
    pythons = [python for python in _other_pythons() if python.endswith(version)]
    if not pythons:
        pytest.skip(f"no Python {version} here")
    _selfcheck([pythons[0]], isolation, PACKAGE)
