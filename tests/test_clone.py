"""The stranger's path: a fresh clone, on a path with a blank in it, and `make demo`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_demo_in_a_fresh_clone(tmp_path):
    clone = tmp_path / "a fresh clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    # Nothing of the environment that runs this test may lend a hand.
    lent = {"VIRTUAL_ENV", "PYTHONPATH", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "COLUMNS"}
    environment = {name: value for name, value in os.environ.items() if name not in lent}
    for attempt in ("first", "second"):
        result = subprocess.run(
            ["make", "demo"], cwd=clone, env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{attempt}: {result.stdout}{result.stderr}"
        assert "scripted:oracle*" in result.stdout
        assert "100.0%" in result.stdout
        assert "scripted:follow" in result.stdout, "the Frontend part was not played"
    assert "Installing" not in result.stdout, "the second time must be quick"
    assert len((clone / "runs/demo/scripted-guess/episodes.jsonl").read_bytes().splitlines()) == 200
