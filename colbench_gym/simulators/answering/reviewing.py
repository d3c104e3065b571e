"""A draft function set against the reference: the most important difference, in words."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from colbench_gym.foreign_code import parse
from colbench_gym.simulators.answering.composing import compose
from colbench_gym.simulators.facts import Fact, FactBook
from colbench_gym.simulators.reading.constants import constants_in, spoken_forms
from colbench_gym.simulators.reading.exclusion import number_in
from colbench_gym.simulators.reading.shapes import argument_names
from colbench_gym.simulators.words import name_words, stem

_ROUNDING = frozenset(["round", "floor", "ceil", "trunc", "quantize"])
_SORTING = frozenset(["sorted", "sort", "nlargest", "nsmallest", "most_common"])
_CASE = frozenset(["lower", "upper", "casefold", "title", "capitalize"])


@dataclass
class _Traits:
    """What a function does, as far as two ways of writing it can be compared."""

    constants: dict[object, ast.Constant] = field(default_factory=dict)
    sides: dict[float, set[str]] = field(default_factory=dict)
    limits: dict[str, set[float]] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    rounds_down: bool = False
    formats: bool = False
    reverse: bool = False
    operations: Counter[str] = field(default_factory=Counter)
    returns: set[str] = field(default_factory=set)
    defaults: dict[str, str] = field(default_factory=dict)
    raises: int = 0
    tests: int = 0


def difference(reference: str, draft: str, book: FactBook) -> str | None:
    """What the draft gets wrong, as a reply; a word of approval if nothing shows; None if the draft is no code."""
    try:
        theirs, mine = parse(draft), parse(reference)
        return _compared(theirs, mine, book)
    except (SyntaxError, RecursionError):
        # No Python, or nested thousands of levels deep: nothing to compare.
        return None


def _compared(theirs: ast.Module, mine: ast.Module, book: FactBook) -> str | None:
    if not any(isinstance(node, ast.FunctionDef | ast.Return | ast.Assign) for node in ast.walk(theirs)):
        return None
    if _shape(theirs) == _shape(mine):
        return "Yes, that looks right to me."
    unused = _unused(mine, theirs)
    if unused is not None:
        words = " ".join(name_words(unused))
        stems = {stem(word) for word in name_words(unused)}
        about = _fact(book, lambda fact: "rule" in fact.kinds and all(fact.topics.get(one, 0.0) >= 1 for one in stems))
        about = about or _fact(book, lambda fact: all(fact.topics.get(one, 0.0) >= 1 for one in stems))
        lead = f"Not quite, it also depends on the {words}"
        return compose([about.sentence], f"{lead}: ") if about is not None else f"{lead}."
    wanted, given = _traits(mine), _traits(theirs)
    for check in (_constants, _sides, _defaults, _rounding, _returns, _errors, _order, _case, _tests, _operations):
        said = check(wanted, given, book)
        if said is not None:
            return said
    return "As far as I can tell, that looks right."


def _unused(mine: ast.Module, theirs: ast.Module) -> str | None:
    """A parameter that the reference reads and the draft does not."""
    functions = [node for node in mine.body if isinstance(node, ast.FunctionDef)]
    drafts = [node for node in theirs.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1 or not drafts:
        return None
    draft = next((one for one in drafts if one.name == functions[0].name), drafts[0])
    names, given = argument_names(functions[0]), argument_names(draft)
    if len(names) != len(given) or draft.args.vararg or draft.args.kwarg:
        return None
    for name, other in zip(names, given, strict=True):
        if name in _read(functions[0]) and other not in _read(draft):
            return name
    return None


def _read(function: ast.FunctionDef) -> set[str]:
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _shape(tree: ast.Module) -> str:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        if (
            function.body
            and isinstance(function.body[0], ast.Expr)
            and isinstance(function.body[0].value, ast.Constant)
        ):
            function.body = function.body[1:] or [ast.Pass()]
    return "".join(ast.dump(function) for function in functions)


def _traits(tree: ast.Module) -> _Traits:
    traits = _Traits()
    for constant in constants_in(tree):
        traits.constants.setdefault(_plain(constant.value), constant)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            traits.tests += 1
            parts = [node.left, *node.comparators]
            for op, left, right in zip(node.ops, parts, parts[1:], strict=False):
                _note_limit(traits, op, left, right)
        elif isinstance(node, ast.If | ast.IfExp):
            traits.tests += not isinstance(node.test, ast.Compare)
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            traits.calls.add(name)
            if name == "dict":
                for word in node.keywords:
                    traits.constants.setdefault(word.arg, ast.Constant(word.arg))
            traits.reverse |= any(
                word.arg == "reverse" and isinstance(word.value, ast.Constant) and bool(word.value.value)
                for word in node.keywords
            )
        elif isinstance(node, ast.FormattedValue):
            traits.formats |= node.format_spec is not None
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            traits.operations[type(node.op).__name__] += 1
            traits.rounds_down |= isinstance(node.op, ast.FloorDiv)
        elif isinstance(node, ast.Raise):
            traits.raises += 1
        elif isinstance(node, ast.Return):
            traits.returns.add(_returned(node.value))
        elif isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args]
            for name, default in zip(reversed(names), reversed(node.args.defaults), strict=False):
                traits.defaults[name] = ast.dump(default)
    return traits


def _plain(value: object) -> object:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else value


def _note_limit(traits: _Traits, op: ast.cmpop, left: ast.expr, right: ast.expr) -> None:
    mirrored = number_in(left) is not None
    limit, subject = (number_in(left), right) if mirrored else (number_in(right), left)
    if limit is None:
        return
    traits.limits.setdefault(ast.dump(subject), set()).add(float(limit))
    if not isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE):
        return
    # `x > 5` and its opposite `x <= 5` put 5 itself on the same side.
    above = isinstance(op, ast.LtE | ast.Gt) if mirrored else isinstance(op, ast.GtE | ast.Lt)
    traits.sides.setdefault(float(limit), set()).add("above" if above else "below")


def _returned(value: ast.expr | None) -> str:
    if isinstance(value, ast.Tuple):
        return f"tuple of {len(value.elts)}"
    if isinstance(value, ast.Dict | ast.DictComp):
        return "dictionary"
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        return "dictionary"
    if isinstance(value, ast.List | ast.ListComp):
        return "list"
    if isinstance(value, ast.JoinedStr):
        return "text"
    if isinstance(value, ast.Constant):
        return type(value.value).__name__.replace("int", "number").replace("float", "number").replace("str", "text")
    if isinstance(value, ast.BinOp):
        texts = any(isinstance(part, ast.JoinedStr) or _is_text(part) for part in ast.walk(value))
        return "unknown" if texts else "number"
    return "unknown"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


# -- the checks, the most telling first


def _constants(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    have = set(given.constants)
    for value in list(have):
        if isinstance(value, float):
            # 15% may be written as 15 / 100, as 0.85 off or as 1.15 times.
            have |= {value * 100, value / 100, round(1 - value, 9), round(value - 1, 9), round(1 + value, 9)}
    missing = [constant for value, constant in wanted.constants.items() if value not in have]
    if not missing:
        return None
    best: tuple[float, int] | None = None
    for position, fact in enumerate(book.facts):
        held = sum(any(_holds(fact.sentence, form) for form in spoken_forms(one.value)) for one in missing)
        if held:
            rank = (min(held, 3) + fact.importance, -position)
            if best is None or rank > (best[0], -best[1]):
                best = (rank[0], position)
    if best is None:
        return None
    fact = book.facts[best[1]]
    numbers = {float(one.value) for one in missing if isinstance(one.value, int | float)}
    moved = any(
        numbers & limits and given.limits.get(subject, set()) - limits for subject, limits in wanted.limits.items()
    )
    tested = {subject for subject, limits in wanted.limits.items() if numbers & limits}
    if moved:
        lead = "Not quite, one limit is different: "
    elif tested and not tested & set(given.limits):
        lead = "Not quite, one case is missing: "
    else:
        lead = "Not quite, I don't see this in there: "
    return compose([fact.sentence], lead)


def _holds(sentence: str, form: str) -> bool:
    start = sentence.find(form)
    while start >= 0:
        before, after = sentence[start - 1 : start], sentence[start + len(form) : start + len(form) + 1]
        if not (form[0].isalnum() and before.isalnum()) and not (form[-1].isalnum() and after.isalnum()):
            return True
        start = sentence.find(form, start + 1)
    return False


def _sides(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    for limit, sides in wanted.sides.items():
        theirs = given.sides.get(limit)
        if theirs and not theirs & sides:
            forms = spoken_forms(int(limit) if limit.is_integer() else limit)
            for fact in book.facts:
                if "rule" in fact.kinds and any(_holds(fact.sentence, form) for form in forms):
                    return compose([fact.sentence], f"Not quite, be careful with exactly {forms[0]}: ")
    return None


def _defaults(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if any(given.defaults.get(name) != default for name, default in wanted.defaults.items()):
        return _told(book, "default", "Not quite, look at the default: ")
    return None


def _rounding(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    mine = bool(wanted.calls & _ROUNDING) or wanted.formats
    theirs = bool(given.calls & _ROUNDING) or given.formats
    if mine and not theirs and not (given.rounds_down or "int" in given.calls):
        return _told(book, "rounding", "Not quite, the rounding is missing: ")
    if theirs and not (mine or wanted.rounds_down or "int" in wanted.calls):
        return "Not quite, please leave out the rounding, I take the number as it comes out."
    if (wanted.rounds_down or "int" in wanted.calls) and not (given.rounds_down or "int" in given.calls or theirs):
        return _told(book, "rounding", "Not quite, it has to be a whole number: ")
    return None


def _returns(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if "unknown" in wanted.returns | given.returns or not given.returns:
        missing = {kind for kind in wanted.returns if kind.startswith(("tuple", "dict"))} - given.returns
        if not missing or "unknown" in given.returns:
            return None
    if wanted.returns != given.returns:
        return _told(book, "result", "Not quite, what comes back is different: ")
    return None


def _errors(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if wanted.raises > given.raises:
        return _told(book, "error", "Not quite, an error is missing: ")
    return None


def _order(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if bool(wanted.calls & _SORTING) != bool(given.calls & _SORTING) or (
        wanted.calls & _SORTING and wanted.reverse != given.reverse
    ):
        return _told(book, "order", "Not quite, look at the order: ")
    return None


def _case(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if bool(wanted.calls & _CASE) != bool(given.calls & _CASE):
        return _told(book, "case", "Not quite, look at capitals: ")
    return None


def _tests(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if wanted.tests > given.tests:
        return _told(book, "rule", "I think a case is missing: ")
    return None


def _operations(wanted: _Traits, given: _Traits, book: FactBook) -> str | None:
    if wanted.operations != given.operations and not set(wanted.operations) <= set(given.operations):
        return _told(book, "formula", "Not quite, the calculation is different: ")
    return None


def _told(book: FactBook, kind: str, lead: str) -> str | None:
    fact = _fact(book, lambda fact: kind in fact.kinds)
    return compose([fact.sentence], lead) if fact is not None else None


def _fact(book: FactBook, fits: Callable[[Fact], bool]) -> Fact | None:
    """The most important fact of those that fit."""
    fitting: Sequence[Fact] = [fact for fact in book.facts if fits(fact)]
    return max(fitting, key=lambda fact: fact.importance) if fitting else None
