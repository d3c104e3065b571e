"""Grades: the two profiles' rules, the behaviour table, and what a grade may tell."""

from __future__ import annotations

import functools
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from colbench_gym.errors import ConfigError, GraderError, IsolationUnavailable, TaskError
from colbench_gym.grading import unit_tests
from colbench_gym.grading.sandbox import shared_sandbox
from colbench_gym.grading.unit_tests import grade, grade_many
from colbench_gym.types import Grade, Profile, Task

REFERENCE = "def f(x):\n    return x + 1"
OFFICIAL: Profile = "official"


@functools.cache
def isolation() -> str:
    """The best isolation that works here; what is tested in this file holds in all of them."""
    try:
        return shared_sandbox().isolation and "auto"
    except IsolationUnavailable:
        return "unsafe"


def task(reference: str = REFERENCE, *tests: str, name: str = "t") -> Task:
    calls = tests or ("f(1)", "f(2)")
    return Task(name, "backend", "", reference, {f"test{number}": call for number, call in enumerate(calls, start=1)})


def score(answer: str | None, reference: str = REFERENCE, *tests: str, profile: Profile = "strict") -> Grade:
    return grade(task(reference, *tests), answer, profile=profile, isolation=isolation())


def kinds(result: Grade) -> list[str]:
    return [test["kind"] for test in result.details["tests"].values()]


# --- the behaviour table: (answer, reference, tests, official, strict)

_FENCE = "```"
_NAN = "def f(x):\n    return [float('nan')]"
_FIELDS = "class A:\n    def __init__(self, x):\n        self.x = x\ndef f(x, A=A):\n    return A(x)"
_ARRAY = "def f(x):\n    import numpy as np\n    return np.array([x, x])"
_RAISES = "def f(x):\n    if x == 2:\n        raise ValueError(x)\n    return x + 1"

