"""One suite of attacks that every isolation has to withstand on the machine it runs on.

`colbench doctor` runs it, the tests run it in every mode, and it decides whether an architecture counts as proven.
The attacks are in `attacks.py`. Honest jobs run beside, before and after each of them, in the same zygote, and must
stay right. The suite may be run with `unsafe` as well, which shows that the attacks are real.

`python -m colbench_gym.grading.sandbox.selfcheck [ISOLATION] [--unproven-machine]` prints the result.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Literal, NamedTuple

from colbench_gym.errors import ColbenchError
from colbench_gym.grading.sandbox.attacks import Attack, Stage
from colbench_gym.grading.sandbox.host import Sandbox
from colbench_gym.grading.sandbox.wire import Job, Outcome

_SECONDS = 0.5


class Check(NamedTuple):
    """The result of one check. `detail` says what was seen."""

    name: str
    ok: bool
    detail: str


class Feature(NamedTuple):
    """Something honest code does: `feature()` must return True."""

    name: str
    source: str


HONEST = """
import json
def feature():
    return json.loads("[1, 2]") == [1, 2] and sum([1, 2]) == 3 and len("abc") == 3 and sorted({3, 1}) == [1, 3]
"""

FEATURES = (
    Feature("plain code", HONEST),
    Feature(
        "modules loaded late",
        """
def feature():
    import calendar, csv, difflib, textwrap, uuid
    return True
""",
    ),
    Feature(
        "extension modules loaded late",
        """
def feature():
    import sqlite3, unicodedata, zlib
    return sqlite3.connect(":memory:").execute("select 1").fetchone() == (1,)
""",
    ),
    Feature(
        "recursion",
        """
def sum_to(n): return n and n + sum_to(n - 1)
def feature(): return sum_to(900) == 405450
""",
    ),
    Feature(
        "coroutines",
        """
import asyncio
async def later():
    await asyncio.sleep(0)
    return True
def feature(): return asyncio.run(later())
""",
    ),
    Feature(
        "dates and random numbers",
        """
import datetime, random
def feature():
    day = datetime.datetime.strptime("2024-02-29", "%Y-%m-%d")
    return day.day == 29 and 0 <= random.random() < 1
""",
    ),
    Feature("memory", "def feature(): return len(bytearray(100 << 20)) == 100 << 20"),
    Feature("printing", "def feature(): return print('x' * 100_000) is None"),
)


def run_selfcheck(isolation: str = "auto", *, unproven_machine: bool = False) -> list[Check]:
    """Run the whole suite behind `isolation`; takes some ten seconds, most of them waiting for things that hang.

    Raises:
        IsolationUnavailable: `isolation` does not start here.
        ConfigError: there is no such isolation.
    """
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(isolation, unproven_machine=unproven_machine))
        stage = Stage(stack)
        checks = [check_feature(sandbox, feature) for feature in FEATURES]
        checks += [check_attack(sandbox, attack) for attack in stage.attacks()]
    return checks


def _job(source: str, call: Literal["attack()", "feature()", "True"]) -> Job:
    return Job("strict", source, ((0, compile(call, "<selfcheck>", "eval")),), _SECONDS)


def check_feature(sandbox: Sandbox, feature: Feature) -> Check:
    """Run honest code that uses a feature."""
    truth, outcome = (result[0] for result in sandbox.run([_job("", "True"), _job(feature.source, "feature()")]))
    return Check(feature.name, outcome == truth and truth.kind == "value", _shown(outcome))


def check_attack(sandbox: Sandbox, attack: Attack) -> Check:
    """Run an attack with honest jobs before, beside and after it. Ok if it got nothing and they all stayed right."""
    honest = _job(HONEST, "feature()")
    jobs = [_job("", "True"), honest]
    for step in attack.programs:
        jobs += [_job(step, "attack()"), honest]
    truth, *rest = (outcomes[0] for outcomes in sandbox.run(jobs))
    # The attack is over now, but what it started may not be.
    after = sandbox.run([honest, honest])
    bystanders = rest[::2] + [outcomes[0] for outcomes in after]
    attempts: Sequence[Outcome] = rest[1::2]
    detail = _shown(attempts[-1])
    if truth.kind != "value":
        return Check(attack.name, False, f"an honest job failed: {_shown(truth)}")
    wrong = [outcome for outcome in bystanders if outcome != truth]
    if wrong:
        return Check(attack.name, False, f"an honest job beside it failed: {_shown(wrong[0])}; the attack: {detail}")
    return Check(attack.name, truth not in attempts, detail)


def _shown(outcome: Outcome) -> str:
    text = outcome.data[:120].replace(b"\0", b": ").decode("utf-8", "replace")
    return f"{outcome.kind} {text}".strip()


def main(arguments: Sequence[str]) -> int:
    """Print the suite's result. Returns the exit code: 0 if all is well."""
    names = [argument for argument in arguments if not argument.startswith("-")]
    try:
        checks = run_selfcheck(names[0] if names else "auto", unproven_machine="--unproven-machine" in arguments)
    except ColbenchError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    for check in checks:
        sys.stdout.write(f"{'ok    ' if check.ok else 'FAILED'}  {check.name}: {check.detail}\n")
    failed = sum(not check.ok for check in checks)
    sys.stdout.write(f"{len(checks) - failed} of {len(checks)} checks passed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
