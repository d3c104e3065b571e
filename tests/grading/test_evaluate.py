"""What a child makes of a program, seen through the sandbox."""

from __future__ import annotations

import functools
import math

import pytest

from colbench_gym.errors import IsolationUnavailable
from colbench_gym.grading.sandbox import Job, Outcome, Sandbox, evaluate, shared_sandbox
from colbench_gym.grading.sandbox.canonical import encode, encode_official


@functools.cache
def sandbox() -> Sandbox:
    """The best sandbox that this machine has: what is tested here happens inside any of them."""
    try:
        chosen = shared_sandbox()
        chosen.isolation  # noqa: B018 - starts it
    except IsolationUnavailable:
        return shared_sandbox("unsafe")
    return chosen


def run(mode: str, source: str, *tests: str, seconds: float = 5.0) -> list[Outcome]:
    calls = tuple((index, compile(test, test, "eval", dont_inherit=True)) for index, test in enumerate(tests))
    (outcomes,) = sandbox().run([Job(mode, source, calls, seconds)])
    return [outcomes[index] for index in range(len(tests))]


def strict(source: str, *tests: str, seconds: float = 5.0) -> list[Outcome]:
    return run("strict", source, *tests, seconds=seconds)


def official(source: str, *tests: str, seconds: float = 5.0) -> list[Outcome]:
    return run("official", source, *tests, seconds=seconds)


def values(*items: object) -> list[Outcome]:
    return [Outcome("value", encode(item)) for item in items]


def kinds(outcomes: list[Outcome]) -> list[str]:
    return [outcome.kind for outcome in outcomes]


# --- strict


def test_every_test_gets_a_fresh_module() -> None:
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    return list(seen)"
    assert strict(source, "f(1)", "f(2)", "f(3)") == values([1], [2], [3])


def test_every_test_gets_fresh_inputs() -> None:
    assert strict("def f(x):\n    x.append(1)\n    return x", "f([0])", "f([0])") == values([0, 1], [0, 1])


def test_the_name_is_not_main() -> None:
    source = "def f():\n    return __name__\nif __name__ == '__main__':\n    raise ValueError(input())"
    assert strict(source, "f() == '__main__'") == values(False)


@pytest.mark.parametrize(
    "demo",
    [
        "print(f(1) / 0)",
        "raise SystemExit",
        "input()",
        "import sys\nsys.exit(main())",
        "raise KeyboardInterrupt",
        "nope",
    ],
)
def test_a_demo_that_raises_does_not_void_the_definitions(demo: str) -> None:
    assert strict(f"def f(x):\n    return x + 1\n\n{demo}\n", "f(1)") == values(2)


def test_what_raises_before_the_definitions_is_the_reason() -> None:
    (outcome,) = strict("import no_such_package\ndef f():\n    return 1", "f()")
    assert outcome == Outcome("raised", b"ModuleNotFoundError\0No module named 'no_such_package'")


def test_random_numbers_are_the_same_in_every_test_and_process() -> None:
    source = "import random\ndef f():\n    return [random.random(), random.randint(1, 100)]"
    first, second = strict(source, "f()", "f()")
    assert first == second == strict(f"# another program\n{source}", "f()")[0]


def test_standard_input_is_at_its_end() -> None:
    source = "import sys\ndef f():\n    return sys.stdin.read(), list(sys.stdin)\ndef g():\n    return input()"
    outcomes = strict(source, "f()", "g()")
    assert outcomes[0] == values(("", []))[0]
    assert outcomes[1].data.startswith(b"EOFError\0")


