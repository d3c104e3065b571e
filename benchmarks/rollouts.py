"""How fast runs are, where it matters: waiting for a slow server, and doing without one.

    python benchmarks/rollouts.py [--episodes 256] [--concurrency 32]

Latency-bound: a stub chat server (a process of its own) that answers after a delay with a heavy tail: log-normal with
a median of 100 ms, and 3 s for 2% of the requests. The delay and the words depend on the request alone. Three ways to
play the same episodes, with the same agent (`chat:`) and user (`rules`) and as many episodes at a time:

- ours: `collect`;
- lock-step: what the official script does: all environments of a batch step together, each step as slow as its slowest
  request, and the next batch begins when the last episode of this one is over;
- ideal: no run, but the schedule of ours with the delays that the server recorded, and nothing else that takes time.

CPU-bound: embedded tasks and a scripted agent, against a bare loop over one Gymnasium environment with the same agent.

The last line is JSON: `vs_lockstep`, `of_ideal` (1 is best), `vs_bare_loop`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import heapq
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import gymnasium as gym

from colbench_gym.rollouts import RunConfig, collect, make_agent, read_episodes

MEDIAN_SECONDS, SPREAD = 0.1, 0.3
SLOW_SECONDS, SLOW_SHARE = 3.0, 0.02
TASKS = "embedded-backend:test"


# --- the server


async def serve() -> None:
    """Serves until standard input closes; says its port first. `GET /log` gives all delays, by the dialogue's start."""
    delays: dict[str, list[float]] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
                body = await reader.readexactly(int(length[1]) if length else 0)
                if head.startswith("GET"):
                    reply = json.dumps(delays).encode()
                else:
                    reply = await completion(body)
                head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n"
                writer.write(head.encode())
                writer.write(reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            writer.close()

    async def completion(body: bytes) -> bytes:
        messages = json.loads(body)["messages"][1:]
        opening, turn = messages[0]["content"], len(messages) // 2
        draw = random.Random(hashlib.sha256(f"{opening}/{turn}".encode()).digest())
        delay = MEDIAN_SECONDS * draw.lognormvariate(0.0, SPREAD)
        if draw.random() < SLOW_SHARE:
            delay = SLOW_SECONDS
        delays.setdefault(opening, []).append(delay)
        await asyncio.sleep(delay)
        turns = 2 + random.Random(opening).randrange(8)
        text = "What should I know about rounding?" if turn < turns else "I WANT TO ANSWER:\nlambda: None"
        message = {"role": "assistant", "content": text}
        return json.dumps(
            {
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 10},
            }
        ).encode()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def server() -> Iterator[str]:
    """Its address, up to and including `/v1`."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.stdin.close()


def recorded_delays(url: str) -> dict[str, list[float]]:
    from urllib.request import ProxyHandler, build_opener

    with build_opener(ProxyHandler({})).open(url.removesuffix("/v1") + "/log") as answered:
        return json.load(answered)


# --- waiting for a server


def ours(url: str, episodes: int, concurrency: int, folder: Path) -> tuple[float, list[str]]:
    """Seconds, and the episodes by their first message, in the order in which they were begun."""
    config = RunConfig("ColBench-Backend-v0", f"chat:stub@{url}", tasks=TASKS)
    agent = make_agent(config.agent)
    began = time.perf_counter()
    collect(config, folder, episodes=episodes, concurrency=concurrency, agent=agent)
    seconds = time.perf_counter() - began
    records = sorted(read_episodes(folder), key=lambda record: record["key"]["task_id"])
    assert all(record["status"] == "ok" for record in records), "the stub server failed"
    return seconds, [record["messages"][0]["content"] for record in records]


def lockstep(url: str, episodes: int, concurrency: int) -> float:
    """Seconds for the same episodes, in batches whose environments step together."""
    agent = make_agent(f"chat:stub@{url}")
    envs = [gym.make("ColBench-Backend-v0", tasks=TASKS) for _ in range(concurrency)]
    began = time.perf_counter()
    with ThreadPoolExecutor(concurrency) as pool:
        for first in range(0, episodes, concurrency):
            batch = envs[: min(concurrency, episodes - first)]
            infos = [
                env.reset(options={"task_id": f"{TASKS}/{first + place:05d}"})[1] for place, env in enumerate(batch)
            ]
            live = list(range(len(batch)))
            while live:
                replies = list(pool.map(agent.act, [infos[slot]["messages"] for slot in live]))
                over = []
                for slot, reply in zip(live, replies, strict=True):
                    _, _, terminated, _, infos[slot] = batch[slot].step(reply.text)
                    over += [slot] * terminated
                live = [slot for slot in live if slot not in over]
    return time.perf_counter() - began


def ideal(durations: list[float], concurrency: int) -> float:
    """Seconds for episodes of these durations, begun in this order as soon as one of the places is free."""
    free = [0.0] * concurrency
    for duration in durations:
        heapq.heapreplace(free, free[0] + duration)
    return max(free)


# --- doing without one


def bare_loop(agent_spec: str, episodes: int) -> float:
    """Episodes a second of one environment and a loop, nothing recorded."""
    agent = make_agent(agent_spec)
    env = gym.make("ColBench-Backend-v0", tasks=TASKS, disable_env_checker=True)
    began = time.perf_counter()
    for number in range(episodes):
        _, info = env.reset(options={"task_id": f"{TASKS}/{number:05d}"})
        over = False
        while not over:
            _, _, over, _, info = env.step(agent.act(info["messages"]).text)
    return episodes / (time.perf_counter() - began)


def whole_run(agent_spec: str, episodes: int, folder: Path) -> float:
    """Episodes a second of `collect`, every one recorded."""
    began = time.perf_counter()
    collect(RunConfig("ColBench-Backend-v0", agent_spec, tasks=TASKS), folder, episodes=episodes)
    return episodes / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=256)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--cpu-episodes", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        whole_run("scripted:guess", 2, folder / "warm")
        ours_shares, runs = [], []
        for number in range(options.rounds):
            with server() as url:
                seconds, begun = ours(url, options.episodes, options.concurrency, folder / f"ours{number}")
                delays = recorded_delays(url)
            best = ideal([sum(delays[opening]) for opening in begun], options.concurrency)
            requests = sum(map(len, delays.values()))
            print(f"ours      {seconds:7.2f} s  {requests} requests, {requests / seconds:.0f}/s; ideal {best:.2f} s")
            ours_shares.append(best / seconds)
            runs.append(seconds)
        with server() as url:
            stepped = lockstep(url, options.episodes, options.concurrency)
        print(f"lock-step {stepped:7.2f} s")
        agent = "scripted:ask?questions=3"
        bare, ran = [], []
        for number in range(options.rounds):
            bare.append(bare_loop(agent, options.cpu_episodes))
            ran.append(whole_run(agent, options.cpu_episodes, folder / f"cpu{number}"))
            print(f"CPU-bound: bare loop {bare[-1]:6.1f} episodes/s, collect {ran[-1]:6.1f} episodes/s")
    result = {
        "episodes": options.episodes,
        "concurrency": options.concurrency,
        "vs_lockstep": round(stepped / statistics.median(runs), 2),
        "of_ideal": round(statistics.median(ours_shares), 3),
        "vs_bare_loop": round(statistics.median(ran) / statistics.median(bare), 2),
        "episodes_per_second": round(statistics.median(ran), 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
