"""Values as bytes: two values are equal exactly when their bytes are.

The jailed child encodes what a call returned; the grader compares bytes with the bytes of the reference's value and
never decodes, unpickles or otherwise touches an object that an answer made.

The encoding is typed, prefix-free (every item says where it ends) and numerically normalised. Two rules of equality:

`encode` (profile `strict`): what a programmer expects `==` to mean for data.
    True, 1, 1.0, Decimal(1) and Fraction(1) are one value; a list is no tuple; sets and dicts have no order, dict
    subclasses compare as dicts. Beyond `==`: nan equals nan, arrays and data frames compare by shape and items,
    iterators by their items (which this consumes), instances by class name and fields, enum members by class and name,
    exceptions by class name and arguments. An `__eq__` that the answer wrote is never asked.
`encode_official` (profile `official`): equal bytes exactly when the official grader's `==` holds between values that
    two separate executions produced. What equals only itself (an iterator, a nan that was computed, an instance
    without `__eq__`, a class or function that the answer defined) raises `Unencodable`, for it equals nothing that the
    other execution can produce. `math.nan` is one shared object, which containers find identical to itself; an array
    of one item compares as that item and a larger one has no truth value.

Known limits, all of them places where `==` is not transitive, so that no encoding can follow it: the order of an
`OrderedDict` and the zero counts of a `Counter` follow `dict`; `numpy.array([1]) == [1]` is not seen.

Standard library only: this module is also loaded inside the jail.
"""

from __future__ import annotations

import collections
import collections.abc
import datetime
import io
import math
import sys
import types
from typing import Any

MAX_BYTES = 1 << 20
"""The longest encoding, in bytes."""
MAX_DEPTH = 400
"""How deep containers may nest. Cycles end here, or at `MAX_BYTES` when they branch."""

ANSWER_MODULE = "answer"
"""`__name__` of the module an answer is executed as; how its classes are told from the standard library's."""
ANSWER_FILE = "<answer>"
"""`co_filename` of code that an answer wrote, rather than a class decorator for it."""

_SHARED_NAN = math.nan
_INFINITIES = (math.inf, -math.inf)
_MAX_DECIMAL_EXPONENT = 5000


class Unencodable(Exception):
    """The value has no encoding: it is too large, cyclic, or equals nothing but itself."""


def encode(value: Any) -> bytes:
    """The bytes of `value` under the `strict` rule. Consumes iterators.

    Raises:
        Unencodable: too large, too deep, cyclic, or of a kind that cannot be compared by value.
    """
    return _Encoder(official=False).encode(value)


def encode_official(value: Any) -> bytes:
    """The bytes of `value` under the official grader's rule. Runs no code of the answer.

    Raises:
        Unencodable: too large, too deep, cyclic, or equal to no value of another execution.
    """
    return _Encoder(official=True).encode(value)


