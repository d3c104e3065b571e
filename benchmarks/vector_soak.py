"""Whether the vector environment leaks: many steps of ColBench-Backend-v0, and what the process holds meanwhile.

    python benchmarks/vector_soak.py [--steps 50000] [--num-envs 64] [--seed 0]

Every slot asks and answers at random, a quarter of the answers being right. A table tells the resident memory of this
process and of its children (the sandbox), threads and open files every tenth of the steps. The last line is one JSON
object: `rss_growth_mib` and `children_growth_mib` over the second half, by when the caches of tasks are full (the least
of the last two samples over the least of the first two: a child just forked counts as much as the one it came from),
and `threads`, `fds` and `children`: how many more there are after `close()` than before the environment was made.

glibc keeps much of what a thread frees for that thread, which with 64 threads adds some 30 MiB in the course of 150,000
steps. To tell that from a leak, the script starts itself again with these caches off.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from random import Random
from typing import cast

import gymnasium as gym
import psutil

from colbench_gym.types import Task
from colbench_gym.vector import ThreadedVectorEnv

WITHOUT_CACHES = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "MALLOC_ARENA_MAX": "1"}
QUESTIONS = (
    "How should the result be rounded?",
    "What happens with an empty list?",
    "Is there a limit, and is it inclusive?",
    "How are ties broken?",
    "Which discount applies, and from which amount on?",
    "I'd sort by date first. OUTPUT: Should names be compared without regard to case?",
    "Anything else that I should know?",
)
WRONG = ("pass", "def f(*given):\n    return None", "```python\nimport os\nprint(os.getcwd())\n```")


def action(rng: Random, task: Task) -> str:
    if rng.random() < 0.75:
        return rng.choice(QUESTIONS)
    answer = task.reference if rng.random() < 0.25 else rng.choice(WRONG)
    return f"I WANT TO ANSWER:\n{answer}"


def held() -> dict[str, float]:
    me = psutil.Process()
    children = me.children(recursive=True)
    sizes = []
    for child in children:
        try:
            sizes.append(child.memory_info().rss)
        except psutil.NoSuchProcess:  # a sandboxed answer that has just ended
            continue
    return {
        "rss": me.memory_info().rss / 2**20,
        "children_rss": sum(sizes) / 2**20,
        "threads": me.num_threads(),
        "fds": me.num_fds(),
        "children": len(children),
    }


def growth(samples: Sequence[dict[str, float]], name: str) -> float:
    first, last = samples[5:7], samples[8:]
    return round(min(sample[name] for sample in last) - min(sample[name] for sample in first), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=50_000, help="of all slots together")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    rng = Random(options.seed)
    before = held()
    envs = cast(ThreadedVectorEnv, gym.make_vec("ColBench-Backend-v0", num_envs=options.num_envs))
    envs.reset(seed=options.seed)
    steps, episodes, started = 0, 0, time.perf_counter()
    marks = [options.steps * tenth // 10 for tenth in range(1, 11)]
    samples: list[dict[str, float]] = []
    print(f"{'steps':>8} {'episodes':>9} {'RSS MiB':>9} {'children MiB':>13} {'threads':>8} {'fds':>5} {'steps/s':>8}")
    while steps < options.steps:
        actions = [action(rng, task) for task in envs.get_attr("task")]
        _, _, terminated, truncated, infos = envs.step(actions)
        assert not truncated.any(), infos["error"]
        steps += options.num_envs
        episodes += int(terminated.sum())
        if steps >= marks[len(samples)]:
            now = held()
            samples.append(now)
            rate = steps / (time.perf_counter() - started)
            print(
                f"{steps:8} {episodes:9} {now['rss']:9.1f} {now['children_rss']:13.1f} {now['threads']:8.0f} "
                f"{now['fds']:5.0f} {rate:8.0f}",
                flush=True,
            )
    envs.close()
    after = held()
    print(
        json.dumps(
            {
                "steps": steps,
                "episodes": episodes,
                "rss_growth_mib": growth(samples, "rss"),
                "children_growth_mib": growth(samples, "children_rss"),
                **{name: int(after[name] - before[name]) for name in ("threads", "fds", "children")},
            }
        )
    )


if __name__ == "__main__":
    if not WITHOUT_CACHES.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **WITHOUT_CACHES})
    main()
