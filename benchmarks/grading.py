"""How fast isolated grading is against the unsafe way.

    python benchmarks/grading.py [TASKS.jsonl] [--pairs 5] [--profile strict] [--soak N]

Grades each task's reference against itself, in one run alternately: (a) in this process, the way the official grader
does it (written from the protocol facts in docs/protocol.md), (b) in the sandbox with expected values known, as in
training, where a task is graded again and again, and (c) in the sandbox with nothing known. Ratios are taken between
neighbours, so that a machine that slows down slows both.

CPU time is that of this process and everything it started, read from a control group of its own; where none can be
made it is not reported, because the kernel does not add up children that nobody waits for.

`--soak N` grades N answers, right and wrong ones, and reports the growth of memory, descriptors and processes.

The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from colbench_gym.grading import unit_tests
from colbench_gym.grading.unit_tests import REFUSED_WORDS, grades_or_errors
from colbench_gym.protocol import official_code
from colbench_gym.tasks import load_tasks
from colbench_gym.types import Task

Pair = tuple[Task, str]


# --- the unsafe way


class _TooLong(Exception):
    pass


def _ring(signal_number: int, frame: Any) -> None:
    raise _TooLong


def _call(source: str, test: str) -> Any:
    """What a call returns after `exec` of the source into a function's scope; None if anything was raised."""
    scope = {"function_definition": source, "test_case": test}
    try:
        exec(source, globals(), scope)
        return eval(test, globals(), scope)
    except Exception:
        return None


def grade_in_process(task: Task, answer: str) -> float:
    """Share of tests passed, with no protection of this process whatsoever."""
    assert task.tests is not None
    if any(word in answer for word in REFUSED_WORDS):
        return 0.0
    answer = official_code(answer)
    passed = 0
    for test in task.tests.values():
        expected = _call(task.reference, test)
        signal.alarm(1)
        try:
            value = _call(answer, test)
        except _TooLong:
            value = None
        finally:
            signal.alarm(0)
        with contextlib.suppress(ValueError):
            passed += bool(expected is not None and expected == value)
    return passed / len(task.tests)


# --- clocks


class CpuMeter:
    """CPU seconds of this process and all it starts, from a control group; `read` gives None where there is none."""

    def __init__(self) -> None:
        self._usage: Callable[[], float] | None = None
        self._group: Path | None = None
        for line in Path("/proc/self/cgroup").read_text().splitlines() if sys.platform == "linux" else ():
            _, controllers, path = line.split(":", 2)
            if controllers == "cpuacct" or "cpuacct" in controllers.split(","):
                self._enter(Path(f"/sys/fs/cgroup/{controllers}{path}"), self._from_cpuacct)
            elif not controllers:
                self._enter(Path(f"/sys/fs/cgroup{path}"), self._from_cpu_stat)
            if self._usage is not None:
                break

    def _enter(self, parent: Path, usage: Callable[[], float]) -> None:
        group = parent / f"colbench-benchmark-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:  # not ours to make
            return
        self._group = group
        try:
            (group / "cgroup.procs").write_text(str(os.getpid()))
            usage()
        except OSError:  # not ours to enter
            self.close()
            return
        self._usage = usage

    def _from_cpuacct(self) -> float:
        assert self._group is not None
        return int((self._group / "cpuacct.usage").read_text()) / 1e9

    def _from_cpu_stat(self) -> float:
        assert self._group is not None
        found = re.search(r"usage_usec (\d+)", (self._group / "cpu.stat").read_text())
        assert found is not None
        return int(found[1]) / 1e6

    def read(self) -> float | None:
        return None if self._usage is None else self._usage()

    def close(self) -> None:
        if self._group is None:
            return
        for process in (self._group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):  # it ended meanwhile
                (self._group.parent / "cgroup.procs").write_text(process)
        with contextlib.suppress(OSError):  # a process is just ending: the empty group does no harm
            self._group.rmdir()
        self._group = None


def measure(work: Callable[[], int], meter: CpuMeter) -> tuple[float, float | None, int]:
    """Wall seconds, CPU seconds and the number of answers that passed."""
    cpu, wall = meter.read(), time.perf_counter()
    passed = work()
    wall = time.perf_counter() - wall
    after = meter.read()
    return wall, None if cpu is None or after is None else after - cpu, passed


# --- the comparison


