"""What an audit asks a simulated user: a direct question for each constant of a reference, made from its statement.

It reads the syntax tree by itself and shares nothing with `colbench_gym.simulators`: a measure that read references the
way the rule-based user does would be blind exactly where that user is.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from colbench_gym import foreign_code
from colbench_gym.errors import ConfigError
from colbench_gym.evaluation.audit_scoring import holds_number, holds_text
from colbench_gym.tasks import TaskSet
from colbench_gym.types import Task

LONG_LIST = 6
"""Entries of a list from which on a question names an entry's neighbours: no two sentences hold a longer list."""

LONGEST_CONDITION = 24
"""Words of a condition that a question may quote."""

_PLUMBING_TEXT = """
abs all any append dict enumerate extend filter float format get index int isinstance items join keys len list lower map
max min pop print range reverse reversed round set sort sorted split str strip sum tuple upper values zip self cls math
np re datetime key i j k x y n add update replace startswith endswith ValueError Exception TypeError KeyError copy e
ceil floor sqrt
"""
_PLUMBING = frozenset(_PLUMBING_TEXT.split())
"""Names that say nothing about what a statement is about."""

_WORD_BREAKS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\s+")
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "is below",
    ast.LtE: "is at most",
    ast.Gt: "is more than",
    ast.GtE: "is at least",
    ast.Eq: "is",
    ast.NotEq: "is not",
    ast.In: "is among",
    ast.NotIn: "is not among",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "divided by",
    ast.FloorDiv: "divided by",
    ast.Mod: "modulo",
    ast.Pow: "to the power of",
}


@dataclass(frozen=True, slots=True)
class Clue:
    """What a question about a constant may be made of.

    Attributes:
        group: `number`, `text`, or `key` (a text under which a value is kept).
        kind: the part the constant plays: threshold, factor, amount, default, option, result, ...
        subject: the nearest words of its statement, such as the name it is compared with.
        context: the next nearest; may be empty.
        others: the statement's remaining phrases, nearest first.
        condition: the branches it stands in, in words; for a constant of a condition, what that leads to; for a key
            of a table, the value it has there. May be empty.
        neighbours: the entries beside it, if it stands in a long list or set.
        owner: the function's name in words.
        is_ambiguous: other constants of the reference have the same subject, or the statement has no words of its own.
    """

    group: str
    kind: str
    subject: str
    context: str = ""
    others: tuple[str, ...] = ()
    condition: str = ""
    neighbours: tuple[str, ...] = ()
    owner: str = ""
    is_ambiguous: bool = False

    @property
    def named(self) -> str:
        """The subject, with the entries beside it or the context where it needs them to be told from others."""
        if self.neighbours:
            return f"{self.subject} besides {' and '.join(self.neighbours)}"
        if self.is_ambiguous and self.context and not self.condition:
            return f"{self.subject} and {self.context}"
        return self.subject

    @property
    def given(self) -> str:
        """ " if" and the condition where the subject needs it to be told from others; empty otherwise."""
        return f" if {self.condition}" if self.is_ambiguous and self.condition and not self.neighbours else ""

    @property
    def whole(self) -> str:
        """`named` and `given` in one."""
        return self.named + self.given


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or text that stands in a reference.

    Attributes:
        value: a number, or the text.
        kind: the part it plays in its statement.
        line: line of the reference, from 1.
        relation: what the number does there, where other words may say it ("squared" for a power of 2): `power`,
            `remainder`, `divisor`, `position`, `decimals`, or empty.
        clue: what questions are made of.
    """

    value: int | float | str
    kind: str
    line: int
    relation: str
    clue: Clue


@dataclass(frozen=True, slots=True)
class Question:
    """One question of an audit.

    Attributes:
        task_id: the task it is about.
        constant: what a faithful reply holds; None for a question about a detail, or about nothing.
        detail: the name of the detail asked for (embedded tasks); None otherwise.
        related: details that the same words ask for too.
        words: the words it was made of.
        text: as it is asked.
        phrasing: the name of the phrasing.
    """

    task_id: str
    constant: Constant | None
    detail: str | None
    related: tuple[str, ...]
    words: tuple[str, ...]
    text: str
    phrasing: str

    @property
    def kind(self) -> str:
        """The kind of constant it asks for; `detail`, or `nothing` for a question that no reference answers."""
        if self.constant is not None:
            return self.constant.kind
        return "detail" if self.detail is not None else "nothing"


# -- constants


def constants_of(reference: str) -> list[Constant]:
    """The numbers and texts of a Python reference, in order of their appearance.

    Left out: docstrings, 0, 1, truth values, None, annotations, pieces of f-strings without letters, and texts that
    nobody can say (regular expressions without a word in them).

    Raises:
        ConfigError: it does not parse.
    """
    try:
        tree = foreign_code.parse(reference)
    except SyntaxError as error:
        raise ConfigError(f"a reference does not parse ({error}). Mend: an audit reads Python references") from None
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    skipped = set(_not_asked(tree))
    found: list[Constant] = []
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in skipped]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        value = _askable(node, parents)
        if value is not None:
            found.append(_constant(node, value, parents))
    subjects = Counter((one.clue.group, one.clue.subject) for one in found)
    return [
        replace(one, clue=replace(one.clue, is_ambiguous=True))
        if subjects[one.clue.group, one.clue.subject] > 1
        else one
        for one in found
    ]


def _not_asked(tree: ast.Module) -> Iterator[ast.AST]:
    """Constants that are no behaviour: documentation, annotations, the guard of a script."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        for name in ("annotation", "returns"):
            annotation = getattr(node, name, None)
            if annotation is not None:
                yield from ast.walk(annotation)
        if isinstance(node, ast.Compare) and any(
            isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node)
        ):
            yield from ast.walk(node)


