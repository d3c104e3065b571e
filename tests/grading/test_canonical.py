"""Equal bytes exactly for equal values: checked against Python's own `==`."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import http
import ipaddress
import itertools
import math
import pathlib
import re
import types
import uuid
import zoneinfo
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from colbench_gym.grading.sandbox import canonical
from colbench_gym.grading.sandbox.canonical import Unencodable, encode, encode_official

# --- against `==`

_NUMBERS = st.one_of(
    st.integers(),
    st.integers(-2, 2),
    st.booleans(),
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 1.0, 0.1, 0.5, 1e300, math.inf, -math.inf, 2.0**53]),
    st.fractions(),
    st.decimals(allow_nan=False, places=3),
    st.sampled_from(
        [decimal.Decimal("0.5"), decimal.Decimal("0.1"), fractions.Fraction(1, 2), fractions.Fraction(1, 3)]
    ),
    st.complex_numbers(allow_nan=False),
)
_ATOMS = st.one_of(
    _NUMBERS,
    st.text(max_size=5),
    st.binary(max_size=5),
    st.binary(max_size=3).map(bytearray),
    st.none(),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.timedeltas(),
    st.times(),
    st.builds(range, st.integers(-4, 4), st.integers(-4, 4), st.integers(1, 3)),
    st.uuids(),
    st.sampled_from([Ellipsis, NotImplemented, int, dict, len, math, math.sqrt, http.HTTPStatus.OK, slice(1, 2)]),
)
_HASHABLE = st.one_of(_NUMBERS, st.text(max_size=3), st.none(), st.tuples(st.integers(0, 2), st.booleans()))
_VALUES = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, max_size=3).map(collections.deque),
        st.dictionaries(_HASHABLE, inner, max_size=3),
        st.dictionaries(_HASHABLE, inner, max_size=3).map(lambda value: collections.defaultdict(int, value)),
        st.dictionaries(_HASHABLE, inner, max_size=3).map(types.MappingProxyType),
        st.sets(_HASHABLE, max_size=4),
        st.frozensets(_HASHABLE, max_size=3),
        st.dictionaries(_HASHABLE, st.none(), max_size=3).map(lambda value: value.keys()),
    ),
    max_leaves=8,
)


def _differs_by_fold(value: Any) -> bool:
    """Whether a datetime lies in a gap or an overlap of its zone, where `==` is not transitive (PEP 495)."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.replace(fold=0).utcoffset() != value.replace(fold=1).utcoffset()
    if isinstance(value, list | tuple | collections.deque):
        return any(map(_differs_by_fold, value))
    return isinstance(value, dict | types.MappingProxyType) and any(map(_differs_by_fold, value.values()))


@settings(max_examples=400, deadline=None)
@given(_VALUES, _VALUES)
@example(True, 1.0)
@example(decimal.Decimal("1.0"), fractions.Fraction(1))
@example(0.1, decimal.Decimal("0.1"))
@example({1: [True]}, {True: [1.0]})
@example([], ())
@example([[], []], [[[]]])
@example("i1;", 1)
@example(2**53 + 1, float(2**53))
def test_equal_bytes_exactly_for_equal_values(first: Any, second: Any) -> None:
    assume(not _differs_by_fold(first) and not _differs_by_fold(second))
    expected = first == second
    assert (encode(first) == encode(second)) is bool(expected)
    try:
        official = encode_official(first) == encode_official(second)
    except Unencodable:
        return
    assert official is bool(expected)


@settings(max_examples=200, deadline=None)
@given(_VALUES, _VALUES, _VALUES)
def test_neighbours_do_not_run_into_each_other(first: Any, second: Any, third: Any) -> None:
    assume(not any(map(_differs_by_fold, (first, second, third))))
    assert (encode([first, [second, third]]) == encode([[first, second], third])) is (
        [first, [second, third]] == [[first, second], third]
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(_NUMBERS, min_size=2, max_size=2))
def test_numbers_of_all_types(numbers: list[Any]) -> None:
    assert (encode(numbers[0]) == encode(numbers[1])) is bool(numbers[0] == numbers[1])


# --- beyond `==` (strict)


class Point:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


class Slotted:
    __slots__ = ("__hidden", "x")

    def __init__(self, x: Any) -> None:
        self.x, self.__hidden = x, x


@dataclasses.dataclass
class Item:
    name: str
    price: float


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class AlwaysEqual:
    def __eq__(self, other: object) -> bool:
        return True


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __index__(self) -> int:
        return 42

    __hash__ = None  # type: ignore[assignment]