TABLE: dict[str, tuple[str, str, tuple[str, ...], float, float]] = {
    "correct": (REFERENCE, REFERENCE, (), 1, 1),
    "helper function": ("def g(x):\n    return x + 1\ndef f(x):\n    return g(x)", REFERENCE, (), 0, 1),
    "recursion": ("def f(x, n=1):\n    return x if n == 0 else f(x + 1, n - 1)", REFERENCE, (), 0, 1),
    "module constant": ("ONE = 1\ndef f(x):\n    return x + ONE", REFERENCE, (), 0, 1),
    "helper class": ("class A:\n    one = 1\ndef f(x):\n    return x + A.one", REFERENCE, (), 0, 1),
    "top-level import": ("import math\ndef f(x):\n    return math.floor(x) + 1", REFERENCE, (), 0, 1),
    "exit( in a comment": (f"# never call exit()\n{REFERENCE}", REFERENCE, (), 0, 1),
    "argparse in a string": (f"{REFERENCE} if 'argparse' else 0", REFERENCE, (), 0, 1),
    "sudo in a comment": (f"{REFERENCE}  # sudo", REFERENCE, (), 0, 1),
    "unused import sys": (f"import sys\n{REFERENCE}", REFERENCE, (), 0, 1),
    "the words import ostrich": (f"# import ostrich\n{REFERENCE}", REFERENCE, (), 0, 1),
    "expected None": ("def f(x):\n    return None", "def f(x):\n    return None", (), 0, 1),
    "expected nan": (_NAN, _NAN, (), 0, 1),
    "expected generator": ("def f(x):\n    yield x", "def f(x):\n    yield x", (), 0, 1),
    "expected object with fields": (_FIELDS, _FIELDS, (), 0, 1),
    "fence py": (f"{_FENCE}py\n{REFERENCE}\n{_FENCE}", REFERENCE, (), 0, 1),
    "fence Python": (f"{_FENCE}Python\n{REFERENCE}\n{_FENCE}", REFERENCE, (), 0, 1),
    "fence python": (f"Here:\n{_FENCE}python\n{REFERENCE}\n{_FENCE}\nBye.", REFERENCE, (), 1, 1),
    "fence without a label": (f"Here:\n{_FENCE}\n{REFERENCE}\n{_FENCE}\nBye.", REFERENCE, (), 1, 1),
    "tildes": (f"~~~\n{REFERENCE}\n~~~", REFERENCE, (), 0, 1),
    "two fences": (
        f"Draft:\n{_FENCE}python\ndef f(x):\n    return x\n{_FENCE}\nFinal:\n{_FENCE}python\n{REFERENCE}\n{_FENCE}",
        REFERENCE, (), 0, 1,
    ),
    "unfenced prose": (f"Here is the function.\n\n{REFERENCE}\n\nIt adds one.", REFERENCE, (), 0, 1),
    "fence in a docstring": (
        f'def f(x):\n    """Add.\n\n    {_FENCE}python\n    f(1)\n    {_FENCE}\n    """\n    return x + 1',
        REFERENCE, (), 0, 1,
    ),
    "object whose __eq__ is true": (
        "def f(x):\n    class A:\n        def __eq__(self, other):\n            return True\n    return A()",
        REFERENCE, (), 0, 0,
    ),
    "object whose __eq__ is true, against a literal": (
        "def f(x):\n    class A:\n        def __eq__(self, other):\n            return True\n    return A()",
        REFERENCE, ("f(1) == 2", "f(2) == 3"), 0, 0,
    ),
    "reads the caller's frame": (
        "def f(x):\n    try:\n        raise ValueError\n    except ValueError as e:\n"
        "        frame = e.__traceback__.tb_frame\n"
        "        while frame:\n            for name in ('ground_truth_output', 'expected'):\n"
        "                if name in frame.f_locals:\n                    return frame.f_locals[name]\n"
        "            frame = frame.f_back",
        REFERENCE, (), 0, 0,
    ),
    "redefines get_function_output": (
        "def f(x):\n    global get_function_output\n    get_function_output = lambda *a: 1\n    return x + 1",
        REFERENCE, (), 0, 1,
    ),
    "patches builtins, wrong": (
        "import builtins\nbuiltins.sum = lambda x: 0\ndef f(x):\n    return 0", REFERENCE, (), 0, 0,
    ),
    "patches builtins, right": (f"import builtins\nbuiltins.sum = lambda x: 0\n{REFERENCE}", REFERENCE, (), 0, 1),
    "raise SystemExit": ("def f(x):\n    raise SystemExit", REFERENCE, (), 0, 0),
    "os._exit": ("def f(x):\n    __import__('os')._exit(0)", REFERENCE, (), 0, 0),
    "mutated input": (
        "def f(x):\n    x.append(1)\n    return len(x)", "def f(x):\n    return len(x) + 1", ("f([1])", "f([])"), 1, 1,
    ),
    "prints": ("def f(x):\n    print('x' * 9999)\n    return x + 1", REFERENCE, (), 1, 1),
    "set and dict order": (
        "def f(x):\n    return {'b': {3, 2, 1}, 'a': 1}", "def f(x):\n    return {'a': 1, 'b': {1, 2, 3}}", (), 1, 1,
    ),
    "True for 1": ("def f(x):\n    return [True, 1.0]", "def f(x):\n    return [1, 1]", (), 1, 1),
    "tuple for list": ("def f(x):\n    return (x,)", "def f(x):\n    return [x]", (), 0, 0),
    "0.3 for 0.1 + 0.2": ("def f(x):\n    return 0.3", "def f(x):\n    return 0.1 + 0.2", (), 0, 0),
    "None where the reference raises": ("def f(x):\n    return 2 if x == 1 else None", _RAISES, (), 0, 0),
    # Beyond the notes' table: the corners of the official rules, and what a literal in the test would give away.
    "raises as the reference does": (_RAISES, _RAISES, (), 0, 1),
    "raises something else": (_RAISES.replace("ValueError", "KeyError"), _RAISES, (), 0, 0),
    "shared math.nan in a list": (
        "def f(x):\n    import math\n    return [math.nan]",
        "def f(x):\n    import math\n    return [math.nan]", (), 1, 1,
    ),
    "the same built-in": ("def f(x):\n    return len", "def f(x):\n    return len", (), 1, 1),
    "dataclass of the answer": (
        "def f(x):\n    import dataclasses\n    return dataclasses.make_dataclass('A', ['x'])(x)",
        "def f(x):\n    import dataclasses\n    return dataclasses.make_dataclass('A', ['x'])(x)", (), 0, 1,
    ),
    "None against a wrong literal": ("def f(x):\n    return None", REFERENCE, ("f(1) == 7", "f(2) == 7"), 1, 0),
    "right against a wrong literal": (REFERENCE, REFERENCE, ("f(1) == 7", "f(2) == 7"), 1, 1),
    "right against a literal": (REFERENCE, REFERENCE, ("f(1) == 2", "3 == f(2)"), 1, 1),
    "a name that the scope shows": ("def f(x):\n    return len(signal.__name__) - 5 + x", REFERENCE, (), 1, 0),
    "a coroutine": ("async def f(x):\n    return x + 1", REFERENCE, (), 0, 1),
    "a demo that raises": (f"{REFERENCE}\nprint(f(1) / 0)", REFERENCE, (), 0, 1),
    "no code": ("I cannot do that.", REFERENCE, (), 0, 0),
    "empty": ("", REFERENCE, (), 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("row", TABLE)
def test_behaviour_table(row: str) -> None:
    answer, reference, tests, official, strict = TABLE[row]
    assert score(answer, reference, *tests, profile=OFFICIAL).reward == official
    assert score(answer, reference, *tests).reward == strict


@pytest.mark.parametrize(("profile", "expected"), [("strict", 1), ("official", 0)])
def test_arrays(profile: Profile, expected: float) -> None:
    pytest.importorskip("numpy")
    assert score(_ARRAY, _ARRAY, profile=profile).reward == expected
    one = _ARRAY.replace("[x, x]", "[x]")
    assert score(one, one, profile=profile).reward == 1


@pytest.mark.parametrize("profile", ["strict", "official"])
def test_hangs_end(profile: Profile) -> None:
    sleeps = (
        "def f(x):\n    import time\n    while True:\n        try:\n            time.sleep(60)\n"
        "        except:\n            pass"
    )
    ignores = (
        "def f(x):\n    import signal\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    while True:\n        pass"
    )
    for answer in (sleeps, ignores):
        result = score(answer, REFERENCE, "f(1)", profile=profile)
        assert result.reward == 0
        assert kinds(result) == ["timed_out"]
    if profile == "official":
        assert "hung" in result.details["note"]


def test_official_notes_say_what_would_have_happened() -> None:
    def note(answer: str) -> str:
        result = score(answer, profile=OFFICIAL)
        assert result.reward == result.tests_passed == 0
        return result.details["note"]

    assert note(f"import sys\n{REFERENCE}") == "refused: the answer contains 'import sys'"
    assert "SystemExit would have ended" in note(
        "def f(x):\n    if x == 2:\n        raise SystemExit\n    return x + 1"
    )
    assert "process ended" in note("def f(x):\n    getattr(__import__('os'), '_exit')(0)")
    assert "runs on" in note("import builtins\nbuiltins.sum = max\n" + REFERENCE)
    assert "own equality" in note(
        "def f(x):\n    class A:\n        def __eq__(self, o):\n            return True\n    return A()"
    )
    hopeless = score("def f(x):\n    return None", "def f(x):\n    return None", profile=OFFICIAL)
    assert hopeless.details["note"].startswith("no answer can pass test1, test2")


def test_no_answer() -> None:
    for profile in ("strict", "official"):
        result = score(None, profile=profile)
        assert (result.reward, result.success, result.tests_passed, result.tests_total) == (0.0, False, 0, 2)
        assert result.details["note"] == "no answer was given"
        assert set(kinds(result)) == {"not_compiled"}


def test_partial_credit() -> None:
    result = score("def f(x):\n    return 2")
    assert (result.reward, result.success, result.tests_passed, result.tests_total) == (0.0, False, 1, 2)
    assert kinds(result) == ["pass", "wrong_value"]


def test_every_kind_of_failure() -> None:
    answer = (
        "def f(x):\n    if x == 1:\n        return 0\n    if x == 2:\n        raise KeyError('k')\n"
        "    if x == 3:\n        return lambda: 1\n    import os\n    os._exit(1)"
    )
    result = score(answer, REFERENCE, "f(1)", "f(2)", "f(3)", "f(4)")
    assert kinds(result) == ["wrong_value", "raised", "unencodable", "lost"]
    assert result.details["tests"]["test2"] == {"kind": "raised", "exception": "KeyError", "message": "'k'"}
    assert kinds(score("def f(:")) == ["not_compiled", "not_compiled"]
    assert result.public_details()["tests"]["test2"] == {"kind": "raised", "exception": "KeyError"}


def test_details_are_plain_bounded_text() -> None:
    answer = "def f(x):\n    raise type('X' * 500, (Exception,), {})('\\x1b[31m\\n' * 500)"
    for test in score(answer).details["tests"].values():
        assert len(test["exception"]) <= unit_tests.MAX_EXCEPTION
        assert len(test["message"]) <= unit_tests.MAX_MESSAGE
        assert test["message"].isprintable()
    json.dumps(score(answer).to_dict())


def test_details_hold_no_value() -> None:
    secret = "def f(x):\n    return 'se' + 'cret'"
    for answer in ("def f(x):\n    return 'wrong'", secret, "nothing"):
        for profile in ("strict", "official"):
            assert "secret" not in json.dumps(score(answer, secret, profile=profile).to_dict())


def test_random_references() -> None:
    reference = "import random\ndef f(x):\n    return random.random()"
    local = "def f(x):\n    import random\n    return random.random()"
    assert score(reference, reference).reward == 1
    assert score(local, reference).reward == 1
    assert score(local, local, profile=OFFICIAL).reward == 0


def test_references_that_read_the_clock_are_not_remembered() -> None:
    reference = "import datetime\ndef f(x):\n    return datetime.date.today()"
    assert score(reference, reference).reward == 1
    assert not unit_tests._prepared(task(reference)).expected
    score(REFERENCE)
    assert unit_tests._prepared(task()).expected


@pytest.mark.parametrize(
    ("reference", "tests", "message"),
    [
        (REFERENCE, ("f(1)", "f(1"), "test 'test2': is no Python expression"),
        (REFERENCE, ("x = 1",), "is no Python expression"),
        ("def f(:", (), "not compiled, SyntaxError"),
        ("import no_such_package\ndef f(x):\n    return 1", (), "No module named 'no_such_package'. Mend: install"),
        ("def f(x):\n    return lambda: 1", (), "unencodable"),
        ("def f(x):\n    raise ValueError('no')", (), "raises in every test, here ValueError: no"),
        ("def f(x):\n    import os\n    os._exit(0)", (), "lost"),
    ],
)
def test_unusable_tasks(reference: str, tests: tuple[str, ...], message: str) -> None:
    with pytest.raises(TaskError, match="task 't'") as caught:
        score(REFERENCE, reference, *tests)
    assert message in str(caught.value)
    assert "Mend:" in str(caught.value)
    assert score(REFERENCE, reference, *tests, profile=OFFICIAL).reward == 0


def test_other_misuse() -> None:
    with pytest.raises(GraderError, match="frontend"):
        grade(Task("p", "frontend", "", "<html></html>"), "<html></html>")
    with pytest.raises(ConfigError, match="strict, official"):
        grade(task(), REFERENCE, profile="lenient")  # type: ignore[arg-type]


def test_many_grades_come_in_order_and_lazily() -> None:
    tasks = [task(f"def f(x):\n    return x + {number}", name=str(number)) for number in range(150)]
    answers = [item.reference if number % 3 else "def f(x): return" for number, item in enumerate(tasks)]
    results = list(grade_many(zip(tasks, answers, strict=True), isolation=isolation(), in_flight=4))
    assert [result.success for result in results] == [bool(number % 3) for number in range(150)]
    endless = grade_many(((task(), REFERENCE) for _ in iter(int, 1)), isolation=isolation())
    assert next(endless).success


def test_an_unusable_task_stops_at_its_place() -> None:
    results = grade_many([(task(), REFERENCE), (task("def f(:"), REFERENCE)], isolation=isolation())
    assert next(results).success
    with pytest.raises(TaskError):
        next(results)


def test_threads() -> None:
    tasks = [task(f"def f(x):\n    return x * {number}", name=str(number)) for number in range(40)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda item: grade(item, item.reference, isolation=isolation()), tasks))
    assert all(result.success for result in results)


def test_a_hostile_answer_harms_nobody_beside_it() -> None:
    bad = (
        "import builtins, os, signal, gc\nbuiltins.len = None\nfor o in gc.get_objects(): pass\nos.kill(os.getpid(), 9)"
    )
    pairs = [(task(), REFERENCE if number % 2 else bad) for number in range(20)]
    assert [result.success for result in grade_many(pairs, isolation=isolation())] == [False, True] * 10


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_tests, "CACHED_TASKS", 3)
    unit_tests.clear_cache()
    for number in range(6):
        score(f"def f(x):\n    return {number}", f"def f(x):\n    return {number}")
    assert len(unit_tests._cache) == 3


