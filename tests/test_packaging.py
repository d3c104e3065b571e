"""The package as others get it."""

from __future__ import annotations

import configparser
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def config() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def test_every_package_is_listed():
    listed = set(config()["options"]["packages"].split())
    roots = (ROOT, ROOT / "agents", ROOT / "baselines")
    tops = {"colbench_gym", "colbench_agents", "colbench_baselines"}
    found = {
        ".".join(file.parent.relative_to(root).parts)
        for root in roots
        for file in root.glob("colbench_*/**/__init__.py")
        if file.relative_to(root).parts[0] in tops
    }
    assert listed == found


def test_versions_agree():
    import colbench_gym

    assert f"version: {colbench_gym.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {colbench_gym.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_extras_exist():
    assert set(config()["options.extras_require"]) >= {"frontend", "llm", "train", "ray", "dev", "hub"}


@pytest.mark.slow
def test_the_wheel_works_from_a_clean_environment(tmp_path):
    """Build, install without this checkout in sight, play and grade an episode."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("colbench_gym-*.whl")
    home = tmp_path / "clean environment"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True, cwd=tmp_path)
    code = (
        "import colbench_gym, sys; from pathlib import Path\n"
        "home = Path(colbench_gym.__file__).parent\n"
        f"assert not home.is_relative_to({str(ROOT)!r})\n"
        "assert (home / 'py.typed').exists()\n"
        "print(colbench_gym.instructions('backend')[:10])\n"
    )
    subprocess.run([python, "-c", code], check=True, cwd=tmp_path)
    played = subprocess.run(
        [home / "bin" / "colbench", "eval", "--agent", "scripted:oracle", "--episodes", "3", "--json"],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert '"success_rate": 1.0' in played.stdout
