"""What a family of embedded backend tasks is made of.

A family is one ordinary Python function whose keyword-only parameters are its *details*: the facts that the vague
description leaves out and the simulated person knows. One task of the family is one choice of their values. Folding the
values into the function's syntax tree gives the reference's source; calling the same function with one value changed
gives what somebody who guessed wrong would have written. So reference and wrong guesses cannot drift apart.
"""

from __future__ import annotations

import ast
import inspect
import operator
import random
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any, TypeGuard, cast

from colbench_gym import foreign_code

Value = str | int | float | bool | None | tuple[Any, ...]
Arguments = tuple[Any, ...]
Phrases = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetailSpec:
    """One detail of a family, over all its tasks.

    Attributes:
        name: the keyword-only parameter it fills.
        options: value -> how a person says it (one phrase or several). A value is a number, a string, a bool or None.
        careless: the option somebody who does not ask would assume.
        topics: words and phrases by which a question asks for it.
        say: sentences with one `{}` for the phrase.
    """

    name: str
    options: Mapping[Value, Phrases]
    careless: Value
    topics: tuple[str, ...]
    say: tuple[str, ...]

    def sentences(self, value: Value) -> tuple[str, ...]:
        """Every way in which a person may say that this detail has this value."""
        phrases = self.options[value]
        return tuple(
            template.format(phrase)
            for template in self.say
            for phrase in ((phrases,) if isinstance(phrases, str) else phrases)
        )


def detail(
    name: str,
    options: Mapping[Any, Phrases],
    *,
    careless: Value,
    topics: tuple[str, ...],
    say: str | tuple[str, ...] = "{}",
) -> DetailSpec:
    """A `DetailSpec`, checked: `careless` is an option, and at least one topic and two options are there."""
    if careless not in options or len(options) < 2 or not topics:
        raise ValueError(f"detail {name}: needs two options or more, {careless!r} among them, and a topic")
    return DetailSpec(name, options, careless, topics, (say,) if isinstance(say, str) else say)


def percent(*percentages: float) -> dict[float, str]:
    """Options for a share: 15 becomes the value 0.15, said "15%"."""
    return {percentage / 100: f"{percentage:g}%" for percentage in percentages}


def money(*amounts: float) -> dict[float, str]:
    """Options for an amount of money: 20 is said "$20", 2.5 is said "$2.50"."""
    return {amount: f"${amount:,}" if isinstance(amount, int) else f"${amount:,.2f}" for amount in amounts}


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def count(*numbers: int) -> dict[int, Phrases]:
    """Options for a whole number: 3 is said "3" or "three", 40 is said "40"."""
    return {number: (str(number), _WORDS[number]) if number < len(_WORDS) else f"{number:,}" for number in numbers}


@dataclass(frozen=True, eq=False)
class Family:
    """A family of tasks.

    Attributes:
        function: `function(*arguments, **details)`; it neither changes its arguments nor raises on what `inputs` gives.
        names: what the function may be called; no other family uses them.
        requests: vague descriptions in different voices; `[a|b|c]` stands for one of a, b, c.
        details: 4 to 8 of them.
        inputs: `inputs(rng, details)` draws the arguments of one call; boundaries should come up often.
        probes: `probes(rng, details)` gives calls that bring single details to light, tried first.
        valid: whether a choice of values makes sense as a whole.
        held_out: True for families that only the `test_ood` split has.
    """

    function: Callable[..., Any]
    names: tuple[str, ...]
    requests: tuple[str, ...]
    details: tuple[DetailSpec, ...]
    inputs: Callable[[random.Random, SimpleNamespace], Arguments]
    probes: Callable[[random.Random, SimpleNamespace], list[Arguments]] | None
    valid: Callable[[SimpleNamespace], bool] | None
    held_out: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    def draw(self, rng: random.Random) -> dict[str, Value]:
        """Values for all details. At least three differ from the careless guess, so that guessing does not pay."""
        while True:
            values = {spec.name: rng.choice(list(spec.options)) for spec in self.details}
            surprises = sum(values[spec.name] != spec.careless for spec in self.details)
            if surprises >= 3 and (self.valid is None or self.valid(SimpleNamespace(**values))):
                return values

    def wrong_guesses(self, values: Mapping[str, Value]) -> Iterator[tuple[str, dict[str, Value]]]:
        """Every choice of values with exactly one detail wrong, with that detail's name."""
        for spec in self.details:
            for option in spec.options:
                if option != values[spec.name]:
                    yield spec.name, {**values, spec.name: option}

    def calls(self, rng: random.Random, values: Mapping[str, Value], limit: int) -> Iterator[Arguments]:
        """Up to `limit` argument tuples, the probes first."""
        namespace = SimpleNamespace(**values)
        if self.probes is not None:
            yield from self.probes(rng, namespace)
        for _ in range(limit):
            yield self.inputs(rng, namespace)

    def source(self, values: Mapping[str, Value], name: str) -> str:
        """The function as source text with the details' values folded in."""
        numbers = {key: value for key, value in values.items() if _is_number(value)}
        choices = tuple((key, value) for key, value in values.items() if key not in numbers)
        text = _folded_source(self, name, choices)
        return re.sub(r"\bDETAIL_(\w+)\b", lambda match: repr(numbers[match.group(1)]), text)

    def signature(self, name: str) -> str:
        arguments = _definition(self).args
        return f"def {name}({ast.unparse(_without_details(arguments))})"


