"""What the threads of a process share."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from colbench_gym.grading import similarity
from colbench_gym.grading.sharing import Cache, OneThread
from colbench_gym.grading.similarity import make_similarity
from colbench_gym.tasks import load_tasks


def test_only_what_is_missing_is_computed_and_once():
    cache: Cache[str] = Cache(10)
    asked: list[list[int]] = []

    def compute(positions: list[int]) -> list[str]:
        asked.append(positions)
        return [f"value {at}" for at in positions]

    assert cache.all(["a", "b", "a"], compute) == ["value 0", "value 1", "value 0"]
    assert cache.all(["b", "c"], compute) == ["value 1", "value 1"]
    assert asked == [[0, 1], [1]]


def test_the_values_unused_for_longest_go_first():
    cache: Cache[str] = Cache(2)
    asked: list[list[int]] = []

    def compute(positions: list[int]) -> list[str]:
        asked.append(positions)
        return ["new"] * len(positions)

    cache.all(["a", "b"], compute)
    cache.all(["a", "c"], compute)
    assert len(cache) == 2
    asked.clear()
    cache.all(["a", "c", "b"], compute)
    assert asked == [[2]]


def test_a_call_may_need_more_than_is_kept():
    cache: Cache[int] = Cache(2)
    assert cache.all(list("abcd"), lambda positions: positions) == [0, 1, 2, 3]
    assert len(cache) == 2


def test_threads_share_it():
    cache: Cache[int] = Cache(5)
    wrong: list[object] = []

    def work() -> None:
        for turn in range(300):
            keys = [str((turn + at) % 9) for at in range(4)]
            found = cache.all(keys, lambda positions, keys=keys: [int(keys[at]) for at in positions])
            if found != [int(key) for key in keys]:
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(cache) <= 5


def test_what_many_want_is_computed_once():
    cache: Cache[str] = Cache(5)
    asked: list[list[int]] = []

    def compute(positions: list[int]) -> list[str]:
        asked.append(positions)
        time.sleep(0.1)
        return ["dear"] * len(positions)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: cache.all(["a"], compute), range(8)))
    assert found == [["dear"]] * 8
    assert asked == [[0]]


def test_a_failure_is_its_callers_and_the_next_one_tries():
    cache: Cache[int] = Cache(5)
    begun = threading.Event()

    def fail(positions: list[int]) -> list[int]:
        begun.set()
        time.sleep(0.1)
        raise ValueError("no")

    with ThreadPoolExecutor(1) as threads:
        failing = threads.submit(cache.all, ["a"], fail)
        assert begun.wait(20)
        assert cache.all(["a"], lambda positions: [7]) == [7]
        with pytest.raises(ValueError, match="no"):
            failing.result()


def test_a_fork_waits_for_no_thread_of_its_parent():
    cache: Cache[int] = Cache(5)
    one = OneThread("test")
    begun, may_end = threading.Event(), threading.Event()

    def compute(positions: list[int]) -> list[int]:
        begun.set()
        assert may_end.wait(20)
        return [1]

    with ThreadPoolExecutor(1) as threads:
        computing = threads.submit(lambda: one.run(lambda: cache.all(["a"], compute)))
        assert begun.wait(20)
        child = os.fork()
        if child == 0:
            one.forget()
            os._exit(0 if one.run(lambda: cache.all(["a"], lambda positions: [2])) == [2] else 1)
        try:
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            may_end.set()
        assert computing.result() == [1]
    one.close()


def test_one_thread_runs_all_and_starts_anew():
    one = OneThread("test-one")
    with ThreadPoolExecutor(4) as threads:
        names = set(threads.map(lambda _: one.run(lambda: threading.current_thread().name), range(8)))
    assert names == {"test-one_0"}
    one.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("test-one")]
    with pytest.raises(ZeroDivisionError):
        one.run(lambda: 1 // 0)
    one.close()


def test_weights_and_files_are_read_once(task_file):
    together = threading.Barrier(6)

    def make(_: int) -> tuple[int, int]:
        together.wait(timeout=20)
        return id(make_similarity("visual")), id(load_tasks(task_file))

    similarity._made.cache_clear()
    with ThreadPoolExecutor(6) as threads:
        assert len(set(threads.map(make, range(6)))) == 1