def test_a_quick_look_that_fails_is_followed_by_a_search() -> None:
    answer = f"import the function as follows:\n\n{REFERENCE}\n\nimport nothing else."
    assert unit_tests.plainly_code(answer) is not None
    assert score(answer).reward == 1


# --- the real tasks


def _shared_tasks() -> list[Task]:
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    path = Path(os.environ.get("COLBENCH_SHARED_DATA", default))
    if path.is_dir():
        path /= "backend_tasks.jsonl"
    if not path.is_file():
        pytest.skip("no official tasks: COLBENCH_SHARED_DATA names none, and ../shared/data is not there")
    with path.open(encoding="utf-8") as file:
        data = [json.loads(line) for line in file]
    return [
        Task(str(number), "backend", item["problem_description"], item["ground_truth"], item["test_cases"])
        for number, item in enumerate(data)
    ]


@pytest.mark.slow
def test_real_references_against_themselves() -> None:
    """All pass, but for a package that may be missing (strict) and the official grader's known quirks."""
    tasks = _shared_tasks()
    pairs = [(item, item.reference) for item in tasks]
    failed = {}
    for profile in ("strict", "official"):
        results = unit_tests.grades_or_errors(pairs, profile=profile, isolation=isolation())
        failed[profile] = [
            item for item, result in zip(tasks, results, strict=True) if not getattr(result, "success", False)
        ]
    missing = [item for item in tasks if unit_tests._IMPORTED_PACKAGE.search(item.reference)]
    missing = [item for item in missing if not unit_tests._packages(item.reference)]
    assert failed["strict"] == missing
    for item in failed["official"]:
        quirk = any(word in item.reference for word in (*unit_tests.REFUSED_WORDS, "import random"))
        assert quirk or item in missing, item.id