def _askable(node: ast.Constant, parents: Mapping[ast.AST, ast.AST]) -> int | float | str | None:
    value = node.value
    if isinstance(value, bool) or value is None or value is ...:
        return None
    if isinstance(value, int | float):
        return None if value in (0, 1) else value
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return None
    parent = parents[node]
    if isinstance(parent, ast.JoinedStr):
        if isinstance(parents.get(parent), ast.FormattedValue):
            digits = re.search(r"\.(\d+)[f%]?", value)
            return int(digits[1]) if digits and int(digits[1]) > 1 else None
        if not any(letter.isalpha() for letter in value):
            return None
    if re.search(r"\\[dwsb]|\[[^\]]*\]|\(\?|[*+]\)|\.\*", value) and not re.search(r"(?<![\\%])\b[A-Za-z]{3,}", value):
        return None
    return value


def _constant(node: ast.Constant, value: int | float | str, parents: Mapping[ast.AST, ast.AST]) -> Constant:
    chain: list[ast.AST] = [node]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
    kind, relation = _part_played(chain, value)
    statement = next(place for place, step in enumerate(chain) if isinstance(step, ast.stmt) or place == len(chain) - 1)
    same = _plain(str(value))
    phrases: list[str] = []
    for phrase in _nearest(chain, statement):
        if phrase and phrase not in phrases and _plain(phrase) != same:
            phrases.append(phrase)
    condition = _condition(chain, value)
    function = next((step for step in chain if isinstance(step, ast.FunctionDef | ast.AsyncFunctionDef)), None)
    owner = " ".join(split_name(function.name)) if function is not None else "this"
    is_wordless = not phrases
    if is_wordless:
        phrases = [phrase for phrase in _around(chain, statement) if _plain(phrase) != same] or [owner]
    group = "number" if not isinstance(value, str) else "key" if kind == "key" else "text"
    clue = Clue(
        group=group,
        kind=kind,
        subject=phrases[0],
        context=phrases[1] if len(phrases) > 1 else "",
        others=tuple(phrases[2:8]),
        condition=condition,
        neighbours=_neighbours(chain, same),
        owner=owner,
        is_ambiguous=is_wordless,
    )
    return Constant(value, kind, node.lineno, relation, clue)


