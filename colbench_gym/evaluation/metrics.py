"""What a run's episodes add up to.

Failed episodes (of the agent's code, the simulator, the grader or the infrastructure) are counted and left out of every
mean: they say nothing about the agent's answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

Z_95 = 1.959963984540054
"""The 97.5% quantile of the standard normal distribution."""


class Interval(NamedTuple):
    """A two-sided 95% interval."""

    low: float
    high: float


def wilson(successes: int, trials: int) -> Interval | None:
    """Wilson's 95% score interval for a share (Wilson 1927): sound at 0 and 1, where the normal one collapses.

    Returns:
        None without trials.
    """
    if trials == 0:
        return None
    share = successes / trials
    scale = 1 + Z_95**2 / trials
    centre = (share + Z_95**2 / (2 * trials)) / scale
    half = Z_95 * math.sqrt(share * (1 - share) / trials + Z_95**2 / (4 * trials**2)) / scale
    # At 0 and 1 the bound is exact; rounding error must not push it outside.
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half)


def mean_interval(values: Sequence[float]) -> Interval | None:
    """The 95% interval of a mean by the normal approximation, as tables of this benchmark's scores have it.

    Returns:
        None for fewer than two values.
    """
    if len(values) < 2:
        return None
    half = Z_95 * stdev(values) / math.sqrt(len(values))
    return Interval(fmean(values) - half, fmean(values) + half)


def summarize(episodes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Figures over episodes (JSON data as in `episodes.jsonl`, read once).

    Returns:
        JSON data: `episodes`, `graded`, `failed` (number by boundary), `success_rate` and its `success_interval`,
        `tests_passed` (mean share), `similarity` (mean) and its `similarity_interval`, `turns` (mean), `usage` (sums by
        party),
        `seconds_per_episode` (mean duration, of which many may run at a time), and `failed_share`. A mean over nothing
        is None.
    """
    total = graded = successes = turns = 0
    share_passed = seconds = 0.0
    with_tests = 0
    similarities: list[float] = []
    tokens: dict[str, Counter[str]] = {}
    failed: Counter[str] = Counter()
    for episode in episodes:
        total += 1
        seconds += episode["timings"]["total_s"]
        for party, counts in episode["usage"].items():
            tokens.setdefault(party, Counter()).update(counts)
        if episode["status"] == "failed":
            failed[episode["error"]["boundary"]] += 1
            continue
        graded += 1
        grade = episode["grade"]
        successes += grade["success"]
        turns += sum(message["role"] == "assistant" for message in episode["messages"])
        if grade["tests_total"] is not None:
            with_tests += 1
            share_passed += grade["tests_passed"] / grade["tests_total"]
        if grade["similarity"] is not None:
            similarities.append(grade["similarity"])
    interval = wilson(successes, graded)
    similarity_interval = mean_interval(similarities)
    return {
        "episodes": total,
        "graded": graded,
        "failed": dict(failed),
        "failed_share": _mean(total - graded, total),
        "success_rate": _mean(successes, graded),
        "success_interval": None if interval is None else list(interval),
        "tests_passed": _mean(share_passed, with_tests),
        "similarity": fmean(similarities) if similarities else None,
        "similarity_interval": None if similarity_interval is None else list(similarity_interval),
        "turns": _mean(turns, graded),
        "usage": {party: dict(counts) for party, counts in tokens.items()},
        "seconds_per_episode": _mean(seconds, total),
    }


def _mean(total: float, number: float) -> float | None:
    return total / number if number else None