def family(
    *,
    names: tuple[str, ...],
    requests: tuple[str, ...],
    details: tuple[DetailSpec, ...],
    inputs: Callable[[random.Random, SimpleNamespace], Arguments],
    probes: Callable[[random.Random, SimpleNamespace], list[Arguments]] | None = None,
    valid: Callable[[SimpleNamespace], bool] | None = None,
    held_out: bool = False,
) -> Callable[[Callable[..., Any]], Family]:
    """Decorator that makes a function a `Family`; the arguments are its attributes."""

    def build(function: Callable[..., Any]) -> Family:
        keywords = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        if keywords != [spec.name for spec in details]:
            raise ValueError(f"family {function.__name__}: keyword-only parameters {keywords} are not its details")
        return Family(function, names, requests, details, inputs, probes, valid, held_out)

    return build


def expand(text: str, rng: random.Random) -> str:
    """`text` with every innermost `[a|b|c]` replaced by one of its alternatives, until none is left."""
    pattern = re.compile(r"\[([^\[\]]*)\]")
    while match := pattern.search(text):
        text = text[: match.start()] + rng.choice(match.group(1).split("|")) + text[match.end() :]
    return text


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@cache
def _definition(of: Family) -> ast.FunctionDef:
    tree = foreign_code.parse(textwrap.dedent(inspect.getsource(of.function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


@cache
def _body(of: Family) -> str:
    return textwrap.indent(ast.unparse(ast.Module(_definition(of).body, [])), "    ")


def _without_details(arguments: ast.arguments) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=arguments.args, kwonlyargs=[], kw_defaults=[], defaults=arguments.defaults
    )


@lru_cache(maxsize=4096)
def _folded_source(of: Family, name: str, choices: tuple[tuple[str, Value], ...]) -> str:
    """The source for these choices, with `DETAIL_x` where the number x belongs (numbers never decide its shape)."""
    values: dict[str, ast.expr] = {spec.name: ast.Name(f"DETAIL_{spec.name}", ast.Load()) for spec in of.details}
    values.update((key, ast.Constant(cast(Any, value))) for key, value in choices)
    # Parsed anew each time: the folder edits the tree in place.
    definition = foreign_code.parse(f"{of.signature(name)}:\n{_body(of)}")
    return ast.unparse(_Folder(values).visit(definition))


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}


class _Folder(ast.NodeTransformer):
    """Puts constants where details stand and removes the branches that they decide."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        decide = _COMPARISONS.get(type(node.ops[0]))
        if decide is None or len(node.ops) > 1:
            return node
        left, right = node.left, node.comparators[0]
        if _is_placeholder(left) and isinstance(right, ast.Constant) and right.value is None:
            return ast.Constant(isinstance(node.ops[0], (ast.IsNot, ast.NotEq)))
        if not (_is_literal(left) and _is_literal(right)):
            return node
        return ast.Constant(decide(ast.literal_eval(left), ast.literal_eval(right)))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.Constant(not node.operand.value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        deciding = isinstance(node.op, ast.Or)  # True decides an `or`, False decides an `and`
        decided = [operand.value for operand in node.values if _is_truth(operand)]
        if deciding in decided:
            return ast.Constant(deciding)  # the operands before it only look: none has an effect worth keeping
        kept = [operand for operand in node.values if not _is_truth(operand)]
        if not kept:
            return ast.Constant(not deciding)
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return self._with_body(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        node.body = _reachable(node.body)
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        return self._with_body(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        return self._with_body(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = [test for test in node.ifs if not (_is_truth(test) and test.value)]
        return node

    @staticmethod
    def _with_body(node: Any) -> Any:
        node.body = _reachable(node.body) or [ast.Pass()]
        node.orelse = _reachable(node.orelse)
        return node


def _reachable(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block up to the one that leaves it."""
    for position, statement in enumerate(body, start=1):
        if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return body[:position]
    return body


def _is_truth(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _is_placeholder(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith("DETAIL_")


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_is_literal(element) for element in node.elts)
    return isinstance(node, ast.Constant)