def _part_played(chain: Sequence[ast.AST], value: object) -> tuple[str, str]:
    """The kind of a constant and its `relation`, from the node above it."""
    node = chain[0]
    above = 1
    while isinstance(chain[above], ast.UnaryOp):
        node, above = chain[above], above + 1
    parent = chain[above]
    is_text = isinstance(value, str)
    if is_text and not any(letter.isalnum() for letter in str(value)):
        return "symbol", ""
    if isinstance(parent, ast.JoinedStr):
        return ("fragment", "") if is_text else ("decimals", "decimals")
    if any(isinstance(step, ast.Raise) for step in chain):
        return "message", ""
    if isinstance(parent, ast.Compare):
        if not is_text:
            return "threshold", ""
        is_left = parent.left is node and isinstance(parent.ops[0], ast.In | ast.NotIn)
        return ("key" if is_left else "option"), ""
    if isinstance(parent, ast.BinOp | ast.AugAssign):
        if is_text:
            return "text", ""
        operation = parent.op
        is_right = isinstance(parent, ast.AugAssign) or parent.right is node
        if isinstance(operation, ast.Pow):
            return "exponent", "power" if is_right else ""
        if isinstance(operation, ast.Mod):
            return "divisor", "remainder"
        if isinstance(operation, ast.Add | ast.Sub):
            return "amount", ""
        return "factor", "divisor" if isinstance(operation, ast.Div | ast.FloorDiv) and is_right else ""
    if isinstance(parent, ast.Subscript | ast.Slice):
        return ("key", "") if is_text else ("position", "position")
    if isinstance(parent, ast.arguments):
        return "default", ""
    if isinstance(parent, ast.Dict):
        return ("key" if is_text and node in parent.keys else "entry"), ""
    if isinstance(parent, ast.List | ast.Tuple | ast.Set):
        return "item", ""
    if isinstance(parent, ast.Call):
        name = _called(parent)
        if is_text and name in ("get", "pop", "setdefault") and parent.args and parent.args[0] is node:
            return "key", ""
        if name == "round":
            return "decimals", "decimals"
        return "argument", ""
    if isinstance(parent, ast.Return | ast.IfExp):
        return "result", ""
    return "setting", ""