class LyingList(list):
    def __iter__(self) -> Any:
        return iter([1, 2, 3])


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (float("nan"), float("nan")),
        ([float("nan")], [math.nan]),
        (decimal.Decimal("nan"), float("nan")),
        ((x for x in (1, 2)), iter([1, 2])),
        (map(str, [1]), (x for x in ["1"])),
        ({1: 2}.values(), iter([2])),
        (Point(1, [2]), Point(1.0, [2])),
        (Slotted(1), Slotted(1)),
        (Item("a", 1), Item("a", 1.0)),
        (Color.RED, Color.RED),
        (ValueError("x"), ValueError("x")),
        (Pair(1, 2), (1, 2)),
        (collections.OrderedDict(a=1, b=2), {"b": 2, "a": 1}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.UserDict(a=1), {"a": 1}),
        (collections.ChainMap({"a": 1}, {"b": 2}), {"a": 1, "b": 2}),
        (re.match("a", "ab"), re.match("a", "ab")),
        (re.compile("a"), re.compile("a")),
        (pathlib.PurePosixPath("a/b"), pathlib.PurePosixPath("a", "b")),
        (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("10.0.0.0/8")),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=1)),
        (zoneinfo.ZoneInfo("UTC"), zoneinfo.ZoneInfo("UTC")),
        (array.array("i", [1]), array.array("d", [1.0])),
        (
            datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC),
            datetime.datetime(2024, 1, 1, 14, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        ),
        (Point, Point),
        (len, len),
    ],
)
def test_equal_by_value(first: Any, second: Any) -> None:
    assert encode(first) == encode(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1], (1,)),
        ([1], iter([1])),
        (0.1 + 0.2, 0.3),
        ("1", 1),
        ("a", b"a"),
        (Point(1, 2), Point(1, 3)),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Slotted(1), Slotted(2)),
        (Item("a", 1), Item("a", 2)),
        (Color.RED, Color.BLUE),
        (Color.RED, 1),
        (ValueError("x"), ValueError("y")),
        (ValueError("x"), TypeError("x")),
        (AlwaysEqual(), 1),
        (LyingInt(1), 2),
        (LyingInt(1), 42),
        (LyingList([1]), [1, 2, 3]),
        (re.match("a", "ab"), re.match("a", "ac")),
        (datetime.datetime(2024, 1, 1), datetime.date(2024, 1, 1)),
        (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
        (int, float),
        (uuid.UUID(int=1), uuid.UUID(int=2)),
        (None, 0),
        (None, "None"),
        ({}, []),
        (set(), {}),
        ({1: 2}, {2: 1}),
        ([1, [2]], [[1], 2]),
    ],
)
def test_different_values(first: Any, second: Any) -> None:
    assert encode(first) != encode(second)


def test_subclasses_show_what_their_built_in_base_holds() -> None:
    assert encode(LyingInt(7)) == encode(7)
    assert encode(LyingList([7])) == encode([7])


def _cycle() -> list[Any]:
    value: list[Any] = []
    value += [value, value]
    return value


def _deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        lambda: None,
        _cycle(),
        _deep(canonical.MAX_DEPTH + 1),
        itertools.count(),
        "x" * (canonical.MAX_BYTES + 1),
        ["x" * 1000] * 2000,
        object(),
        [1, {"a": lambda: None}],
        decimal.Decimal("1e100000"),
        open,
        Point(1, 2).__init__,
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("encoder", [encode, encode_official])
def test_unencodable(value: Any, encoder: Any, tmp_path: pathlib.Path) -> None:
    if value is open:
        with (tmp_path / "file").open("w") as value, pytest.raises(Unencodable):
            encoder(value)
        return
    with pytest.raises(Unencodable):
        encoder(value)


def test_nesting_up_to_the_limit() -> None:
    assert encode(_deep(canonical.MAX_DEPTH - 1)) != encode(_deep(canonical.MAX_DEPTH - 2))


def test_arrays_by_shape_and_items() -> None:
    np = pytest.importorskip("numpy")
    assert encode(np.array([1, 2])) == encode(np.array([1.0, 2.0]))
    assert encode(np.array([np.nan])) == encode(np.array([np.nan]))
    assert encode(np.array([[1, 2]])) != encode(np.array([[1], [2]]))
    assert encode(np.array([1, 2])) != encode([1, 2])
    assert encode(np.zeros((0, 2))) != encode(np.zeros((2, 0)))
    assert encode(np.float64(0.5)) == encode(0.5)
    assert encode(np.bool_(True)) == encode(1)
    assert encode([np.int8(3)]) == encode([3])
    assert encode(np.array(5)) == encode(5)
    assert encode(np.datetime64("2024-01-01")) == encode(np.datetime64("2024-01-01T00:00"))


