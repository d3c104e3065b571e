"""Which conditions rule each other out, and which side of a limit a number falls on."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Number = int | float

_OPERATORS: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.LtE, ast.LtE: ast.GtE}


@dataclass(frozen=True)
class Rung:
    """One branch of a ladder: its test (None for the last, which needs none), its sentence, and what follows."""

    test: ast.expr | None
    sentence: str
    effect: str


@dataclass(frozen=True)
class Ladder:
    """Branches that all ask about one number.

    Attributes:
        opening: `if the number is`.
        key: `ast.dump` of the number's expression.
        stems: stems of the words of its name.
        lead: what must hold besides, as the opening of a sentence (or blank).
        rungs: in order.
        fixed: names that stand for constants, with their values.
        taken: names of one letter, which stand for themselves in a sentence.
    """

    opening: str
    key: str
    stems: frozenset[str]
    lead: str
    rungs: tuple[Rung, ...]
    fixed: dict[str, Number]
    taken: frozenset[str] = frozenset()

    @property
    def decides(self) -> bool:
        """Whether there is a single rule, and any number is told to fall under it or not."""
        only = self.rungs[0]
        return len(self.rungs) == 1 and only.test is not None and self._holds(only.test, 0) is not None

    def at(self, value: Number) -> Rung | None:
        """The branch that a value takes; None if it takes none, or if that cannot be told."""
        for rung in self.rungs:
            if rung.test is None:
                return rung
            holds = self._holds(rung.test, value)
            if holds is None:
                return None
            if holds:
                return rung
        return None

    def _holds(self, test: ast.expr, value: Number) -> bool | None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._holds(test.operand, value)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            parts = [self._holds(part, value) for part in test.values]
            if any(part is None for part in parts):
                return None
            return all(parts) if isinstance(test.op, ast.And) else any(parts)
        if not isinstance(test, ast.Compare):
            return None
        values = [self._value(part, value) for part in [test.left, *test.comparators]]
        for op, left, right in zip(test.ops, values, values[1:], strict=False):
            compare = _OPERATORS.get(type(op))
            if compare is None or left is None or right is None:
                return None
            if not compare(left, right):
                return False
        return True

    def _value(self, node: ast.expr, value: Number) -> Number | None:
        if ast.dump(node) == self.key:
            return value
        if isinstance(node, ast.Name):
            return self.fixed.get(node.id)
        return number_in(node)


def number_in(node: ast.AST) -> Number | None:
    """The value of a numeric literal, with or without a minus sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_in(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


def subject_of(tests: Sequence[ast.expr], fixed: dict[str, Number]) -> ast.expr | None:
    """The one expression that all these tests compare with fixed numbers; None if there is no such one."""
    subjects: dict[str, ast.expr] = {}
    pending = list(tests)
    while pending:
        test = pending.pop()
        if isinstance(test, ast.BoolOp):
            pending += test.values
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            pending.append(test.operand)
        elif isinstance(test, ast.Compare) and all(type(op) in _OPERATORS for op in test.ops):
            for part in [test.left, *test.comparators]:
                if number_in(part) is None and not (isinstance(part, ast.Name) and part.id in fixed):
                    subjects[ast.dump(part)] = part
        else:
            return None
    return next(iter(subjects.values())) if len(subjects) == 1 else None


def exclude_each_other(one: ast.expr, other: ast.expr) -> bool:
    """Whether two conditions can never hold both (False where that is not plain to see)."""
    return any(_clash(a, b) for a in _conjuncts(one) for b in _conjuncts(other))


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conjuncts(value)]
    return [test]


def _clash(a: ast.expr, b: ast.expr) -> bool:
    if ast.dump(_stripped(a)) == ast.dump(_stripped(b)):
        return _is_negated(a) != _is_negated(b)
    if not (isinstance(a, ast.Compare) and isinstance(b, ast.Compare) and len(a.ops) == len(b.ops) == 1):
        return False
    if ast.dump(a.left) != ast.dump(b.left):
        return False
    mine, theirs = _allowed(a), _allowed(b)
    if mine is not None and theirs is not None:
        return not mine & theirs
    low, high = number_in(a.comparators[0]), number_in(b.comparators[0])
    if low is None or high is None:
        return False
    first, second = type(a.ops[0]), type(b.ops[0])
    if first in (ast.Gt, ast.GtE) and second in (ast.Lt, ast.LtE):
        first, second, low, high = second, first, high, low
    if first in (ast.Lt, ast.LtE) and second in (ast.Gt, ast.GtE):
        return low < high or (low == high and not (first is ast.LtE and second is ast.GtE))
    return False


def _stripped(test: ast.expr) -> ast.expr:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return test


def _is_negated(test: ast.expr) -> bool:
    negated = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    return negated


def _allowed(test: ast.Compare) -> frozenset[str] | None:
    """The only values that an `==` or an `in` lets through."""
    right = test.comparators[0]
    if isinstance(test.ops[0], ast.Eq) and isinstance(right, ast.Constant):
        return frozenset([repr(right.value)])
    if isinstance(test.ops[0], ast.In) and isinstance(right, ast.List | ast.Tuple | ast.Set):
        values = [element.value for element in right.elts if isinstance(element, ast.Constant)]
        return frozenset(map(repr, values)) if len(values) == len(right.elts) else None
    return None
