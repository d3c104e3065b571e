"""How faithful is a simulated user? One direct question for each number and text of each reference.

    python benchmarks/user_recall.py FILE.jsonl [--user rules] [--limit N]

FILE is a task file in the official format or the name of a task set. Prints recall by kind of constant and by
phrasing, code leaks, length and time, quotes the worst twenty replies, and ends with one line of JSON (`recall`,
`code_leaks`, `ms` = median milliseconds a reply, and more).
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from collections.abc import Mapping
from typing import Any

from colbench_gym.errors import ColbenchError
from colbench_gym.evaluation.user_audit import (
    PHRASINGS,
    Answer,
    Phrasing,
    audit_user,
    cost_line,
    plan_questions,
    report_rows,
)
from colbench_gym.simulators import make_user
from colbench_gym.tasks import load_tasks

WORST = 20


def main() -> int:
    """Runs the benchmark; 0 done, 1 the user or the file failed."""
    parser = argparse.ArgumentParser(description="Recall of a simulated user.")
    parser.add_argument("file", metavar="FILE", help="a task file (JSONL) or the name of a task set")
    parser.add_argument("--user", default="rules", metavar="SPEC", help="the user to ask (default: rules)")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N tasks")
    parser.add_argument("--questions", type=int, metavar="N", help="at most N questions a task")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="chooses phrasings and samples (default: 0)")
    parser.add_argument("--phrasings", metavar="FILE.py", help="a Python file that defines PHRASINGS: name -> phrasing")
    parser.add_argument("--phrasing", metavar="NAME", help="only this phrasing, where it suits the constant")
    parser.add_argument("--constants", action="store_true", help="ask embedded tasks for constants, not for details")
    parser.add_argument(
        "--answers", metavar="FILE", help="write every question and reply to this file, one JSON a line"
    )
    arguments = parser.parse_args()
    try:
        return _run(arguments)
    except ColbenchError as error:
        print(error, file=sys.stderr)
        return 1


def _run(arguments: argparse.Namespace) -> int:
    phrasings: Mapping[str, Phrasing] = PHRASINGS
    if arguments.phrasings:
        phrasings = runpy.run_path(arguments.phrasings)["PHRASINGS"]
    if arguments.phrasing:
        phrasings = {arguments.phrasing: phrasings[arguments.phrasing]}
    tasks = load_tasks(arguments.file, limit=arguments.limit)
    user = make_user(arguments.user)
    chosen: dict[str, Any] = {
        "questions_per_task": arguments.questions,
        "seed": arguments.seed,
        "phrasings": phrasings,
        "about": "constants" if arguments.constants else "details",
    }
    print(cost_line(user, len(plan_questions(tasks, **chosen))), flush=True)
    report = audit_user(user, tasks, **chosen)

    print()
    for name, value in report_rows(report):
        print(f"{name:28} {value}")
    for title, groups in (("by kind", report.by_kind), ("by phrasing", report.by_phrasing)):
        print(f"\nrecall {title:21} {'replies':>8} {'recall':>8}")
        for name, (count, share) in groups.items():
            print(f"  {name:26} {count:>8,} {share:>8.1%}")
    worst = report.worst(WORST)
    print(f"\nthe worst {len(worst)}")
    for answer in worst:
        print(f"\n  {answer.question.task_id}: {_fault(answer)}")
        print(f"    asked  {answer.question.text!r}")
        print(f"    reply  {answer.reply!r}")
    if arguments.answers:
        with open(arguments.answers, "w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(answer.to_dict()) + "\n" for answer in report.answers)
    print()
    print(json.dumps(report.to_dict()))
    return 0


def _fault(answer: Answer) -> str:
    kind = answer.question.kind
    if answer.error is not None:
        return f"failed with {answer.error}"
    if answer.code_leaks:
        return f"code ({', '.join(answer.code_leaks)})"
    if answer.wrong_numbers:
        return f"wrong number {', '.join(answer.wrong_numbers)} (asked for the {kind} {answer.missing})"
    if answer.recalled is False:
        return f"{kind} {answer.missing} not said"
    return f"gave away {', '.join(answer.undue)} unasked"


if __name__ == "__main__":
    sys.exit(main())
