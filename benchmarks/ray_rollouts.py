"""What it costs to play through Ray on one machine.

    python benchmarks/ray_rollouts.py [--episodes 2000] [--rounds 5] [--workers 2]

The same run (embedded Backend, `scripted:ask`, nothing but processor time) by the local engine at its default
concurrency and by a Ray cluster of `--workers` workers, which is started for it. Both engines play in turns, `--rounds`
times a part of the episodes each, and store them as `colbench collect` does. The ratio is taken between neighbours, so
that a machine that slows down slows both. What starting takes is reported apart: the first episodes of each engine,
with processes, sandboxes and tasks, are not timed with the others.

The last line is one JSON object; `ray_vs_local` is the median over the rounds of episodes a second by Ray, relative to
the local engine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from colbench_gym.rollouts import EpisodeStore, Run, RunConfig
from colbench_gym.rollouts.collect import CONCURRENCY
from colbench_gym.rollouts.engine import Engine, LocalEngine
from colbench_gym.rollouts.playing import Item
from colbench_gym.rollouts.ray import RayEngine

WARM_UP = 100


def play(engine: Engine, items: Sequence[Item], store: EpisodeStore) -> float:
    """Seconds from the first item given to the last episode stored."""
    began = time.perf_counter()
    left = iter(items)
    while True:
        while engine.room and (item := next(left, None)) is not None:
            engine.submit(item)
        if not engine.outstanding:
            return time.perf_counter() - began
        for episode in engine.finished(timeout=1.0):
            assert episode.status == "ok", episode.error
            store.append(episode)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=2000, help="of each engine, after the first ones")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()

    run = Run(RunConfig("ColBench-Backend-v0", "scripted:ask"))
    items = [Item(run.tasks.id_at(index), 0) for index in range(WARM_UP + chosen.episodes)]
    size = chosen.episodes // chosen.rounds
    rates: dict[str, list[float]] = {"local": [], "ray": []}
    with tempfile.TemporaryDirectory() as folder:
        stores = {name: EpisodeStore(Path(folder) / name, {}) for name in rates}
        local = LocalEngine(run, concurrency=CONCURRENCY)
        play(local, items[:WARM_UP], stores["local"])
        began = time.perf_counter()
        ray = RayEngine(run, workers=chosen.workers, concurrency=CONCURRENCY)
        cluster_s = time.perf_counter() - began
        first_s = play(ray, items[:WARM_UP], stores["ray"])
        print(f"Ray: {cluster_s:.1f} s until there is a cluster, {first_s:.1f} s more for the first {WARM_UP} episodes")
        for number in range(chosen.rounds):
            part = items[WARM_UP + number * size :][:size]
            for name, engine in (("local", local), ("ray", ray)):
                rates[name].append(size / play(engine, part, stores[name]))
            print(f"round {number + 1}: " + ", ".join(f"{name} {found[-1]:.1f}/s" for name, found in rates.items()))
        ray.close()
        local.close()
        for store in stores.values():
            store.close()
    ratios = [by_ray / by_local for by_ray, by_local in zip(rates["ray"], rates["local"], strict=True)]
    print(
        json.dumps(
            {
                "ray_vs_local": round(statistics.median(ratios), 3),
                "rounds": [round(ratio, 3) for ratio in ratios],
                "episodes_per_second": {name: round(statistics.median(found), 1) for name, found in rates.items()},
                "workers": chosen.workers,
                "cluster_s": round(cluster_s, 1),
                "first_episodes_s": round(first_s, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