def test_output_is_thrown_away() -> None:
    source = (
        "import sys, io, contextlib\n"
        "def f():\n    print('x' * 100000)\n    sys.stdout.buffer.write(b'y')\n    sys.stderr.write('z')\n"
        "    return 1\n"
        "def g():\n    text = io.StringIO()\n    with contextlib.redirect_stdout(text):\n        print('seen')\n"
        "    return text.getvalue()\n"
        "def h():\n    sys.stdout = None\n    return 2\n"
    )
    assert strict(source, "f()", "g()", "h()", "f()") == values(1, "seen\n", 2, 1)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("async def f():\n    return 1", 1),
        ("import asyncio\nasync def f():\n    await asyncio.sleep(100)\n    return 1", 1),
        ("import asyncio\nasync def g(x):\n    await asyncio.sleep(x)\n    return x\n"
         "async def f():\n    return await asyncio.gather(g(3), g(1))", [3, 1]),
        ("import asyncio\nasync def g():\n    return 2\ndef f():\n    return asyncio.run(g())", 2),
        ("import asyncio\nasync def f():\n    try:\n        await asyncio.wait_for(asyncio.sleep(9), 1)\n"
         "    except asyncio.TimeoutError:\n        return 'late'", "late"),
    ],
)  # fmt: skip
def test_coroutines_are_awaited(source: str, expected: object) -> None:
    assert strict(source, "f()") == values(expected)


def test_asynchronous_generators_by_their_items() -> None:
    assert strict("async def f():\n    yield 1\n    yield 2", "f()") == values(iter([1, 2]))


def test_a_deadlocked_coroutine_raises() -> None:
    source = "import asyncio\nasync def f():\n    await asyncio.Event().wait()"
    (outcome,) = strict(source, "f()")
    assert outcome.data.startswith(b"RuntimeError\0deadlock")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f():\n    raise SystemExit(3)", b"SystemExit"),
        ("def f():\n    exit()", b"NameError"),
        ("def f():\n    raise KeyboardInterrupt", b"KeyboardInterrupt"),
        ("def f():\n    return f()", b"RecursionError"),
        ("class E(BaseException):\n    pass\ndef f():\n    raise E", b"E"),
        ("class E(Exception):\n    def __str__(self):\n        raise E\ndef f():\n    raise E", b"E"),
        ("def f():\n    raise type('X' * 1000, (Exception,), {})('y' * 1000)", b"X" * evaluate.MAX_EXCEPTION_NAME),
        ("pass", b"NameError"),
    ],
)
def test_whatever_is_raised_is_an_outcome(source: str, name: bytes) -> None:
    (outcome,) = strict(source, "f()")
    assert outcome.kind == "raised"
    assert outcome.data.split(b"\0")[0] == name
    assert len(outcome.data) < 300


@pytest.mark.parametrize("source", ["def f(:", "x = '", "\0", "(" * 500 + ")" * 500, "return 1", "\ud800"])
def test_what_does_not_compile(source: str) -> None:
    assert kinds(strict(source, "f()", "f()")) == ["not_compiled", "not_compiled"]


def test_time_limit() -> None:
    source = (
        "import time\n"
        "def loop():\n    while True:\n        pass\n"
        "def sleep():\n    time.sleep(60)\n"
        "def stubborn():\n    for _ in range(30):\n        try:\n            time.sleep(60)\n"
        "        except:\n            pass\n"
        "def quick():\n    return 1\n"
    )
    assert kinds(strict(source, "loop()", "quick()", "sleep()", "quick()", seconds=0.1)) == [
        "timed_out", "value", "timed_out", "value",
    ]  # fmt: skip
    assert kinds(strict(source, "stubborn()", "quick()", seconds=0.1)) == ["timed_out", "value"]


def test_an_endless_iterator_ends() -> None:
    (outcome,) = strict("import itertools\ndef f():\n    return itertools.count()", "f()")
    assert outcome.kind == "unencodable"


def test_strict_gives_up_after_some_timeouts() -> None:
    source = "def f(x):\n    while x:\n        pass\n    return x"
    outcomes = strict(source, *["f(1)"] * evaluate.GIVE_UP_AFTER, "f(0)", seconds=0.05)
    assert kinds(outcomes) == ["timed_out"] * (evaluate.GIVE_UP_AFTER + 1)