def _called(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _nearest(chain: Sequence[ast.AST], statement: int) -> Iterator[str]:
    """Phrases of the constant's own statement, those nearest in the tree first."""
    for place in range(1, statement + 1):
        below, step = chain[place - 1], chain[place]
        if isinstance(step, ast.Dict):
            yield from _beside_in_dict(step, below)
        elif isinstance(step, ast.List | ast.Tuple | ast.Set):
            continue  # the entries beside it are other answers, not words to ask by
        elif isinstance(step, ast.arguments):
            yield from _parameter_of(step, below)
        elif isinstance(step, ast.keyword):
            yield from _phrases(step.arg)
        elif isinstance(step, ast.If | ast.While):
            continue  # what the condition leads to is the clue's `condition`
        elif isinstance(step, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _phrases(step.name)
        elif isinstance(step, ast.Assign | ast.AnnAssign | ast.AugAssign):
            for target in step.targets if isinstance(step, ast.Assign) else [step.target]:
                if target is not below:
                    yield from _said_in(target)
            if step.value is not None and step.value is not below:
                yield from _said_in(step.value)
        elif isinstance(step, ast.For | ast.With | ast.Try):
            if isinstance(step, ast.For):
                yield from _said_in(step.target)
        else:
            for child in ast.iter_child_nodes(step):
                if child is not below:
                    yield from _said_in(child)


def _beside_in_dict(node: ast.Dict, below: ast.AST) -> Iterator[str]:
    for key, value in zip(node.keys, node.values, strict=True):
        if below is value and key is not None:
            if isinstance(key, ast.Constant):
                yield " ".join(split_name(str(key.value)))
            else:
                yield from _said_in(key)
        elif below is key and not isinstance(value, ast.Constant | ast.Dict):
            yield from _said_in(value)


def _parameter_of(arguments: ast.arguments, default: ast.AST) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    for parameter, value in pairs:
        if value is default:
            yield from _phrases(parameter.arg)


def _around(chain: Sequence[ast.AST], statement: int) -> list[str]:
    """Phrases of the branches and loops around a statement that has no words of its own."""
    found: list[str] = []
    for place in range(statement + 1, len(chain)):
        step = chain[place]
        head = step.test if isinstance(step, ast.If | ast.While) else step.iter if isinstance(step, ast.For) else None
        if head is not None:
            found += _said_in(head)
    return list(dict.fromkeys(found))


def _said_in(node: ast.AST) -> Iterator[str]:
    """The phrases a piece of code is made of: names in words, short texts, attributes, keys."""
    if isinstance(node, ast.Name):
        yield from _phrases(node.id)
    elif isinstance(node, ast.Attribute):
        yield from _phrases(node.attr)
        yield from _said_in(node.value)
    elif isinstance(node, ast.Constant):
        if (
            isinstance(node.value, str)
            and re.fullmatch(r"[\w' ()/-]{2,40}", node.value)
            and len(node.value.split()) < 6
        ):
            yield from _phrases(node.value)
    elif isinstance(node, ast.FormattedValue):
        yield from _said_in(node.value)  # not the format: "02d" is no word
    elif isinstance(node, ast.keyword):
        yield from _phrases(node.arg)
        yield from _said_in(node.value)
    elif isinstance(node, ast.Subscript):
        yield from _said_in(node.slice)
        yield from _said_in(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _said_in(child)


def _phrases(name: str | None) -> Iterator[str]:
    if name and name not in _PLUMBING:
        phrase = " ".join(split_name(name))
        if len(phrase) > 1:
            yield phrase


def split_name(name: str) -> list[str]:
    """The words of an identifier: parted at underscores, blanks and capitals; abbreviations stay whole."""
    return [part if part.isupper() and len(part) > 1 else part.lower() for part in _WORD_BREAKS.split(name) if part]


def _neighbours(chain: Sequence[ast.AST], same: str) -> tuple[str, ...]:
    """The entries beside one of a long list, or of a long table whose values do not tell its keys apart."""
    node, parent = chain[0], chain[1]
    if isinstance(parent, ast.List | ast.Tuple | ast.Set):
        entries: Sequence[ast.AST | None] = parent.elts
    elif isinstance(parent, ast.Dict) and node in parent.keys:
        entries = parent.keys
        value = _value_in_words(parent.values[_place_of(node, entries)])
        if value and sum(_value_in_words(other) == value for other in parent.values) == 1:
            return ()
    else:
        return ()
    if len(entries) <= LONG_LIST or node not in entries:
        return ()
    place = _place_of(node, entries)
    beside = [entries[other] for other in (place - 1, place + 1) if 0 <= other < len(entries)]
    texts = [" ".join(split_name(str(other.value))) for other in beside if isinstance(other, ast.Constant)]
    return tuple(text for text in texts if text and _plain(text) != same)


def _place_of(node: ast.AST, entries: Sequence[ast.AST | None]) -> int:
    return next(place for place, entry in enumerate(entries) if entry is node)


# -- conditions in words


def _condition(chain: Sequence[ast.AST], value: object) -> str:
    """What a constant depends on or leads to, in words; empty if there is no such thing or it gives the value away."""
    guards: list[str] = []
    for place in range(1, len(chain)):
        below, step = chain[place - 1], chain[place]
        text = ""
        if isinstance(step, ast.Dict) and below in step.keys:
            text = _value_in_words(step.values[_place_of(below, step.keys)])
            text = f"the value is {text}" if text else ""
        elif isinstance(step, ast.Dict) and isinstance(chain[place + 1], ast.List | ast.Tuple | ast.Dict):
            text = _record_in_words(step, below)
        elif isinstance(step, ast.IfExp):
            if below is step.test:
                text = _value_in_words(step.body)
                text = f"the result is {text}" if text else ""
            else:
                text = _in_words(step.test, holds=below is step.body)
        elif isinstance(step, ast.If):
            if below is step.test:
                text = _outcome(step.body)
            elif below in step.body:
                text = _in_words(step.test)
            elif not (len(step.orelse) == 1 and isinstance(below, ast.If)):  # an `elif` is asked for by its own test
                text = _in_words(step.test, holds=False)
        if text and f" {_plain(str(value))} " not in f" {_plain(text)} " and text not in guards:
            guards.append(text)
    chosen: list[str] = []
    for guard in guards:
        if len(" ".join([*chosen, guard]).split()) > LONGEST_CONDITION:
            break
        chosen.append(guard)
    return " and ".join(chosen[:3])


def _record_in_words(record: ast.Dict, below: ast.AST) -> str:
    """What tells one record of many: its first plain entry other than the one in question; empty if it has none."""
    for key, value in zip(record.keys, record.values, strict=True):
        if value is not below and isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
            return f"{' '.join(split_name(str(key.value)))} is {_value_in_words(value)}"
    return ""


def _outcome(body: Sequence[ast.stmt]) -> str:
    """What the first telling statement of a branch does, in words; empty if that is not easily said."""
    for statement in body[:2]:
        if isinstance(statement, ast.Return) and statement.value is not None:
            text = _value_in_words(statement.value)
            return f"the result is {text}" if text else ""
        if isinstance(statement, ast.Assign | ast.AugAssign):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            left, right = _value_in_words(target), _value_in_words(statement.value)
            verb = "is" if isinstance(statement, ast.Assign) else "changes by"
            return f"{left} {verb} {right}" if left and right else ""
    return ""


def _in_words(node: ast.AST, *, holds: bool = True) -> str:
    """A condition or an expression in words, negated unless it `holds`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _in_words(node.operand, holds=not holds)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        kind = type(node.ops[0]) if holds else _OPPOSITES[type(node.ops[0])]
        right = node.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            return f"{_value_in_words(node.left)} is {'missing' if kind in (ast.Is, ast.Eq) else 'given'}"
        left, limit = _value_in_words(node.left), _value_in_words(right)
        return f"{left} {_COMPARISONS[kind]} {limit}" if left and limit else ""
    if isinstance(node, ast.BoolOp):
        word = "and" if isinstance(node.op, ast.And) == holds else "or"
        return f" {word} ".join(text for part in node.values if (text := _in_words(part, holds=holds)))
    text = _value_in_words(node)
    if not text:
        return ""
    return f"{text} is true" if holds else f"{text} is not true"


def _value_in_words(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return " ".join(split_name(node.id))
    if isinstance(node, ast.Constant):
        return "nothing" if node.value in (None, "") else str(node.value).replace("_", " ")
    if isinstance(node, ast.Attribute):
        return f"{_value_in_words(node.value)} {' '.join(split_name(node.attr))}".strip()
    if isinstance(node, ast.Subscript):
        return f"{_value_in_words(node.value)} {_value_in_words(node.slice)}".strip()
    if isinstance(node, ast.UnaryOp):
        return _value_in_words(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _value_in_words(node.left), _value_in_words(node.right)
        return f"{left} {_ARITHMETIC.get(type(node.op), 'and')} {right}" if left and right else ""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return " or ".join(_value_in_words(part) for part in node.elts[:4])
    if isinstance(node, ast.Call):
        arguments = " ".join(_value_in_words(part) for part in node.args[:3])
        name = _called(node)
        lead = {"len": "the number of", "sum": "the sum of", "max": "the largest", "min": "the smallest"}.get(name)
        if lead is not None:
            return f"{lead} {arguments}" if arguments.strip() else ""
        of = _value_in_words(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        said = "" if name in _PLUMBING else " ".join(split_name(name))
        return " ".join(part for part in (of, said, arguments) if part)
    return ""


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


# -- phrasings

About = Literal["details", "constants"]
Phrasing = Callable[[Clue], str | None]
"""Makes a question of a clue; None where the phrasing does not suit it."""

_NOUNS = {
    "threshold": "limit",
    "factor": "rate",
    "amount": "amount",
    "default": "default",
    "decimals": "rounding",
    "exponent": "power",
    "position": "position",
    "entry": "value",
    "item": "values",
}


def _plain_question(clue: Clue) -> str | None:
    if clue.group == "number":
        return f"What is the {clue.whole}?"
    if clue.group == "key":
        return f"What are the keys of {clue.whole}?"
    return f"What are the {clue.whole}?" if clue.kind == "item" else f"What should {clue.named} be{clue.given}?"


def _how_much(clue: Clue) -> str | None:
    if clue.group != "number":
        return None
    if clue.kind == "threshold":
        return f"How high or low does {clue.named} have to be{clue.given}?"
    if clue.kind == "decimals":
        return f"How many decimals do you want for {clue.whole}?"
    return f"How much is it for {clue.whole}?"


def _value_to_use(clue: Clue) -> str | None:
    if clue.group == "key":
        return f"What field name should I use for {clue.whole}?"
    return f"What value should I use for {clue.whole}?"


def _tell_me(clue: Clue) -> str | None:
    return f"Can you tell me about {clue.named} and how it is used{clue.given}?"


def _when(clue: Clue) -> str | None:
    if not clue.condition or clue.group == "key":
        return None
    if clue.kind in ("threshold", "option"):
        return f"When is it that {clue.condition}?"
    return f"When {clue.condition}, what happens?"


def _counts_as(clue: Clue) -> str | None:
    if clue.kind == "threshold":
        return f"From which {clue.subject} on does it count{' for ' + clue.context if clue.context else ''}?"
    if clue.kind in ("option", "item"):
        return f"Which ones count as {clue.whole}?"
    return None


def _terse(clue: Clue) -> str | None:
    noun = _NOUNS.get(clue.kind, "")
    if clue.group == "key":
        noun = "format"
    return f"{clue.named}{' ' + noun if noun and noun not in clue.named else ''}{clue.given}?"


def _chatty(clue: Clue) -> str | None:
    link = f" in connection with {clue.context}" if clue.context else ""
    return (
        f"Hi, thanks for the description, that already helps me a lot! I have started on {clue.owner} and I would like "
        "to get it right. One thing is not clear to me yet. "
        f"How exactly should {clue.named} be handled{link}{clue.given}?"
    )


def _exact_numbers(clue: Clue) -> str | None:
    if clue.group != "number":
        return None
    more = f" and {clue.context}" if clue.context and clue.context not in clue.whole else ""
    return f"Could you specify the exact numbers for {clue.whole}{more}?"


def _what_text(clue: Clue) -> str | None:
    if clue.group != "text":
        return None
    if clue.kind == "message":
        return f"What should the error say when {clue.condition or clue.subject + ' is wrong'}?"
    return (
        f"What text do you want when {clue.condition}?"
        if clue.condition
        else f"What text do you want for {clue.whole}?"
    )


def _all_words(clue: Clue) -> str | None:
    phrases = [clue.named, clue.context, *clue.others]
    text = ", ".join(phrase for phrase in phrases if phrase)
    return f"Please explain what exactly the rule is with {text}{' if ' + clue.condition if clue.condition else ''}."


def _structure(clue: Clue) -> str | None:
    if clue.group != "key":
        return None
    also = f", and where do I find {clue.context}" if clue.context else ""
    return f"How is the {clue.named} data structured{clue.given}{also}?"


def _possible_values(clue: Clue) -> str | None:
    if clue.group != "text":
        return None
    return f"What possible values are there for {clue.whole}?"


def _numbered(clue: Clue) -> str | None:
    second = f"\n2. And what about {clue.context}?" if clue.context else ""
    return f"I have a few questions:\n1. What are the rules for {clue.whole}?{second}"


PHRASINGS: Mapping[str, Phrasing] = {
    "plain": _plain_question,
    "how_much": _how_much,
    "value_to_use": _value_to_use,
    "tell_me": _tell_me,
    "when": _when,
    "counts_as": _counts_as,
    "terse": _terse,
    "chatty": _chatty,
    "exact_numbers": _exact_numbers,
    "what_text": _what_text,
    "all_words": _all_words,
    "structure": _structure,
    "possible_values": _possible_values,
    "numbered": _numbered,
}

DETAIL_PHRASINGS: Mapping[str, str] = {
    "plain": "What about the {}?",
    "rule": "What is the rule for {}?",
    "terse": "{}?",
    "tell_me": "Can you tell me more about {}?",
    "handle": "How should I handle {}?",
    "chatty": "Thanks, that helps! Before I write it down: is there anything I should know about {}?",
    "value": "Which value do you want me to use for {}?",
}
"""How a detail of an embedded task is asked for by one of its topics."""

UNRELATED = (
    "What is your favourite colour?",
    "Which database do you use?",
    "What did you have for breakfast?",
    "Do you want me to deploy it on Kubernetes?",
    "Do you play the piano?",
    "Which browser do your colleagues prefer?",
)
"""Questions that no reference answers."""


# -- planning


def holds(reply: str, constant: Constant) -> bool:
    """Whether a reply says a constant's value."""
    if isinstance(constant.value, str):
        return holds_text(reply, constant.value)
    return holds_number(reply, constant.value, constant.relation)


def plan_questions(
    tasks: Sequence[Task] | TaskSet,
    *,
    questions_per_task: int | None = None,
    seed: int = 0,
    phrasings: Mapping[str, Phrasing] | None = None,
    about: About = "details",
) -> list[Question]:
    """The questions an audit asks, in order: equal arguments give equal questions.

    An ordinary task is asked for each of its constants; an embedded one for each of its details by one of its topics,
    and once for something that it does not hold, or, `about="constants"`, as if it had no details, for each constant
    that its description does not say.

    Args:
        tasks: Backend tasks.
        questions_per_task: a sample of at most this many questions a task (at least 1); all by default.
        seed: chooses phrasings, topics and samples.
        phrasings: for constants; `PHRASINGS` by default.
        about: what embedded tasks are asked for.

    Raises:
        ConfigError: a Frontend task, a sample of less than 1, or a reference that does not parse.
    """
    if questions_per_task is not None and questions_per_task < 1:
        raise ConfigError(f"questions_per_task={questions_per_task}. Mend: at least 1")
    chosen = PHRASINGS if phrasings is None else phrasings
    planned: list[Question] = []
    for task in tasks:
        if task.domain != "backend":
            raise ConfigError(f"task {task.id} is of domain {task.domain}. Mend: an audit reads Backend tasks")
        draw = random.Random(f"{seed}/{task.id}")
        by_details = bool(task.details) and about == "details"
        questions = _about_details(task, draw) if by_details else _about_constants(task, chosen, draw)
        if questions_per_task is not None and len(questions) > questions_per_task:
            kept = sorted(draw.sample(range(len(questions)), questions_per_task))
            questions = [questions[place] for place in kept]
        planned += questions
    return planned


def _about_constants(task: Task, phrasings: Mapping[str, Phrasing], draw: random.Random) -> list[Question]:
    questions: list[Question] = []
    for constant in constants_of(task.reference):
        if task.details and holds(task.description, constant):
            continue
        clue = constant.clue
        for name in draw.sample(sorted(phrasings), len(phrasings)):
            text = phrasings[name](clue)
            if text is not None:
                words = tuple(part for part in (clue.subject, clue.context, *clue.others, clue.condition) if part)
                questions.append(Question(task.id, constant, None, (), words, text, name))
                break
    return questions


def _about_details(task: Task, draw: random.Random) -> list[Question]:
    questions: list[Question] = []
    for detail in task.details:
        topic = draw.choice(detail.topics)
        name = draw.choice(sorted(DETAIL_PHRASINGS))
        related = tuple(
            other.name
            for other in task.details
            if other is not detail and any(_share_words(topic, phrase) for phrase in (*other.topics, other.name))
        )
        text = DETAIL_PHRASINGS[name].format(topic)
        questions.append(Question(task.id, None, detail.name, related, (topic,), text, name))
    text = draw.choice(UNRELATED)
    return [*questions, Question(task.id, None, None, (), (), text, "unrelated")]


def _share_words(topic: str, phrase: str) -> bool:
    """Whether two topics are equal or one holds the other."""
    one, other = set(_plain(topic).split()), set(_plain(phrase).split())
    return bool(one and other) and (one <= other or other <= one)
