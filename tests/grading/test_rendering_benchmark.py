from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from colbench_gym import assets

ROOT = Path(__file__).parents[2]


@pytest.mark.browser
@pytest.mark.slow
def test_the_benchmark_ends_with_one_line_of_json(page_file, tmp_path):
    """Without a driver for Selenium the official way is null, with a reason, and the rest is measured."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "rendering.py", page_file, "--rounds", "1"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": str(tmp_path), "COLBENCH_CHROMIUM": str(assets.find_chromium().path)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["pages"] == 2
    assert figures["vs_naive"] > 0
    assert figures["floor_ratio"] > 0
    assert figures["vs_official"] is None
    assert "selenium" in figures["official_missing"] or "geckodriver" in figures["official_missing"]
