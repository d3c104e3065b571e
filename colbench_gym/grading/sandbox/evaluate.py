"""What happens inside a jailed child: execute the answer, make the calls, say what came of each.

Two sets of rules (`Job.mode`):

`strict`: the answer is a module. It is compiled once and executed afresh for every test, under a name other than
    `__main__`, with `random` and `numpy.random` seeded alike, standard input at its end and output thrown away.
    A coroutine is awaited. A statement that raises after the definitions (a demo) does not void them.
`official`: the answer is executed the way the official grader does it (facts: docs/protocol.md): by `exec` inside a
    function, so that top-level names are locals which nested functions cannot see; only `Exception` is caught. Where
    that grader would have ended, or gone on poisoned, the outcome carries `ENDED` or `POISONED` as a third field
    (see `_describe`).
    Explicit namespaces give every Python the scoping of 3.12 and older (PEP 667 changed `locals()` in 3.13, on
    which the official grader fails every reference).

Nothing here protects the grader: an answer may rewrite this module while it runs. All it can reach that way is to
send other bytes, and it never sees the bytes it would have to send.

Standard library only: the zygote loads this module before the jail closes, without the rest of the package.
"""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingImports]
import builtins
import functools
import io
import itertools
import os
import random
import signal
import sys
import types
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

from colbench_gym.grading.sandbox import canonical, wire

SEED = 0
"""What `strict` seeds the generators with before each test."""
TICK_SECONDS = 0.05
"""How often a test over its limit is interrupted again: a bare `except` swallows the first interruption."""
GIVE_UP_AFTER = 3
"""`strict`: after so many tests that timed out, the rest are taken to time out as well."""

MAX_EXCEPTION_NAME = 60
MAX_EXCEPTION_TEXT = 200

ENDED = b"ended"
POISONED = b"poisoned"

PRELOADED = (
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "time",
    "typing",
    "urllib.parse",
    "xml.etree.ElementTree",
    "_strptime",
)
"""Modules that answers import most: loaded once by the zygote, so that a child finds them in memory."""

Emit = Callable[[int, wire.Outcome], None]


class _TimeLimit(BaseException):
    """Raised by the timer into an answer under `strict`."""


class _OfficialTimeLimit(Exception):
    """Raised by the timer into an answer under `official`, whose own is an `Exception` as well."""


class _Clock:
    """The soft time limit of one test. Answers can disable it; the grader's hard limit is out of their reach."""

    def __init__(self) -> None:
        self.armed = False
        self.interruption: type[BaseException] = _TimeLimit
        self.tick = TICK_SECONDS

    def _ring(self, signal_number: int, frame: Any) -> None:
        if self.armed:
            raise self.interruption

    def start(self, seconds: float) -> None:
        _set_handler(_SIGALRM, self._ring)
        self.armed = True
        _set_timer(_ITIMER_REAL, seconds, self.tick)

    def stop(self) -> None:
        self.armed = False
        _set_timer(_ITIMER_REAL, 0)


