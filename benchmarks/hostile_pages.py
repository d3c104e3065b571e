"""What pages that mean harm cost: time, memory, and what becomes of the page after them.

    python benchmarks/hostile_pages.py [NAME ...]

Renders the pages of tests/grading/browser/hostile_pages.py, one after the other, with an ordinary page after each. For
each: the outcome, seconds, the most memory that the browser's processes held together (MiB; what two processes share
counts twice), whether the ordinary page came out as before. The last line is one JSON object: the worst of each.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import threading
import time
from pathlib import Path

import psutil

from colbench_gym.grading import render

CASES = Path(__file__).resolve().parents[1] / "tests" / "grading" / "browser" / "hostile_pages.py"
ORDINARY = "<html><body style='background:#def'><h1>Hello</h1><p style='width:9em'>An ordinary page.</p></body></html>"
SAMPLE_SECONDS = 0.03


class Peak:
    """The most memory, in bytes, that this process's descendants held together since `reset`."""

    def __init__(self) -> None:
        self.bytes = 0
        threading.Thread(target=self._sample, daemon=True).start()

    def reset(self) -> None:
        self.bytes = 0

    def _sample(self) -> None:
        while True:
            self.bytes = max(self.bytes, sum(map(memory, psutil.Process().children(recursive=True))))
            time.sleep(SAMPLE_SECONDS)


def memory(process: psutil.Process) -> int:
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:  # It ended.
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon:", "RssShmem:")))


def outcome(html: str) -> str:
    try:
        result = render.render(html)
    except render.Unrenderable as error:
        return error.reason
    return " ".join((f"{result.width}x{result.height}", *result.flags))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    names = parser.parse_args().names
    spec = importlib.util.spec_from_file_location("hostile_pages_cases", CASES)
    assert spec is not None
    assert spec.loader is not None
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    before = render.render(ORDINARY).png
    peak = Peak()
    worst = {"seconds": 0.0, "peak_mib": 0.0, "next_page_differs": 0}
    print(f"{'page':24} {'outcome':24} {'seconds':>8} {'MiB':>6}  next page")
    for name, html in cases.pages().items():
        if names and name not in names:
            continue
        peak.reset()
        start = time.perf_counter()
        result = outcome(html)
        seconds = time.perf_counter() - start
        mib = peak.bytes / 2**20
        same = render.render(ORDINARY).png == before
        print(f"{name:24} {result:24} {seconds:8.2f} {mib:6.0f}  {'as before' if same else 'DIFFERS'}", flush=True)
        worst["seconds"] = max(worst["seconds"], round(seconds, 2))
        worst["peak_mib"] = max(worst["peak_mib"], round(mib))
        worst["next_page_differs"] += not same
    render.close()
    print(json.dumps(worst))


if __name__ == "__main__":
    main()
