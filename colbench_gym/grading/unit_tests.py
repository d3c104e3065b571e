"""Backend grades: how many of a task's calls return what the reference returns.

`grade` and `grade_many` hold the secrets. For each task they compile the tests and learn the reference's values by
running it in the sandbox, once; an answer is then run in a child that is given calls and never a value, and the bytes
that come back are compared here. An answer that is wrong, hostile, hanging or empty is graded, never an error.

Profile `strict` judges by what a programmer expects, profile `official` by what the official grader returns
(docs/protocol.md). In both, a missing result is a failed test.
"""

from __future__ import annotations

import ast
import builtins
import functools
import hashlib
import importlib.util
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType
from typing import Literal, get_args

from colbench_gym import foreign_code
from colbench_gym.errors import ConfigError, GraderError, TaskError
from colbench_gym.grading.extraction import extract_code, plainly_code
from colbench_gym.grading.sandbox import Sandbox, canonical, evaluate, shared_sandbox, wire
from colbench_gym.protocol import official_code
from colbench_gym.types import Grade, Profile, Task

ANSWER_SECONDS = 1.0
"""Wall-clock limit of one test of an answer (the official limit)."""
REFERENCE_SECONDS = 10.0
"""Wall-clock limit of one test of a reference, which the official grader does not limit."""

PACKAGES = frozenset({"numpy", "pandas", "scipy", "bs4"})
"""Third-party packages that code may import, where they are installed. Others raise ModuleNotFoundError in the jail."""

REFUSED_WORDS = (
    "import os",
    "from os",
    "import sys",
    "from sys",
    "sudo",
    "transformers",
    "exit(",
    "quit(",
    "argparse",
)
"""An answer that contains one of these anywhere scores 0 under `official`."""

CACHED_TASKS = 4096
"""How many tasks' compiled tests and expected values are kept."""
_CHUNK = 64
"""How many answers `grade_many` sends to the sandbox at a time."""
_PLAIN_BYTES = 64
"""Longer expected values are kept as their hash."""
MAX_MESSAGE = 200
MAX_EXCEPTION = 60

_IMPORTED_PACKAGE = re.compile(rf"\b(?:import|from)\s+({'|'.join(sorted(PACKAGES))})\b")
# What a reference may read from outside: its values then hold for the moment only and are not kept.
_READS_THE_CLOCK = re.compile(r"\b(?:now|today|utcnow|time|localtime|gmtime|monotonic|perf_counter|uuid[14])\s*\(")
_NONE = canonical.encode(None)
_MEND_REFERENCE = "repair the reference, or leave the task out"


def grade(task: Task, answer: str | None, *, profile: Profile = "strict", isolation: str = "auto") -> Grade:
    """What `answer` is worth on a backend task.

    Args:
        task: with `tests`.
        answer: raw text after the answer marker, fences and prose included; None if none was given.
        profile: `strict` or `official`.
        isolation: `auto`, a mode of the sandbox, or `unsafe` (a plain subprocess).

    Raises:
        TaskError: `strict` cannot judge by this task: a test is no expression, or the reference gives it no value
            (it does not compile, needs a package that is not installed, takes too long, raises in every test, or
            returns something that cannot be compared, such as a lambda).
        GraderError: the task is a frontend task.
        IsolationUnavailable: this machine cannot isolate the answer the way that was asked for.
    """
    return next(iter(grade_many([(task, answer)], profile=profile, isolation=isolation)))


def grade_many(
    pairs: Iterable[tuple[Task, str | None]],
    *,
    profile: Profile = "strict",
    isolation: str = "auto",
    in_flight: int = 2,
) -> Iterator[Grade]:
    """Grades in the order of `pairs`, with `in_flight` answers running at a time.

    `pairs` is read 64 at a time. Raises what `grade` raises, at the position of the pair it is about: the grades of
    earlier pairs have been delivered by then.
    """
    for result in grades_or_errors(pairs, profile=profile, isolation=isolation, in_flight=in_flight):
        if isinstance(result, TaskError):
            raise result
        yield result