class _Discard(io.RawIOBase):
    """Where an answer's prints go."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


# Taken before any answer runs: an answer that patches a module changes its own behaviour, not this module's.
_set_timer = signal.setitimer
_set_handler = _signal.signal  # without the enum conversions of `signal.signal`, which cost more than the call
_SIGALRM, _ITIMER_REAL = int(signal.SIGALRM), int(signal.ITIMER_REAL)
_seed = random.seed
_random_bytes = os.urandom
_encode = canonical.encode
_encode_official = canonical.encode_official
_Unencodable = canonical.Unencodable
_Outcome = wire.Outcome

_clock = _Clock()


class _Prepared:
    """What `prepare` made.

    Attributes:
        output, input: the standard streams of children.
        builtins: what the module `builtins` held before any answer ran.
        seed_numpy: `numpy.random.seed`, if NumPy was loaded.
    """

    output: Any = None
    input: Any = None
    builtins: dict[str, Any]
    seed_numpy: Callable[[int], None] | None = None


_prepared = _Prepared()


def prepare() -> None:
    """Load what children will need. Called once, by the zygote, while it may still open files.

    Third-party packages that answers may use have been imported before, or are not there.
    """
    for name in PRELOADED:
        __import__(name)
    if "numpy" in sys.modules:
        __import__("numpy.random")
        _prepared.seed_numpy = sys.modules["numpy.random"].seed
    _prepared.output = io.TextIOWrapper(io.BufferedWriter(_Discard()), encoding="utf-8", errors="replace")
    _prepared.input = io.TextIOWrapper(io.BufferedReader(io.BytesIO()), encoding="utf-8")
    _prepared.builtins = dict(vars(builtins))
    _seed(SEED)
    # An answer's warnings have nowhere to go, and formatting them reads files.
    warnings.simplefilter("ignore")


def run(job: wire.Job, emit: Emit) -> None:
    """Evaluate every test of `job` in order and `emit` one outcome for each. Called in a child that then exits."""
    sys.stdout = sys.stderr = _prepared.output
    sys.stdin = _prepared.input
    try:
        code = compile(job.source, canonical.ANSWER_FILE, "exec", 0, True)
    except BaseException as error:
        failure = _describe(error)
        for index, _ in job.tests:
            emit(index, _Outcome("not_compiled", failure))
        return
    if job.mode == "official":
        _run_official(job, code, emit)
    else:
        _run_strict(job, code, emit)


def _describe(error: BaseException, mark: bytes = b"") -> bytes:
    """Type and text of an exception, parted by a NUL; `mark` follows after a second one."""
    try:
        name = type(error).__name__.encode("utf-8", "replace")[:MAX_EXCEPTION_NAME]
    except BaseException:  # a metaclass may say anything
        name = b"Exception"
    try:
        text = str(error).encode("utf-8", "replace")[:MAX_EXCEPTION_TEXT]
    except BaseException:  # and so may a __str__
        text = b""
    described = name.replace(b"\0", b"") + b"\0" + text.replace(b"\0", b"")
    return described + b"\0" + mark if mark else described


def _timed(evaluate: Callable[[], bytes], seconds: float) -> wire.Outcome:
    """The outcome of one test under the soft limit."""
    try:
        try:
            _clock.start(seconds)
            data = evaluate()
        finally:
            _clock.stop()
        return _Outcome("value", data)
    except (_TimeLimit, _OfficialTimeLimit):
        # The timer may ring once more between the interruption and the `stop` above.
        _clock.stop()
        return _Outcome("timed_out")
    except _Unencodable as error:
        return _Outcome("unencodable", str(error).encode("utf-8", "replace")[:MAX_EXCEPTION_TEXT])
    except BaseException as error:
        return _Outcome("raised", _describe(error, b"" if isinstance(error, Exception) else ENDED))


# --- strict


def _run_strict(job: wire.Job, code: CodeType, emit: Emit) -> None:
    _clock.interruption, _clock.tick = _TimeLimit, TICK_SECONDS
    if "async" in job.source:
        _install_event_loop(virtual_time=True)
    if "sqlite3" in job.source:
        _install_databases()
    # Seeding is a tenth of the work of a short answer. Without these words in it, an answer draws no numbers; should
    # it do so all the same, it goes on from the seed that `prepare` left.
    draws = "random" in job.source or "samples" in job.source
    timeouts = 0
    for index, test in job.tests:
        if timeouts >= GIVE_UP_AFTER:
            outcome = _Outcome("timed_out")
        else:
            outcome = _timed(lambda test=test: _strict_value(code, test, draws), job.seconds)
            timeouts += outcome.kind == "timed_out"
        emit(index, outcome)


def _strict_value(code: CodeType, test: CodeType, draws: bool) -> bytes:
    """Canonical bytes of one call on a fresh module. `draws`: whether the code may use random numbers."""
    sys.stdout = sys.stderr = _prepared.output
    _databases.clear()
    if draws:
        _seed(SEED)
        if _prepared.seed_numpy is not None:
            _prepared.seed_numpy(SEED)
    # A module that can be found by its name: dataclasses, pickle and typing look their classes' modules up.
    module = types.ModuleType(canonical.ANSWER_MODULE)
    sys.modules[canonical.ANSWER_MODULE] = module
    namespace = module.__dict__
    failure: BaseException | None = None
    try:
        exec(code, namespace)  # noqa: S102 - this is the sandbox
    except _TimeLimit:
        raise
    except BaseException as error:
        failure = error
    if (
        draws and _prepared.seed_numpy is None and "numpy.random" in sys.modules
    ):  # the answer has just imported it, seeded from entropy
        sys.modules["numpy.random"].seed(SEED)
    try:
        value = eval(test, namespace)  # noqa: S307 - this is the sandbox
    except NameError:
        if failure is not None:
            raise failure from None  # the reason why the name is missing says more
        raise
    if type(value) is types.CoroutineType or type(value) is types.AsyncGeneratorType:
        value = _awaited(value)
    return _encode(value)


def _awaited(value: Any) -> Any:
    """The result of a coroutine; the items of an asynchronous generator, as an iterator."""
    _install_event_loop(virtual_time=True)
    asyncio = sys.modules["asyncio"]
    if type(value) is types.CoroutineType:
        return asyncio.run(value)

    async def collect() -> list[Any]:
        return [item async for item in value]

    return iter(asyncio.run(collect()))


@functools.cache
def _install_event_loop(*, virtual_time: bool) -> None:
    """Make `asyncio.run` work in a jail without sockets.

    The loop waits on nothing but its own timers. With `virtual_time` sleeping takes no time: the clock of the loop
    jumps to the next timer, so that an answer which simulates a delay is judged by its result.
    """
    import asyncio
    import time

    class TimersOnly:
        def __init__(self) -> None:
            self.now = 0.0

        def select(self, timeout: float | None) -> list[Any]:
            if timeout is None:
                raise RuntimeError("deadlock: every task waits for another")
            if virtual_time:
                self.now += max(timeout, 0.0)
            elif timeout > 0:
                time.sleep(timeout)
            return []

        def close(self) -> None: ...

    class JailLoop(asyncio.BaseEventLoop):
        def __init__(self) -> None:
            super().__init__()
            self._selector = TimersOnly()

        def time(self) -> float:
            return self._selector.now if virtual_time else time.monotonic()

        def _process_events(self, event_list: list[Any]) -> None: ...

        def _write_to_self(self) -> None: ...

    class JailPolicy(asyncio.DefaultEventLoopPolicy):
        def new_event_loop(self) -> asyncio.AbstractEventLoop:
            return JailLoop()

    asyncio.set_event_loop_policy(JailPolicy())


_databases: dict[str, tuple[str, Any]] = {}
_database_numbers = itertools.count()


@functools.cache
def _install_databases() -> None:
    """Make `sqlite3.connect(file name)` work in a jail without files: each name is a database in memory.

    It starts empty, as a new file would, and lasts as long as `_databases` holds its address and a connection to it.
    """
    import sqlite3
    import sqlite3.dbapi2

    connect = sqlite3.connect

    def connect_in_memory(database: Any, *arguments: Any, **options: Any) -> Any:
        name = os.fsdecode(database)
        if name in ("", ":memory:") or options.get("uri"):
            return connect(database, *arguments, **options)
        if name not in _databases:
            address = f"file:database{next(_database_numbers)}?mode=memory&cache=shared"
            _databases[name] = address, connect(address, uri=True, check_same_thread=False)
        return connect(_databases[name][0], *arguments, **{**options, "uri": True})

    sqlite3.connect = sqlite3.dbapi2.connect = connect_in_memory


# --- official


def get_function_output(*arguments: Any) -> None:
    """Stands where the official grader's own function is visible to answers. Calling it gains nothing."""


