"""Giving jobs to children: completeness, blame, limits, restarts, threads, forks, leaks."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from colbench_gym.errors import ConfigError, GraderError
from colbench_gym.grading.sandbox import Sandbox, shared_sandbox
from colbench_gym.grading.sandbox.isolation import NAMES

DOUBLE = "def f(x): return 2 * x"


def _children_of(process: int) -> list[int]:
    """Everything below `process`, by whichever of its threads it was started."""
    children: list[int] = []
    # Children of a sandbox come and go while this looks.
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                children += [int(number) for number in file.read().split()]
    return children + [below for child in children for below in _children_of(child)]


def _kill_zygote(sandbox: Sandbox) -> None:
    zygote = sandbox._zygote
    assert zygote is not None
    for process in [*_children_of(zygote._process.pid), zygote._process.pid]:
        # The first of a process namespace takes the others along.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    zygote._process.wait()


def test_outcomes_in_order_and_complete(best_sandbox: Sandbox, make_job) -> None:
    jobs = [make_job(f"def f(x): return x + {n}", "f(1)", "f(2)", "f('a')", "g()") for n in range(50)]
    results = best_sandbox.run(jobs)
    expected = best_sandbox.run([make_job("", str(1 + n), str(2 + n)) for n in range(50)], in_flight=3)
    for result, reference in zip(results, expected, strict=True):
        assert sorted(result) == [0, 1, 2, 3]
        assert (result[0], result[1]) == (reference[0], reference[1])
        assert result[2].kind == "raised"
        assert result[2].data.startswith(b"TypeError\0")
        assert result[3].data.startswith(b"NameError\0")


def test_no_jobs_and_no_tests(best_sandbox: Sandbox, make_job) -> None:
    assert best_sandbox.run([]) == []
    assert best_sandbox.run([make_job(DOUBLE)]) == [{}]


def test_large_jobs(best_sandbox: Sandbox, make_job) -> None:
    source = "text = '" + "x" * (5 << 20) + "'\n" + DOUBLE
    (result,) = best_sandbox.run([make_job(source, "f(3)", "len(text)")])
    assert [outcome.kind for outcome in result.values()] == ["value", "value"]


@pytest.mark.slow
def test_a_job_larger_than_the_memory_limit_is_lost(best_sandbox: Sandbox, make_job) -> None:
    huge, small = best_sandbox.run([make_job("#" * (600 << 20), "1"), make_job(DOUBLE, "f(1)")])
    assert huge[0].kind == "lost"
    assert small[0].kind == "value"


def test_a_dying_test_is_blamed_alone(best_sandbox: Sandbox, make_job) -> None:
    source = "import os\ndef f(x):\n    if x % 2: os._exit(0)\n    return x"
    (result,) = best_sandbox.run([make_job(source, *(f"f({n})" for n in range(10)))])
    assert [result[n].kind for n in range(10)] == ["value", "lost"] * 5


def test_one_long_test_is_blamed_alone(best_sandbox: Sandbox, make_job) -> None:
    source = """
import signal, time
def f(x):
    if x == 3:
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(60)
    return x
"""
    (result,) = best_sandbox.run([make_job(source, *(f"f({n})" for n in range(6)), seconds=0.5)])
    assert [result[n].kind for n in range(6)] == ["value"] * 3 + ["timed_out"] + ["value"] * 2


def test_slow_but_honest_tests_pass(best_sandbox: Sandbox, make_job) -> None:
    source = "import time\ndef f(x):\n    time.sleep(0.6)\n    return x"
    (result,) = best_sandbox.run([make_job(source, *(f"f({n})" for n in range(3)), seconds=2.0)])
    assert {outcome.kind for outcome in result.values()} == {"value"}


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
        "import signal\ndef f():\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    while True: pass",
    ],
    ids=["catches the limit", "ignores the limit"],
)
def test_ten_hanging_tests_do_not_take_sixteen_seconds(best_sandbox: Sandbox, make_job, source: str) -> None:
    start = time.monotonic()
    (result,) = best_sandbox.run([make_job(source, *["f()"] * 10)])
    assert {outcome.kind for outcome in result.values()} == {"timed_out"}
    assert time.monotonic() - start < 8


def test_an_unknown_isolation_is_refused() -> None:
    with pytest.raises(ConfigError, match="landlock"):
        Sandbox("strong")


def test_a_closed_sandbox_says_so(make_job) -> None:
    sandbox = Sandbox()
    sandbox.close()
    with pytest.raises(GraderError, match="closed"):
        sandbox.run([make_job(DOUBLE, "f(1)")])


def test_the_zygote_is_restarted(make_job) -> None:
    with Sandbox() as sandbox:
        job = make_job(DOUBLE, "f(1)")
        before = sandbox.run([job])
        _kill_zygote(sandbox)
        assert sandbox.run([job]) == before


def test_jobs_survive_the_death_of_the_zygote(make_job) -> None:
    slow = "import time\ndef f(x):\n    time.sleep(0.2)\n    return 2 * x"
    jobs = [make_job(slow, f"f({n})") for n in range(8)]
    with Sandbox() as sandbox:
        expected = sandbox.run([make_job(DOUBLE, f"f({n})") for n in range(8)])
        killer = threading.Timer(0.3, _kill_zygote, [sandbox])
        killer.start()
        assert sandbox.run(jobs) == expected
        killer.join()


def test_several_threads_at_once(best_sandbox: Sandbox, make_job) -> None:
    def work(n: int) -> list:
        return best_sandbox.run([make_job(f"def f(x): return x * {n}", "f(7)")] * 10)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(24)))
    expected = best_sandbox.run([make_job("", str(7 * n)) for n in range(24)])
    assert results == [[outcome] * 10 for outcome in expected]


def test_a_thread_that_ends_leaves_the_zygote_running(make_job) -> None:
    """Had the zygote asked to die with its parent, it would die with the *thread* that started it."""
    with Sandbox() as sandbox:
        first = threading.Thread(target=sandbox.run, args=([make_job(DOUBLE, "f(1)")],))
        first.start()
        first.join()
        zygote = sandbox._zygote
        time.sleep(0.2)
        assert sandbox.run([make_job(DOUBLE, "f(1)")])[0][0].kind == "value"
        assert sandbox._zygote is zygote


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_gets_its_own_zygote(make_job) -> None:
    sandbox = shared_sandbox()
    job = make_job(DOUBLE, "f(1)")
    expected = sandbox.run([job])
    zygote = sandbox._zygote
    process = os.fork()
    if process == 0:
        same = False
        try:
            same = shared_sandbox() is sandbox and sandbox.run([job]) == expected and sandbox._zygote is not zygote
            sandbox.close()
        finally:
            os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert sandbox.run([job]) == expected
    assert sandbox._zygote is zygote


def test_everything_ends_with_the_process() -> None:
    """Even if it is killed: no zygote and no child, not even one that loops, may stay."""
    program = """