def grades_or_errors(
    pairs: Iterable[tuple[Task, str | None]],
    *,
    profile: Profile = "strict",
    isolation: str = "auto",
    in_flight: int = 2,
) -> Iterator[Grade | TaskError]:
    """As `grade_many`, but a task that cannot be judged by yields its error and the rest goes on."""
    if profile not in get_args(Profile):
        raise ConfigError(f"unknown grade profile {profile!r}. Mend: use one of {', '.join(get_args(Profile))}.")
    remaining = iter(pairs)
    while chunk := list(islice(remaining, _CHUNK)):
        yield from _Chunk(chunk, profile, isolation, in_flight).grades()


# --- tasks: compiled tests and expected values


@dataclass(frozen=True, slots=True)
class _Test:
    """One call. `literal` is set for `call == literal`: then `code` is the call alone.

    A child that saw the literal could return it, and `return None` would pass where the literal is wrong.
    """

    name: str
    code: CodeType | None
    literal: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the reference did in one test: `value` (the bytes, or their hash) or `raised` (the exception's type).

    Kind `none` stands for what no answer can match.
    """

    kind: Literal["value", "raised", "none"]
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class _Unusable:
    """Why a task cannot be judged by. Tasks of equal content share it, so it names none of them."""

    test: str
    what: str
    mend: str

    def error(self, task: Task) -> TaskError:
        return TaskError(f"task {task.id!r}, test {self.test!r}: {self.what}. Mend: {self.mend}.")


@dataclass(slots=True)
class _PreparedTask:
    """A task as the grader works on it.

    Attributes:
        tests: compiled; a test that does not compile has no code.
        calls: index and code of the tests that have code, as a job wants them.
        names: what the tests use apart from built-ins.
        packages: third-party packages that the reference imports.
        keep: whether expected values stay true after this moment.
        expected: by profile; one for each test.
    """

    tests: tuple[_Test, ...]
    calls: tuple[tuple[int, CodeType], ...]
    names: frozenset[str]
    packages: frozenset[str]
    keep: bool
    expected: dict[Profile, tuple[_Expected, ...] | _Unusable] = field(default_factory=dict)


_cache: OrderedDict[bytes, _PreparedTask] = OrderedDict()
_cache_lock = threading.Lock()


def _prepared(task: Task) -> _PreparedTask:
    """The task's compiled tests and what is known of its expected values, from a bounded cache."""
    if task.domain != "backend" or task.tests is None:
        raise GraderError(
            f"task {task.id!r} is a {task.domain} task without unit tests, and only backend tasks can be graded by "
            "this version. Mend: grade a backend task."
        )
    digest = hashlib.sha256(task.reference.encode("utf-8", "surrogatepass"))
    for name, expression in task.tests.items():
        digest.update(f"\0{name}\0{expression}".encode("utf-8", "surrogatepass"))
    key = digest.digest()
    with _cache_lock:
        known = _cache.get(key)
        if known is not None:
            _cache.move_to_end(key)
            return known
    prepared = _prepare(task.reference, task.tests)
    with _cache_lock:
        _cache[key] = prepared
        while len(_cache) > CACHED_TASKS:
            _cache.popitem(last=False)
    return prepared


def clear_cache() -> None:
    """Forget every compiled test and expected value."""
    with _cache_lock:
        _cache.clear()


def _prepare(reference: str, tests: Mapping[str, str]) -> _PreparedTask:
    compiled = []
    names: set[str] = set()
    for name, expression in tests.items():
        text = expression.lstrip(" \t")
        try:
            tree = foreign_code.parse(text, "eval")
            judged, literal = _judged_side(tree)
            # The file name carries the text: a name that the official grader's scope shows (see evaluate.py).
            code = compile(ast.Expression(judged), text, "eval", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # not an expression
            compiled.append(_Test(name, None))
            continue
        names.update(node.id for node in ast.walk(judged) if isinstance(node, ast.Name))
        compiled.append(_Test(name, code, literal))
    return _PreparedTask(
        tests=tuple(compiled),
        calls=tuple((index, test.code) for index, test in enumerate(compiled) if test.code is not None),
        names=frozenset(names - vars(builtins).keys()),
        packages=_packages(reference),
        keep=not _READS_THE_CLOCK.search(reference),
    )


def _judged_side(tree: ast.Expression) -> tuple[ast.expr, bytes | None]:
    """The part of a test that is evaluated in the child, and the literal it is compared with, if it is."""
    body = tree.body
    if isinstance(body, ast.Compare) and len(body.ops) == 1 and isinstance(body.ops[0], ast.Eq):
        for call, other in ((body.left, body.comparators[0]), (body.comparators[0], body.left)):
            try:
                literal = canonical.encode_official(ast.literal_eval(other))
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, canonical.Unencodable):
                continue  # computed: it says nothing by itself
            if any(isinstance(node, ast.Call) for node in ast.walk(call)):
                return call, literal
    return body, None


@functools.cache
def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _packages(source: str) -> frozenset[str]:
    """The third-party packages among `PACKAGES` that `source` imports and that are installed."""
    return frozenset(filter(_installed, _IMPORTED_PACKAGE.findall(source)))


def _shortened(value: bytes) -> bytes:
    return value if len(value) <= _PLAIN_BYTES else b"#" + hashlib.sha256(value).digest()


# --- one chunk of answers


@dataclass(slots=True)
class _Attempt:
    """One answer on its way through the sandbox."""

    task: Task
    answer: str | None
    prepared: _PreparedTask
    source: str | None = None
    outcomes: dict[int, wire.Outcome] = field(default_factory=dict)
    note: str | None = None


class _Chunk:
    """Grades up to `_CHUNK` answers: the references that are not known yet and the answers run side by side."""

    def __init__(
        self, pairs: Sequence[tuple[Task, str | None]], profile: Profile, isolation: str, in_flight: int
    ) -> None:
        self.profile: Profile = profile
        self.isolation = isolation
        self.in_flight = in_flight
        self.sandbox = shared_sandbox(isolation)
        self.attempts = [_Attempt(task, answer, _prepared(task)) for task, answer in pairs]
        # Held here as well as in the cache: what holds for the moment only is not put there.
        self.expected: dict[int, tuple[_Expected, ...] | _Unusable] = {}

    def grades(self) -> Iterator[Grade | TaskError]:
        jobs: list[tuple[_PreparedTask | _Attempt, frozenset[str], wire.Job]] = []
        for attempt in self.attempts:
            prepared = attempt.prepared
            known = prepared.expected.get(self.profile)
            if known is not None:
                self.expected[id(prepared)] = known
            elif id(prepared) not in self.expected:
                self.expected[id(prepared)] = ()
                jobs.append((prepared, prepared.packages, self._reference_job(attempt.task, prepared)))
            if self._choose_source(attempt):
                jobs.append((attempt, *self._answer_job(attempt)))
        again = []
        for (owner, _, job), outcomes in zip(jobs, self._run([job[1:] for job in jobs]), strict=True):
            if isinstance(owner, _Attempt):
                owner.outcomes = outcomes
                if self._search_further(owner, job):
                    again.append(owner)
            else:
                expected = self._expect(owner, outcomes)
                self.expected[id(owner)] = expected
                if owner.keep:
                    owner.expected[self.profile] = expected
        for attempt, outcomes in zip(again, self._run([self._answer_job(attempt) for attempt in again]), strict=True):
            attempt.outcomes = outcomes
        for attempt in self.attempts:
            expected = self.expected[id(attempt.prepared)]
            if isinstance(expected, _Unusable):
                yield expected.error(attempt.task)
            else:
                yield self._grade(attempt, expected)

    def _run(self, jobs: Sequence[tuple[frozenset[str], wire.Job]]) -> list[dict[int, wire.Outcome]]:
        """Outcomes of the jobs, in order; each runs in a sandbox that holds the packages it needs."""
        results: list[dict[int, wire.Outcome]] = [{}] * len(jobs)
        by_packages: dict[frozenset[str], list[int]] = {}
        for position, (packages, _) in enumerate(jobs):
            by_packages.setdefault(packages, []).append(position)
        for packages, positions in by_packages.items():
            sandbox: Sandbox = self.sandbox if not packages else shared_sandbox(self.isolation, packages)
            outcomes = sandbox.run([jobs[position][1] for position in positions], in_flight=self.in_flight)
            for position, outcome in zip(positions, outcomes, strict=True):
                results[position] = outcome
        return results

    # --- references

    def _reference_job(self, task: Task, prepared: _PreparedTask) -> wire.Job:
        return wire.Job(self.profile, task.reference, prepared.calls, REFERENCE_SECONDS)

    def _expect(
        self, prepared: _PreparedTask, outcomes: Mapping[int, wire.Outcome]
    ) -> tuple[_Expected, ...] | _Unusable:
        """What answers will be compared with, from what the reference did."""
        if self.profile == "official":
            return tuple(_official_expected(test, outcomes.get(index)) for index, test in enumerate(prepared.tests))
        expected = []
        for index, test in enumerate(prepared.tests):
            if test.code is None:
                return _Unusable(test.name, "is no Python expression", "a test is one call, such as f(1, 2)")
            outcome = outcomes.get(index, wire.Outcome("lost"))
            exception, message = _fields(outcome.data)
            if outcome.kind == "value":
                expected.append(_Expected("value", _shortened(outcome.data)))
            elif outcome.kind == "raised" and exception != "ModuleNotFoundError":
                expected.append(_Expected("raised", exception.encode()))
            else:
                what = f"the reference gives no value: {outcome.kind.replace('_', ' ')}"
                reason = ": ".join(filter(None, (exception, message)))
                mend = _MEND_REFERENCE
                if exception == "ModuleNotFoundError":
                    mend = f"install that package (of third-party ones the sandbox has {', '.join(sorted(PACKAGES))})"
                return _Unusable(test.name, f"{what}, {reason}" if reason else what, mend)
        if all(item.kind == "raised" for item in expected):
            exception, message = _fields(outcomes[0].data)
            what = f"the reference raises in every test, here {exception}: {message}"
            return _Unusable(prepared.tests[0].name, what, _MEND_REFERENCE)
        return tuple(expected)

    # --- answers

    def _choose_source(self, attempt: _Attempt) -> bool:
        """Decide what to run for an answer. False if nothing is run."""
        answer = attempt.answer
        if answer is None:
            attempt.note = "no answer was given"
        elif self.profile == "official":
            word = next((word for word in REFUSED_WORDS if word in answer), None)
            if word is not None:
                attempt.note = f"refused: the answer contains {word!r}"
            else:
                attempt.source = official_code(answer)
        else:
            attempt.source = plainly_code(answer)
            if attempt.source is None:
                attempt.source = extract_code(answer, attempt.prepared.names)
        return attempt.source is not None

    def _answer_job(self, attempt: _Attempt) -> tuple[frozenset[str], wire.Job]:
        assert attempt.source is not None
        job = wire.Job(self.profile, attempt.source, attempt.prepared.calls, ANSWER_SECONDS)
        return _packages(attempt.source), job

    def _search_further(self, attempt: _Attempt, job: wire.Job) -> bool:
        """Whether the text that was taken for code at first sight is none, and a search finds other code in it."""
        if self.profile == "official" or attempt.answer is None:
            return False
        if all(outcome.kind != "not_compiled" for outcome in attempt.outcomes.values()):
            return False
        attempt.source = extract_code(attempt.answer, attempt.prepared.names)
        return attempt.source != job.source

    def _grade(self, attempt: _Attempt, expected: Sequence[_Expected]) -> Grade:
        tests = attempt.prepared.tests
        details: dict[str, dict[str, str]] = {}
        passed = 0
        for index, test in enumerate(tests):
            outcome = attempt.outcomes.get(index)
            if attempt.source is None:
                details[test.name] = {"kind": "refused" if attempt.answer is not None else "not_compiled"}
            elif outcome is None:
                details[test.name] = {"kind": "not_compiled" if test.code is None else "lost"}
            else:
                details[test.name] = self._verdict(test, outcome, expected[index])
            passed += details[test.name]["kind"] == "pass"
        note = attempt.note
        if self.profile == "official":
            death = _official_death(attempt.outcomes)
            if death is not None:
                note, passed = death, 0
                for result in details.values():
                    if result["kind"] == "pass":
                        result["kind"] = "lost"
            elif any(canonical.OWN_EQUALITY.encode() in outcome.data for outcome in attempt.outcomes.values()):
                note = "an object that defines its own equality is not asked for it, though the official grader does"
            elif note is None and any(item.kind == "none" for item in expected):
                hopeless = [test.name for test, item in zip(tests, expected, strict=True) if item.kind == "none"]
                note = f"no answer can pass {', '.join(hopeless)}: the reference's value equals nothing there"
        success = passed == len(tests)
        return Grade(
            reward=1.0 if success else 0.0,
            success=success,
            profile=self.profile,
            tests_passed=passed,
            tests_total=len(tests),
            isolation=self.sandbox.isolation,
            details={"tests": details} if note is None else {"tests": details, "note": note},
        )

    def _verdict(self, test: _Test, outcome: wire.Outcome, expected: _Expected) -> dict[str, str]:
        if self.profile == "official":
            value = _official_value(test, outcome)
            passed = value is not None and expected.kind == "value" and _shortened(value) == expected.data
            if outcome.kind == "value":
                return {"kind": "pass" if passed else "wrong_value"}
            if passed:  # `f(...) == literal`, where a value that equals nothing makes the comparison False
                return {"kind": "pass"}
        elif outcome.kind == "value":
            passed = expected.kind == "value" and _shortened(outcome.data) == expected.data
            return {"kind": "pass" if passed else "wrong_value"}
        exception, message = _fields(outcome.data)
        raised = expected.kind == outcome.kind == "raised"
        if raised and self.profile == "strict" and exception.encode() == expected.data:
            # Raising is what the function does there: the same type of exception is the same result.
            return {"kind": "pass"}
        result = {"kind": outcome.kind}
        if outcome.kind in ("raised", "not_compiled"):
            result |= {"exception": exception, "message": message}
        elif exception:
            result["message"] = exception
        return result


def _fields(data: bytes) -> tuple[str, str]:
    """Exception type and text, or a reason and nothing: untrusted bytes as printable text of bounded length."""
    first, _, rest = data.partition(b"\0")
    limit = MAX_EXCEPTION if rest else MAX_MESSAGE
    return _printable(first, limit), _printable(rest.partition(b"\0")[0], MAX_MESSAGE)


def _printable(data: bytes, limit: int) -> str:
    text = data.decode("utf-8", "replace")
    return "".join(character if character.isprintable() else " " for character in text)[:limit]


# --- the official rules of equality


def _official_value(test: _Test, outcome: wire.Outcome | None) -> bytes | None:
    """The bytes the official grader would hold for this test; None where it has None or a value equal to nothing."""
    if outcome is None or outcome.kind not in ("value", "unencodable"):
        return None
    if test.literal is not None:
        return canonical.encode(outcome.kind == "value" and outcome.data == test.literal)
    return outcome.data if outcome.kind == "value" and outcome.data != _NONE else None


def _official_expected(test: _Test, outcome: wire.Outcome | None) -> _Expected:
    value = _official_value(test, outcome)
    return _Expected("none") if value is None else _Expected("value", _shortened(value))


def _official_death(outcomes: Mapping[int, wire.Outcome]) -> str | None:
    """Why the official grader would not have survived this answer; None if it would have."""
    for outcome in outcomes.values():
        mark = outcome.data.rpartition(b"\0")[2] if outcome.data.count(b"\0") == 2 else b""
        if outcome.kind == "raised" and mark == evaluate.ENDED:
            return f"{_fields(outcome.data)[0]} would have ended the official grader: 0"
        if outcome.kind == "raised" and mark == evaluate.POISONED:
            return "the answer changes functions that the official grader itself runs on: 0"
        if outcome.kind == "timed_out" and outcome.data:
            return "the answer ignores its time limit and would have hung the official grader: 0"
        if outcome.kind == "lost":
            return "the answer's process ended, and the official grader with it: 0"
    return None