def _official_globals(source: str) -> dict[str, Any]:
    """The names that happen to be in scope where the official grader executes code: those of a module."""
    module = types.ModuleType(canonical.ANSWER_MODULE)
    sys.modules[canonical.ANSWER_MODULE] = module
    names = module.__dict__
    names.update(__builtins__=builtins, signal=signal, get_function_output=get_function_output)
    # Importing these costs more than a grading; almost no code names them.
    if "multiprocessing" in source:
        import multiprocessing

        names["multiprocessing"] = multiprocessing
    if "Empty" in source:
        import queue

        names["Empty"] = queue.Empty
    return names


def _run_official(job: wire.Job, code: CodeType, emit: Emit) -> None:
    # One alarm only: an answer that swallows it runs on, until the grader's hard limit.
    _clock.interruption, _clock.tick = _OfficialTimeLimit, 0.0
    # The zygote's generator is the same in every child; the official one goes on from wherever it is.
    _seed(_random_bytes(32))
    if _prepared.seed_numpy is not None:
        _prepared.seed_numpy(int.from_bytes(_random_bytes(4), "little"))
    if "async" in job.source:
        _install_event_loop(virtual_time=False)
    if "sqlite3" in job.source:
        _install_databases()
    global_names = _official_globals(job.source)
    fatal: wire.Outcome | None = None
    for index, test in job.tests:
        outcome = fatal
        if outcome is None:
            outcome = _timed(lambda test=test: _official_value(job.source, code, test, global_names), job.seconds)
            if outcome.kind == "raised" and outcome.data.endswith(b"\0" + ENDED):
                fatal = outcome
            elif vars(builtins) != _prepared.builtins or global_names["get_function_output"] is not get_function_output:
                outcome = fatal = _Outcome("raised", b"\0changed what the grader itself runs on\0" + POISONED)
        emit(index, outcome)


def _official_value(source: str, code: CodeType, test: CodeType, global_names: dict[str, Any]) -> bytes:
    """Official bytes of one call. The scope is that of a function with the parameters that the official one has.

    `test.co_filename` holds the text of the test, which is readable there as `test_case`.
    """
    parameters = {"function_definition": source, "test_case": test.co_filename}
    local_names = dict(parameters)
    exec(code, global_names, local_names)  # noqa: S102 - this is the sandbox
    # `eval` refreshes the function's own variables in the mapping that both share.
    local_names.update(parameters)
    return _encode_official(eval(test, global_names, local_names))  # noqa: S307 - this is the sandbox