import sys, time
from colbench_gym.grading.sandbox import Job, Sandbox
sandbox = Sandbox()
looping = Job("strict", "import signal\\ndef f():\\n    signal.setitimer(0, 0)\\n    while True: pass",
              ((0, compile("f()", "", "eval")),), 60.0)
import threading
threading.Thread(target=sandbox.run, args=([looping],), daemon=True).start()
while sandbox._zygote is None: time.sleep(0.01)
time.sleep(0.5)
print("up", flush=True)
time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    started = _children_of(process.pid)
    assert len(started) >= 2
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 10
    while left := [child for child in started if os.path.exists(f"/proc/{child}") and not _is_zombie(child)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def _is_zombie(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def _soak(sandbox: Sandbox, make_job, rounds: int) -> tuple[int, int]:
    """Descriptors and resident kilobytes of this process that `rounds` batches of ten jobs leave behind."""
    sources = [DOUBLE, "def f(x): raise ValueError", "import os\ndef f(x): os._exit(0)", "def f(x"]
    jobs = [make_job(sources[n % 4], "f(1)", "f(2)") for n in range(10)]
    sandbox.run(jobs * 20)
    gc.collect()
    before = _descriptors_and_memory()
    for _ in range(rounds):
        sandbox.run(jobs)
    gc.collect()
    after = _descriptors_and_memory()
    return after[0] - before[0], after[1] - before[1]


def _descriptors_and_memory() -> tuple[int, int]:
    with open("/proc/self/statm") as file:
        return len(os.listdir("/proc/self/fd")), int(file.read().split()[1]) * 4


@pytest.mark.parametrize("rounds", [30, pytest.param(500, marks=pytest.mark.slow)])
def test_nothing_leaks(make_job, rounds: int) -> None:
    with Sandbox() as sandbox:
        descriptors, kilobytes = _soak(sandbox, make_job, rounds)
        assert abs(descriptors) <= 4  # a child in reserve more or less
        assert kilobytes < 4096
        zygote = sandbox._zygote
        assert zygote is not None
        time.sleep(0.2)
        assert len(_children_of(zygote._process.pid)) <= 4


@pytest.mark.parametrize("isolation", [*NAMES, "unsafe"])
def test_packages(make_job, isolation: str) -> None:
    pytest.importorskip("numpy")
    source = "import numpy\ndef f(x): return float(numpy.linalg.det(numpy.array([[x, 0], [0, x]])))"
    others = "def f(): import gymnasium"
    with Sandbox(isolation, frozenset({"numpy"})) as sandbox:
        result, other = sandbox.run([make_job(source, "f(2)", seconds=10.0), make_job(others, "f()")])
        assert result[0].kind == "value", result[0]
        assert other[0].data.startswith(b"ModuleNotFoundError")


def test_a_missing_package_is_named(make_job) -> None:
    with pytest.raises(ConfigError, match="no_such_package"):
        Sandbox(packages=frozenset({"no_such_package"})).run([make_job(DOUBLE, "f(1)")])


def test_packages_are_absent_unless_asked_for(best_sandbox: Sandbox, make_job) -> None:
    (result,) = best_sandbox.run([make_job("def f(): import numpy", "f()")])
    assert result[0].data.startswith(b"ModuleNotFoundError")