def compare(tasks: Sequence[Task], pairs: int, profile: Any, isolation: str) -> dict[str, Any]:
    graded: list[Pair] = [(task, task.reference) for task in tasks]

    def unsafe() -> int:
        with contextlib.redirect_stdout(io.StringIO()):
            return sum(grade_in_process(task, answer) == 1.0 for task, answer in graded)

    def sandboxed() -> int:
        results = list(grades_or_errors(graded, profile=profile, isolation=isolation))
        return sum(getattr(result, "success", False) for result in results)

    def sandboxed_cold() -> int:
        unit_tests.clear_cache()
        return sandboxed()

    meter = CpuMeter()
    signal.signal(signal.SIGALRM, _ring)
    sandboxed()  # starts the sandbox
    ways = {"in process": unsafe, "sandbox": sandboxed, "sandbox, cold": sandboxed_cold}
    runs: dict[str, list[tuple[float, float | None]]] = {name: [] for name in ways}
    print(f"{len(tasks)} tasks, profile {profile}; tasks that pass, wall and CPU seconds per round")
    print(f"{'pair':>4}" + "".join(f"{name:>26}" for name in ways))
    try:
        for number in range(1, pairs + 1):
            row = f"{number:>4}"
            # Every other round the other way about: whatever follows a slow neighbour pays for it.
            order = list(ways) if number % 2 else list(ways)[::-1]
            cells = {}
            for name in order:
                wall, cpu, passed = measure(ways[name], meter)
                runs[name].append((wall, cpu))
                cells[name] = f"{passed} {wall:8.3f} " + (f"{cpu:8.3f}" if cpu is not None else "       -")
            print(row + "".join(f"{cells[name]:>26}" for name in ways), flush=True)
    finally:
        meter.close()
    result: dict[str, Any] = {"tasks": len(tasks), "pairs": pairs, "profile": profile}
    for name, prefix in (("sandbox", ""), ("sandbox, cold", "cold_")):
        for position, kind in enumerate(("wall", "cpu")):
            ratios = [
                ours[position] / base[position]  # type: ignore[operator]
                for ours, base in zip(runs[name], runs["in process"], strict=True)
                if ours[position] is not None and base[position]
            ]
            result[f"{prefix}{kind}_ratio"] = round(statistics.median(ratios), 3) if ratios else None
            result[f"{prefix}{kind}_spread"] = [round(min(ratios), 3), round(max(ratios), 3)] if ratios else None
            shown = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else "unknown"
            print(f"{name}, {kind} ratio, median (spread): {shown}")
    result["tasks_per_second"] = round(len(tasks) / statistics.median(wall for wall, _ in runs["sandbox"]))
    result["unsafe_tasks_per_second"] = round(len(tasks) / statistics.median(wall for wall, _ in runs["in process"]))
    return result


# --- the soak


def _resources() -> dict[str, int]:
    """Memory of this process, its descriptors, and how many processes run on the machine below this one."""
    status = Path("/proc/self/status").read_text()
    resident = re.search(r"VmRSS:\s+(\d+)", status)
    return {
        "rss_kib": int(resident[1]) if resident else 0,
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(list(_descendants(os.getpid()))),
    }


def _descendants(process: int) -> Iterator[int]:
    try:
        threads = os.listdir(f"/proc/{process}/task")
        children = " ".join(Path(f"/proc/{process}/task/{thread}/children").read_text() for thread in threads)
    except OSError:  # it ended meanwhile
        return
    for child in children.split():
        yield int(child)
        yield from _descendants(int(child))


def soak(tasks: Sequence[Task], count: int, profile: Any, isolation: str) -> dict[str, Any]:
    broken = ("def f(", "raise SystemExit", "import os\nos._exit(1)", "class X: pass", "x = 1")

    def answers() -> Iterator[tuple[Task, str | None]]:
        for number in range(count):
            task = tasks[number % len(tasks)]
            yield task, task.reference if number % 4 else broken[number // 4 % len(broken)]

    started = time.perf_counter()
    before = middle = {}
    successes = 0
    for done, result in enumerate(grades_or_errors(answers(), profile=profile, isolation=isolation), start=1):
        successes += getattr(result, "success", False)
        if done == min(count, max(1000, count // 20)):
            before = _resources()
        if done == count // 2:
            middle = _resources()
        if done % max(1, count // 10) == 0:
            print(f"{done:>9} gradings {done / (time.perf_counter() - started):7.0f}/s  {_resources()}", flush=True)
    after = _resources()
    return {
        "soak": count,
        "soak_successes": successes,
        "soak_seconds": round(time.perf_counter() - started, 1),
        "soak_growth": {name: after[name] - before.get(name, 0) for name in after},
        "soak_growth_second_half": {name: after[name] - middle.get(name, 0) for name in after},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "file", nargs="?", default="embedded-backend:test", help="task file or task set (default: %(default)s)"
    )
    parser.add_argument("--pairs", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--profile", choices=["strict", "official"], default="strict")
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--limit", type=int, help="take the first tasks only")
    parser.add_argument("--soak", type=int, metavar="N", help="grade N answers instead, watching for leaks")
    arguments = parser.parse_args()
    tasks = list(load_tasks(arguments.file, limit=arguments.limit))
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)  # references run in this process may write files
        if arguments.soak:
            result = soak(tasks, arguments.soak, arguments.profile, arguments.isolation)
        else:
            result = compare(tasks, arguments.pairs, arguments.profile, arguments.isolation)
        os.chdir("/")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