class _Encoder:
    """One encoding in progress. Nested calls share the byte budget, which bounds work and memory as well."""

    __slots__ = ("budget", "official")

    def __init__(self, *, official: bool) -> None:
        self.official = official
        self.budget = MAX_BYTES

    def encode(self, value: Any) -> bytes:
        if self.official and (value is _SHARED_NAN or value is _numpy_nan()):
            # Only containers compare by identity first; by itself nan != nan.
            raise Unencodable("nan equals nothing")
        parts: list[bytes] = []
        self._add(value, parts, 0)
        return b"".join(parts)

    def _put(self, data: bytes, parts: list[bytes]) -> None:
        self.budget -= len(data)
        if self.budget < 0:
            raise Unencodable("larger than 1 MiB, or endless")
        parts.append(data)

    def _add(self, value: Any, parts: list[bytes], depth: int) -> None:
        """Append the encoding of `value`. One Python frame per level of nesting, so that depth costs little."""
        kind = type(value)
        if kind is str:
            self._put_text(value, parts)
        elif kind is int or kind is bool:
            self._put(b"i%x;" % value, parts)
        elif kind is float:
            self._put_float(value, parts)
        elif value is None:
            self._put(b"N;", parts)
        elif depth > MAX_DEPTH:
            raise Unencodable("cyclic or nested too deeply")
        elif kind is list or kind is tuple:
            opening, closing = (b"[", b"]") if kind is list else (b"(", b")")
            self._put(opening, parts)
            for item in value:
                self._add(item, parts, depth + 1)
            self._put(closing, parts)
        elif kind is dict:
            encoded = []
            for key, item in value.items():
                pair: list[bytes] = []
                self._add(key, pair, depth + 1)
                self._add(item, pair, depth + 1)
                encoded.append(b"".join(pair))
            encoded.sort()
            self._put(b"{", parts)
            parts.extend(encoded)
            self._put(b"}", parts)
        elif kind is set or kind is frozenset:
            encoded = []
            for item in value:
                member: list[bytes] = []
                self._add(item, member, depth + 1)
                encoded.append(b"".join(member))
            encoded.sort()
            self._put(b"<", parts)
            parts.extend(encoded)
            self._put(b">", parts)
        else:
            self._add_rare(value, kind, parts, depth)

    # --- scalars

    def _put_text(self, value: str, parts: list[bytes]) -> None:
        data = value.encode("utf-8", "surrogatepass")
        self._put(b"s%d:" % len(data), parts)
        self._put(data, parts)

    def _put_bytes(self, value: bytes, parts: list[bytes]) -> None:
        self._put(b"b%d:" % len(value), parts)
        self._put(value, parts)

    def _put_float(self, value: float, parts: list[bytes]) -> None:
        if value != value:
            self._put(self._nan(value), parts)
        elif value in _INFINITIES:
            self._put(b"finf;" if value > 0 else b"f-inf;", parts)
        elif value == int(value):
            self._put(b"i%x;" % int(value), parts)
        else:
            self._put(b"f" + value.hex().encode() + b";", parts)

    def _nan(self, value: Any) -> bytes:
        if not self.official:
            return b"n;"
        if value is _SHARED_NAN:
            return b"n1;"
        if value is _numpy_nan():
            return b"n2;"
        raise Unencodable("nan equals nothing")

    def _put_ratio(self, numerator: int, denominator: int, parts: list[bytes]) -> None:
        """An exact fraction in lowest terms: as an int or a float where it is one."""
        if denominator == 1:
            self._put(b"i%x;" % numerator, parts)
            return
        try:
            nearest = numerator / denominator
        except OverflowError:
            nearest = math.inf
        if nearest not in _INFINITIES and nearest.as_integer_ratio() == (numerator, denominator):
            self._put_float(nearest, parts)
        else:
            self._put(b"q%x/%x;" % (numerator, denominator), parts)

    # --- everything that is not one of the eight plain types

    def _tagged(self, tag: bytes, name: str, payload: Any, parts: list[bytes], depth: int) -> None:
        self._put(tag, parts)
        self._put_text(name, parts)
        self._add(payload, parts, depth + 1)

    def _add_rare(self, value: Any, kind: type, parts: list[bytes], depth: int) -> None:
        if self.official:
            _refuse_what_equals_only_itself(value, kind)
        if _add_from_package(self, value, kind, parts, depth):
            return
        for base, read in _BUILTIN_BASES:
            if isinstance(value, base):
                self._add(read(value), parts, depth + 1)
                return
        name = f"{kind.__module__}.{kind.__qualname__}"
        reader = _STANDARD_TYPES.get(name)
        if reader is not None:
            reader(self, value, parts, depth)
        elif isinstance(value, datetime.date | datetime.time | datetime.timedelta | datetime.tzinfo):
            self._add_temporal(value, parts, depth)
        elif isinstance(value, type | types.ModuleType | types.BuiltinFunctionType | types.FunctionType):
            self._add_definition(value, parts)
        elif isinstance(value, complex):
            self._add_complex(complex(value), parts)
        elif isinstance(value, memoryview):
            self._put_bytes(value.tobytes(), parts)
        elif isinstance(value, BaseException):
            self._tagged(b"x", kind.__name__, list(value.args), parts, depth)
        elif _is_enum(value):
            self._tagged(b"e", kind.__name__, [value.name, value.value], parts, depth)
        elif name.startswith(("pathlib.", "ipaddress.")):
            self._tagged(b"o", kind.__name__, str(value), parts, depth)
        elif isinstance(value, types.CoroutineType | types.AsyncGeneratorType | types.MethodType | io.IOBase):
            raise Unencodable(f"a {kind.__name__}")
        elif isinstance(value, collections.abc.Iterator):
            self._put(b"g", parts)
            for item in value:
                self._add(item, parts, depth + 1)
            self._put(b"]", parts)
        else:
            self._tagged(b"o", kind.__name__, _fields(value, kind), parts, depth)

    def _add_complex(self, value: complex, parts: list[bytes]) -> None:
        if value.imag == 0:
            self._put_float(value.real, parts)
        else:
            self._put(b"c", parts)
            self._put_float(value.real, parts)
            self._put_float(value.imag, parts)

    def _add_temporal(self, value: Any, parts: list[bytes], depth: int) -> None:
        """Moments as whole microseconds, in UTC where they have an offset; naive and aware ones are never equal."""
        microsecond = datetime.timedelta(microseconds=1)
        if isinstance(value, datetime.datetime | datetime.time):
            since_midnight = datetime.timedelta(
                hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
            )
            offset = value.utcoffset()
            # Plain ints: a datetime near its limits cannot be moved to UTC.
            count = (since_midnight - (offset or datetime.timedelta())) // microsecond
            if isinstance(value, datetime.datetime):
                count += value.toordinal() * 86_400_000_000
            tag = b"dT" if isinstance(value, datetime.datetime) else b"dt"
            self._put(tag + (b"n" if offset is None else b"a"), parts)
            self._add(count, parts, depth + 1)
        elif isinstance(value, datetime.date):
            self._put(b"dD", parts)
            self._add(value.toordinal(), parts, depth + 1)
        elif isinstance(value, datetime.timedelta):
            self._put(b"dd", parts)
            self._add(value // microsecond, parts, depth + 1)
        else:
            key = value.utcoffset(None) if isinstance(value, datetime.timezone) else getattr(value, "key", None)
            if key is None:
                raise Unencodable(f"a {type(value).__name__}")
            self._tagged(b"o", type(value).__name__, key, parts, depth)

    def _add_definition(self, value: Any, parts: list[bytes]) -> None:
        """Classes, functions and modules: by the name under which every process finds them."""
        if isinstance(value, types.ModuleType):
            module, name = value.__name__, ""
            known = sys.modules.get(module) is value
        else:
            module, name = getattr(value, "__module__", None) or "builtins", value.__qualname__
            known = _found_by_name(module, name) is value
        if known and module != ANSWER_MODULE:
            self._put(b"t", parts)
            self._put_text(f"{module}:{name}", parts)
        elif isinstance(value, type) and not self.official:
            self._put(b"t", parts)
            self._put_text(value.__name__, parts)
        else:
            raise Unencodable(f"a {type(value).__name__} that the code defined")


# --- readers of built-in and standard types


def _map_items(value: dict[Any, Any]) -> dict[Any, Any]:
    return dict(dict.items(value))


# Subclasses first show themselves as the built-in type whose `__eq__` they inherit, whatever else they override.
_BUILTIN_BASES: tuple[tuple[Any, Any], ...] = (
    (str, str.__str__),
    (int, int.__index__),
    (float, float.__float__),
    (list, lambda value: [*list.__iter__(value)]),
    (tuple, lambda value: (*tuple.__iter__(value),)),
    (dict, _map_items),
    (set, lambda value: {*set.__iter__(value)}),
    (frozenset, lambda value: {*frozenset.__iter__(value)}),
    (collections.abc.KeysView, set),
    (collections.abc.ItemsView, set),
    (collections.abc.ValuesView, iter),
    (types.MappingProxyType, dict),
    (collections.ChainMap, dict),
    (collections.UserDict, lambda value: value.data),
    (collections.UserList, lambda value: value.data),
    (collections.UserString, lambda value: value.data),
)


def _decimal(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    if value.is_nan():
        encoder._put(encoder._nan(value), parts)
    elif value.is_infinite():
        encoder._put_float(float(value), parts)
    elif abs(value.adjusted()) > _MAX_DECIMAL_EXPONENT:
        raise Unencodable("a Decimal with a huge exponent")
    else:
        numerator, denominator = value.as_integer_ratio()
        encoder._put_ratio(numerator, denominator, parts)


def _fraction(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    encoder._put_ratio(value.numerator, value.denominator, parts)


def _bytes(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    encoder._put_bytes(bytes(value), parts)


def _items(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    encoder._tagged(b"o", type(value).__name__, list(value), parts, depth)


def _range(encoder: _Encoder, value: range, parts: list[bytes], depth: int) -> None:
    shape = (len(value), value[0] if value else 0, value.step if len(value) > 1 else 0)
    encoder._tagged(b"o", "range", shape, parts, depth)


def _slice(encoder: _Encoder, value: slice, parts: list[bytes], depth: int) -> None:
    encoder._tagged(b"o", "slice", (value.start, value.stop, value.step), parts, depth)


def _pattern(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    encoder._tagged(b"o", "Pattern", (value.pattern, value.flags), parts, depth)


def _match(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    encoder._tagged(b"o", "Match", (value.re.pattern, value.re.flags, value.string, value.regs), parts, depth)


def _constant(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    encoder._put(b"t", parts)
    encoder._put_text(repr(value), parts)


def _opaque(encoder: _Encoder, value: Any, parts: list[bytes], depth: int) -> None:
    raise Unencodable(f"a {type(value).__name__}")


_STANDARD_TYPES: dict[str, Any] = {
    "decimal.Decimal": _decimal,
    "fractions.Fraction": _fraction,
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.range": _range,
    "builtins.slice": _slice,
    "builtins.ellipsis": _constant,
    "builtins.NotImplementedType": _constant,
    "builtins.object": _opaque,
    "collections.deque": _items,
    "array.array": _items,
    "re.Pattern": _pattern,
    "re.Match": _match,
}


def _fields(value: Any, kind: type) -> dict[str, Any]:
    """The attributes of an instance, from `__dict__` and `__slots__`.

    Raises:
        Unencodable: state may lie elsewhere (a class written in C), so equal fields would prove nothing.
    """
    fields: dict[str, Any] = {}
    has_fields = False
    for base in kind.__mro__:
        if base is object:
            continue
        module = sys.modules.get(base.__module__)
        if base.__module__ != ANSWER_MODULE and not (getattr(module, "__file__", None) or "").endswith(".py"):
            raise Unencodable(f"a {kind.__name__}")
        slots = base.__dict__.get("__slots__", ())
        has_fields = has_fields or "__slots__" in base.__dict__
        for name in (slots,) if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            attribute = f"_{base.__name__.lstrip('_')}{name}" if private else name
            descriptor = base.__dict__.get(attribute)
            if isinstance(descriptor, types.MemberDescriptorType):
                try:
                    fields[name] = descriptor.__get__(value, kind)
                except AttributeError:  # a slot that was never set is not a field
                    continue
    try:
        instance = object.__getattribute__(value, "__dict__")
    except AttributeError:
        if not has_fields:
            raise Unencodable(f"a {kind.__name__}") from None
    else:
        fields.update(_map_items(instance))
    return fields


def _is_enum(value: Any) -> bool:
    enum = sys.modules.get("enum")
    return enum is not None and isinstance(value, enum.Enum)


# --- packages that the answer may have imported; looked up, never imported from here


def _numpy_nan() -> Any:
    return getattr(sys.modules.get("numpy"), "nan", _SHARED_NAN)


def _add_from_package(encoder: _Encoder, value: Any, kind: type, parts: list[bytes], depth: int) -> bool:
    """Encode a value of NumPy or pandas; False if it is none."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic | numpy.ndarray):
        _add_array(encoder, numpy, value, parts, depth)
        return True
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and hasattr(pandas, "DataFrame"):
        if value is pandas.NaT or value is pandas.NA:
            encoder._put(b"n;" if not encoder.official else b"n" + kind.__name__.encode() + b";", parts)
            return True
        if isinstance(value, pandas.DataFrame | pandas.Series | pandas.Index):
            if encoder.official:
                raise Unencodable(f"a {kind.__name__}: comparing two gives no truth value")
            frame = isinstance(value, pandas.DataFrame)
            index = [] if isinstance(value, pandas.Index) else value.index.tolist()
            items = (value.columns.tolist() if frame else [], index, value.to_numpy().tolist())
            name = "DataFrame" if frame else "Index" if isinstance(value, pandas.Index) else "Series"
            encoder._tagged(b"o", name, items, parts, depth)
            return True
    return False


def _add_array(encoder: _Encoder, numpy: Any, value: Any, parts: list[bytes], depth: int) -> None:
    if isinstance(value, numpy.datetime64 | numpy.timedelta64):
        if numpy.isnat(value):
            encoder._put(encoder._nan(value), parts)
        else:
            # The finest unit that both sides may have used is not known: the text of the value in microseconds is.
            encoder._tagged(b"o", type(value).__name__, str(value.astype(f"{value.dtype.kind}8[us]")), parts, depth)
    elif isinstance(value, numpy.generic):
        plain = value.item()
        if isinstance(plain, numpy.generic):
            raise Unencodable(f"a {type(value).__name__}")
        encoder._add(plain, parts, depth + 1)
    elif encoder.official and value.size != 1:
        raise Unencodable("an array of several items has no truth value")
    elif encoder.official or value.ndim == 0:
        encoder._add(value.reshape(()).item(), parts, depth + 1)
    else:
        encoder._put(b"A", parts)
        encoder._add(list(value.shape), parts, depth + 1)
        encoder._add(value.tolist(), parts, depth + 1)


_HEAP_TYPE = 1 << 9
"""Flag of classes that were made at run time; CPython sets it in `type.__flags__`."""


def _is_shared(kind: type) -> bool:
    """Whether every process has this class: it is compiled in, or its module, which is not the answer's, holds it.

    `__module__` alone proves nothing: `dataclasses.make_dataclass` calls its classes members of `types`.
    """
    if not kind.__flags__ & _HEAP_TYPE:
        return True
    return kind.__module__ != ANSWER_MODULE and _found_by_name(kind.__module__, kind.__qualname__) is kind


def _found_by_name(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for attribute in name.split("."):
        found = getattr(found, attribute, None)
    return found


OWN_EQUALITY = "its class defines __eq__ itself"
"""The reason `encode_official` gives for an instance whose equality the answer wrote: the grader notes it."""


def _refuse_what_equals_only_itself(value: Any, kind: type) -> None:
    """Raise `Unencodable` where `==` between two executions is identity, or is up to the answer."""
    if _is_enum(value) and not isinstance(value, int | str | float):
        if not _is_shared(kind):
            raise Unencodable("a member of an enum that the code defined")
        return
    if isinstance(value, type | types.ModuleType | types.BuiltinFunctionType | types.FunctionType):
        return  # `_add_definition` knows which of them are shared
    if value is Ellipsis or value is NotImplemented:
        return
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and (value is getattr(pandas, "NaT", pandas) or value is getattr(pandas, "NA", pandas)):
        return
    for base in kind.__mro__:
        if "__eq__" in base.__dict__:
            if base is object:
                raise Unencodable(f"a {kind.__name__} equals only itself")
            if _is_shared(base):
                return
            # A dataclass compares the classes first, and two executions make two of them.
            written = getattr(getattr(base.__dict__["__eq__"], "__code__", None), "co_filename", "") == ANSWER_FILE
            raise Unencodable(
                f"a {kind.__name__}: {OWN_EQUALITY}" if written else f"a {kind.__name__} equals only itself"
            )
    raise Unencodable(f"a {kind.__name__} equals only itself")