def test_classes_find_their_module() -> None:
    source = (
        "from __future__ import annotations\nimport copy, dataclasses, pickle, typing\n"
        "@dataclasses.dataclass\nclass A:\n    x: int\n"
        "def f():\n    return pickle.loads(pickle.dumps(copy.deepcopy(A(1)))) == A(1)\n"
        "def g():\n    return typing.get_type_hints(A)\n"
    )
    assert strict(source, "f()", "g()") == values(True, {"x": int})


def test_databases_by_file_name_live_in_memory() -> None:
    source = (
        "import sqlite3\n"
        "def write(name):\n"
        "    with sqlite3.connect(name) as c:\n        c.execute('create table t (x)')\n"
        "        c.execute('insert into t values (1)')\n"
        "    c.close()\n    return sqlite3.connect(name).execute('select x from t').fetchall()\n"
    )
    assert strict(source, "write('a.db')", "write('a.db')") == values([(1,)], [(1,)])


def test_patched_built_ins_stay_in_the_child() -> None:
    source = "import builtins\nbuiltins.sum = lambda x: 7\ndef f():\n    return sum([])"
    assert strict(source, "f()", "f()") == values(7, 7)
    assert strict("def f():\n    return sum([])", "f()") == values(0)


# --- official


def test_official_scopes() -> None:
    source = (
        "import math\nlimit = 3\ndef helper():\n    return 1\ndef f():\n    return 1\ndef g():\n    return helper()\n"
    )
    outcomes = official(
        source + "def h():\n    return math.pi + limit\n", "f()", "g()", "h()", "limit", "math.floor(2.5)"
    )
    assert kinds(outcomes) == ["value", "raised", "raised", "value", "value"]
    assert outcomes[1].data == b"NameError\0name 'helper' is not defined"


def test_official_names_in_scope() -> None:
    source = (
        "def f():\n    return multiprocessing.__name__, signal.__name__, Empty.__name__, callable(get_function_output)"
    )
    assert official(source, "f()") == values(("multiprocessing", "signal", "Empty", True))
    assert official("def f(): pass", "test_case", "function_definition") == values("test_case", "def f(): pass")
    assert official("test_case = 1", "test_case") == values("test_case")


def test_official_globals_last_until_the_next_test() -> None:
    source = "def f(x):\n    global seen\n    seen = x + globals().get('seen', 0)\n    return seen"
    assert official(source, "f(1)", "f(1)") == values(1, 2)


def test_official_ends_at_what_is_no_exception() -> None:
    source = "def f(x):\n    if x:\n        raise SystemExit\n    return x"
    outcomes = official(source, "f(0)", "f(1)", "f(0)")
    assert kinds(outcomes) == ["value", "raised", "raised"]
    assert outcomes[2].data.split(b"\0")[2] == evaluate.ENDED


@pytest.mark.parametrize(
    "source",
    [
        "import builtins\nbuiltins.sum = max\ndef f():\n    return 1",
        "def f():\n    global get_function_output\n    get_function_output = print\n    return 1",
    ],
)
def test_official_tells_when_it_would_have_been_poisoned(source: str) -> None:
    for outcome in official(source, "f()", "f()"):
        assert outcome.data.split(b"\0")[2] == evaluate.POISONED


def test_official_values() -> None:
    source = "def f():\n    import math\n    return [math.nan]\ndef g():\n    return (x for x in [1])\n"
    source += "async def h():\n    return 1"
    outcomes = official(source, "f()", "g()", "h()")
    assert outcomes[0] == Outcome("value", encode_official([math.nan]))
    assert kinds(outcomes)[1:] == ["unencodable", "unencodable"]


def test_official_random_numbers_differ_between_processes() -> None:
    source = "def f():\n    import random\n    return random.random()"
    assert official(source, "f()") != official(source, "f()")


def test_official_alarm_rings_once_and_can_be_swallowed() -> None:
    source = "def f():\n    import time\n    try:\n        time.sleep(60)\n    except Exception:\n        return 1"
    assert official(source, "f()", seconds=0.1) == values(1)


def test_official_dataclasses() -> None:
    source = "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'int'\n"
    assert official(source, "A(1).x") == values(1)