def test_frames_by_columns_index_and_items() -> None:
    pd = pytest.importorskip("pandas")
    assert encode(pd.DataFrame({"a": [1, 2]})) == encode(pd.DataFrame({"a": [1.0, 2.0]}))
    assert encode(pd.DataFrame({"a": [1, 2]})) != encode(pd.DataFrame({"b": [1, 2]}))
    assert encode(pd.Series([1, 2])) != encode(pd.Series([1, 2], index=["x", "y"]))
    with pytest.raises(Unencodable):
        encode_official(pd.Series([1]))


# --- the official rule: two executions of the same source

_PRELUDE = """
import collections, dataclasses, datetime, decimal, enum, fractions, math, re, types
class Plain:
    def __init__(self): self.x = 1
@dataclasses.dataclass
class Data:
    x: int = 1
class Own:
    def __eq__(self, other): return True
class Sub(list): pass
class Number(enum.IntEnum):
    ONE = 1
class Colour(enum.Enum):
    RED = 1
Pair = collections.namedtuple("Pair", "a b")
def helper(): pass
nan = float("nan")
"""


def _execute(expression: str) -> Any:
    namespace: dict[str, Any] = {"__name__": canonical.ANSWER_MODULE}
    exec(compile(_PRELUDE, canonical.ANSWER_FILE, "exec", dont_inherit=True), namespace)
    return eval(compile(expression, "<test>", "eval", dont_inherit=True), namespace)


def _official_equal(first: Any, second: Any) -> bool:
    try:
        return encode_official(first) == encode_official(second)
    except Unencodable:
        return False


_EXPRESSIONS = [
    "1", "1.0", "True", "'a'", "b'a'", "None", "[1, 2]", "(1, 2)", "{1, 2}", "{'a': [1]}", "range(3)",
    "math.nan", "[math.nan]", "{'a': math.nan}", "float('nan')", "[float('nan')]", "nan", "(nan,)",
    "math.inf", "decimal.Decimal('NaN')", "[decimal.Decimal('0.5')]", "fractions.Fraction(1, 2)", "0.5",
    "(x for x in [1])", "iter([1])", "map(str, [1])", "[iter([])]", "{1: 2}.values()", "{1: 2}.keys()",
    "Plain()", "[Plain()]", "Data()", "{'a': Data()}", "Plain", "helper", "[helper]", "lambda: 1",
    "Sub([1, 2])", "Number.ONE", "Colour.RED", "[Colour.RED]", "Pair(1, 2)", "Pair",
    "len", "[len]", "int", "math", "math.sqrt", "Ellipsis", "NotImplemented", "ValueError", "ValueError('x')",
    "collections.Counter('a')", "{'a': 1}", "collections.deque([1])", "re.compile('a')", "re.match('a', 'a')",
    "datetime.date(2024, 1, 1)", "datetime.timezone.utc", "types.SimpleNamespace(a=1)", "[].append",
    "slice(1, 2)", "object()", "complex(1, 0)", "bytearray(b'a')", "memoryview(b'a')",
]  # fmt: skip


@pytest.mark.parametrize("expression", _EXPRESSIONS)
def test_official_equality_of_two_executions(expression: str) -> None:
    first = _execute(expression)
    for other in _EXPRESSIONS:
        second = _execute(other)
        # What an answer says about its own equality is not believed.
        expected = False if "Own" in (type(first).__name__, type(second).__name__) else bool(first == second)
        assert _official_equal(first, second) is expected, other


def test_official_equality_does_not_ask_the_answer() -> None:
    with pytest.raises(Unencodable, match=canonical.OWN_EQUALITY):
        encode_official(_execute("Own()"))
    with pytest.raises(Unencodable, match="equals only itself"):
        encode_official(_execute("Data()"))


def test_official_arrays() -> None:
    np = pytest.importorskip("numpy")
    assert encode_official(np.array([5])) == encode_official(5)
    assert encode_official(np.array([[5.0]])) == encode_official(np.array(5))
    assert encode_official([np.array([5])]) == encode_official([5])
    for value in (np.array([1, 2]), np.array([]), np.float64("nan"), np.nan):
        with pytest.raises(Unencodable):
            encode_official(value)
    assert encode_official([np.nan]) != encode_official([math.nan])
    assert encode_official([np.nan]) == encode_official([np.nan])


@pytest.mark.parametrize("value", [_deep(300), list(range(50_000)), {str(key): key for key in range(5_000)}])
def test_large_values_within_the_limits(value: Any) -> None:
    assert encode(value) == encode_official(value)
