"""Nothing lost, nothing twice: a run that is killed again and again, compared with one that is left alone.

    python benchmarks/killed_run.py [--episodes 10000] [--kills 10] [--agent SPEC] [OPTIONS OF colbench collect ...]

Starts `colbench collect`, kills it (SIGKILL, the whole process and nothing else) at a seeded random share of the way,
starts the same command at once again, and so on; then lets it finish, plays the same run uninterrupted into another
directory, and compares the two: each episode there once, and equal byte for byte, timings aside. The last line is JSON:
`episodes`, `kills`, `lines`, `torn`, `equal`. Exit code 1 if they differ.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from colbench_gym.rollouts import read_episodes


def lines_in(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def comparable(directory: Path) -> dict[str, str]:
    """Episode -> its canonical JSON without timings."""
    found: dict[str, str] = {}
    for record in read_episodes(directory):
        del record["timings"]
        found[json.dumps(record["key"], sort_keys=True)] = json.dumps(record, sort_keys=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--agent", default="scripted:ask?questions=3")
    parser.add_argument("--seed", type=int, default=0)
    options, further = parser.parse_known_args()
    command = [sys.executable, "-m", "colbench_gym.cli", "collect", "--agent", options.agent]
    command += ["--episodes", str(options.episodes), *further, "--out"]
    draw = random.Random(options.seed)
    targets = sorted(draw.randrange(options.episodes) for _ in range(options.kills))
    with tempfile.TemporaryDirectory() as temporary:
        killed, straight = Path(temporary) / "killed", Path(temporary) / "straight"
        for target in targets:
            process = subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while lines_in(killed / "episodes.jsonl") <= target and process.poll() is None:
                time.sleep(draw.uniform(0.0, 0.05))
            process.kill()
            process.wait()
            print(f"killed at {lines_in(killed / 'episodes.jsonl'):6d} episodes", flush=True)
        for directory in (killed, straight):
            began = time.perf_counter()
            subprocess.run([*command, str(directory)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            print(f"{directory.name} to its end: {time.perf_counter() - began:.1f} s", flush=True)
        first, second = comparable(killed), comparable(straight)
        torn = killed / "episodes.torn"
        result = {
            "episodes": len(first),
            "kills": options.kills,
            "lines": lines_in(killed / "episodes.jsonl"),
            "torn": lines_in(torn),
            "equal": first == second and len(first) == options.episodes,
        }
    print(json.dumps(result))
    return 0 if result["equal"] and result["lines"] == options.episodes else 1


if __name__ == "__main__":
    sys.exit(main())
