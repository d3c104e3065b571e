"""Does it pay to listen? Similarity to the wanted page after each turn, for an agent that does and one that does not.

    python benchmarks/frontend_user.py [TASKS ...] [--tasks N] [--similarity visual] [--turns 10]

TASKS are task files in the official format or names of task sets (default: embedded-frontend:test); N tasks are taken
from each, evenly spread. Both agents talk with the user `rules`: `scripted:follow` changes its page by the user's
words alone, `scripted:generic` proposes its first page again and again. Prints mean similarity after each turn, and the
share of the way from the first page to 1 that was gone. The last line is JSON: for each TASKS `follow` and `generic`
(a mean for each turn), `gone`, `reply_ms` (median, a new page's rendering included), `characters` (mean of a reply).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from typing import Any

from colbench_gym.errors import ColbenchError
from colbench_gym.grading.pages import PageGrader
from colbench_gym.protocol import MAX_TURNS, snippet_in
from colbench_gym.rollouts import make_agent
from colbench_gym.simulators import make_user
from colbench_gym.tasks import load_tasks
from colbench_gym.types import Agent, Message, Task, User

AGENTS = ("follow", "generic")


def main() -> int:
    """Runs the benchmark; 0 done, 1 the user, the grader or a file failed."""
    parser = argparse.ArgumentParser(description="Similarity after each turn with the rule-based Frontend user.")
    parser.add_argument("sets", metavar="TASKS", nargs="*", default=["embedded-frontend:test"])
    parser.add_argument("--tasks", type=int, default=30, metavar="N", help="so many of each (default: 30)")
    parser.add_argument("--turns", type=int, default=MAX_TURNS, metavar="N", help="of an episode (default: 10)")
    parser.add_argument("--similarity", default="visual", metavar="NAME", help="the measure (default: visual)")
    parser.add_argument("--worst", type=int, default=3, metavar="N", help="name so many tasks that came least far")
    arguments = parser.parse_args()
    try:
        return _run(arguments)
    except ColbenchError as error:
        print(error, file=sys.stderr)
        return 1


def _run(arguments: argparse.Namespace) -> int:
    grader = PageGrader(arguments.similarity, geometry="default", renderer="chromium", profile="strict")
    user = make_user("rules", domain="frontend")
    results: dict[str, Any] = {}
    for name in arguments.sets:
        tasks = load_tasks(name)
        step = max(len(tasks) // arguments.tasks, 1)
        chosen = [tasks[index] for index in range(0, len(tasks), step)][: arguments.tasks]
        seconds: list[float] = []
        lengths: list[int] = []
        curves: dict[str, list[list[float]]] = {kind: [] for kind in AGENTS}
        for task in chosen:
            for kind in AGENTS:
                agent = make_agent(f"scripted:{kind}?turns={arguments.turns}", domain="frontend")
                assert isinstance(agent, Agent)
                pages = _pages(task, agent, user, arguments.turns, seconds, lengths)
                curves[kind].append(_similarities(task, pages, grader))
        means = {
            kind: [statistics.fmean(column) for column in zip(*rows, strict=True)] for kind, rows in curves.items()
        }
        first, last = means["follow"][0], means["follow"][-1]
        gone = (last - first) / (1 - first)
        results[name] = {
            **{kind: [round(value, 4) for value in row] for kind, row in means.items()},
            "gone": round(gone, 3),
            "reply_ms": round(1000 * statistics.median(seconds), 1),
            "characters": round(statistics.fmean(lengths)),
        }
        print(f"{name}: {len(chosen)} tasks, {arguments.similarity}")
        print(f"{'turn':>8} " + " ".join(f"{turn:>6}" for turn in range(1, arguments.turns + 1)))
        for kind, row in means.items():
            print(f"{kind:>8} " + " ".join(f"{value:6.3f}" for value in row))
        print(f"{gone:.0%} of the way from the first page to 1; {results[name]['reply_ms']} ms a reply")
        ends = sorted((rows[-1], task.id) for rows, task in zip(curves["follow"], chosen, strict=True))
        print("came least far: " + ", ".join(f"{task_id} {value:.3f}" for value, task_id in ends[: arguments.worst]))
        print(flush=True)
    print(json.dumps(results))
    return 0


def _pages(
    task: Task, agent: Agent, user: User, turns: int, seconds: list[float], lengths: list[int]
) -> list[str | None]:
    """The page of each turn."""
    messages: list[Message] = [{"role": "user", "content": task.description}]
    pages: list[str | None] = []
    for turn in range(turns):
        text = agent.act(messages).text
        messages.append({"role": "assistant", "content": text})
        pages.append(snippet_in(text))
        if turn < turns - 1:
            start = time.perf_counter()
            reply = user.reply(task, messages)
            if len(pages) < 2 or pages[-1] != pages[-2]:
                seconds.append(time.perf_counter() - start)
            lengths.append(len(reply))
            messages.append({"role": "user", "content": reply})
    return pages


def _similarities(task: Task, pages: list[str | None], grader: PageGrader) -> list[float]:
    distinct = list(dict.fromkeys(pages))
    grades = grader.grade_many((task, page) for page in distinct)
    found = {page: grade.reward for page, grade in zip(distinct, grades, strict=True)}
    return [found[page] for page in pages]


if __name__ == "__main__":
    sys.exit(main())
