"""The memory for what was computed of pages."""

from __future__ import annotations

import threading

from colbench_gym.grading.likeness.pictures import Cache


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
