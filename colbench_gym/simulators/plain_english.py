"""Python expressions, said as a person would say them: noun phrases for values, clauses for conditions.

Nothing here ever evaluates code, and every method accepts any node: what it has no words for becomes a vague phrase.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from colbench_gym.simulators.words import name_words

DEEPEST = 14
"""Levels of nesting that are still put into words."""

VAGUE = "something worked out from the rest"
LONGEST_LISTING = 14

_SYMBOLS = {
    "`": "a backtick",
    "{": "an opening brace",
    "}": "a closing brace",
    "[": "an opening bracket",
    "]": "a closing bracket",
    "<": "a less-than sign",
    ">": "a greater-than sign",
    "=": "an equals sign",
    "\\": "a backslash",
    "|": "a vertical bar",
    "\n": "a line break",
    "\t": "a tab",
    "\r": "a carriage return",
    '"': "a double quote",
    "\x00": "a null character",
    "^": "a caret",
    "$": "a dollar sign",
}
_LONE_SYMBOLS = {
    " ": "a blank",
    "": "an empty text",
    ",": "a comma",
    ", ": "a comma and a blank",
    ".": "a full stop",
    ". ": "a full stop and a blank",
    ";": "a semicolon",
    "; ": "a semicolon and a blank",
    ":": "a colon",
    ": ": "a colon and a blank",
    "-": "a hyphen",
    " - ": "a hyphen with blanks around it",
    "_": "an underscore",
    "/": "a slash",
    "'": "an apostrophe",
    "!": "an exclamation mark",
    "?": "a question mark",
    "+": "a plus sign",
    "*": "an asterisk",
    "#": "a hash sign",
    "@": "an at sign",
    "&": "an ampersand",
    "%": "a percent sign",
    "(": "an opening parenthesis",
    ")": "a closing parenthesis",
    "\n\n": "an empty line",
}
_UNSAFE = re.compile("([" + re.escape("".join(_SYMBOLS)) + "])")
_CALL = re.compile(r"\b(\w+)\((?=[^)]*\))")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Gt: ("is more than", "is at most"),
    ast.GtE: ("is at least", "is less than"),
    ast.Lt: ("is less than", "is at least"),
    ast.LtE: ("is at most", "is more than"),
    ast.Eq: ("is", "is not"),
    ast.NotEq: ("is not", "is"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.LtE, ast.LtE: ast.GtE}
_TYPES = {
    "int": "a whole number",
    "float": "a decimal number",
    "str": "a text",
    "list": "a list",
    "dict": "a dictionary",
    "tuple": "a tuple",
    "set": "a set",
    "bool": "true or false",
    "complex": "a complex number",
}
_TEXT_TESTS = {
    "isdigit": "consists of digits only",
    "isnumeric": "is numeric",
    "isdecimal": "consists of decimal digits only",
    "isalpha": "consists of letters only",
    "isalnum": "consists of letters and digits only",
    "isupper": "is in capitals",
    "islower": "is in lower case",
    "isspace": "is blank",
    "istitle": "is in title case",
}
_ABBREVIATIONS = {
    "num": "number of",
    "idx": "index",
    "str": "text",
    "avg": "average",
    "qty": "quantity",
    "pct": "percent",
    "lst": "list",
    "dict": "dictionary",
    "calc": "calculation",
    # Spelled so that no sentence reads as a line of code.
    "return": "returns",
    "def": "definition",
}
_OPEN_PHRASES = ("the quantity ", "the sum of ")


def join(parts: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def say_number(value: int | float) -> str:
    """A number in full digits, with thousands separators from 10,000 on; never in exponent form unless enormous."""
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return "not-a-number"
        return "infinity" if value > 0 else "minus infinity"
    if abs(value) >= 1e18:
        return f"about 10 to the power of {len(f'{abs(value):.0f}') - 1}" if isinstance(value, float) else VAGUE
    exact = Decimal(repr(value))
    text = f"{exact:,f}" if abs(value) >= 10_000 else f"{exact:f}"
    return text.removesuffix(".0").replace("-", "minus ", 1) if text.startswith("-") else text.removesuffix(".0")


def say_percent(value: float) -> str:
    """`0.15` as `15%`."""
    exact = (Decimal(repr(value)) * 100).normalize()
    return f"{exact:f}%"


def say_text(value: str) -> str:
    """A string constant: quoted where it reads as text, spelled out where it is punctuation or looks like code."""
    if value in _LONE_SYMBOLS:
        return _LONE_SYMBOLS[value]
    runs = [run for run in _UNSAFE.split(value) if run]
    if len(runs) > 7 or len(value) > 240:
        readable = " ".join(re.findall(r"[A-Za-z0-9][A-Za-z0-9'-]*", value)[:12])
        return f'a text with the words "{readable}"' if readable else "a text that is hard to spell out"
    said = []
    for run in runs:
        if run in _SYMBOLS:
            said.append(_SYMBOLS[run])
        elif run in _LONE_SYMBOLS:
            said.append(_LONE_SYMBOLS[run])
        else:
            said.append(_quoted(run))
    return said[0] if len(said) == 1 else f"{' followed by '.join(said)}"


def _quoted(run: str) -> str:
    readable = _CALL.sub(r"\1 (", run)
    if "_" not in readable.strip("_") and readable.strip("_") == readable:
        return f'"{readable}"'
    blanks = " ".join(readable.replace("_", " ").split())
    if not blanks:
        return "underscores"
    return f'"{blanks}" (with underscores)'


def singular(phrase: str) -> str:
    """The last word of `phrase` without its plural ending."""
    if phrase.endswith("ies") and len(phrase) > 4:
        return phrase[:-3] + "y"
    if phrase.endswith(("sses", "xes", "ches", "shes")):
        return phrase[:-2]
    if phrase.endswith("s") and not phrase.endswith(("ss", "us", "is")):
        return phrase[:-1]
    return phrase


def strip_article(phrase: str) -> str:
    for article in ("the ", "a ", "an "):
        if phrase.startswith(article):
            return phrase[len(article) :]
    return phrase


@dataclass
class NameUse:
    """How a reference uses one name; from this follows the shape of what it holds."""

    iterated: bool = False
    length_taken: bool = False
    in_arithmetic: bool = False
    compared_with_number: bool = False
    as_condition: bool = False
    other_use: bool = False
    texts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    indexed: bool = False
    methods: set[str] = field(default_factory=set)

    @property
    def is_flag(self) -> bool:
        return self.as_condition and not (
            self.iterated
            or self.length_taken
            or self.in_arithmetic
            or self.compared_with_number
            or self.texts
            or self.keys
            or self.indexed
            or self.methods
            or self.other_use
        )

    @property
    def is_collection(self) -> bool:
        return self.iterated or self.length_taken or bool({"append", "items", "values", "keys"} & self.methods)


class Speaker:
    """Puts the expressions of one syntax tree into words.

    Args:
        uses: how each name is used (see `NameUse`).
        tables: names bound once to a literal list, set, tuple or dict.
    """

    def __init__(self, uses: dict[str, NameUse], tables: dict[str, ast.expr]) -> None:
        self.uses = uses
        self.tables = tables
        self.renamed: dict[str, str] = {}

    # -- names

    def noun(self, name: str) -> str:
        """A name without an article."""
        if name in self.renamed:
            return strip_article(self.renamed[name])
        words = name_words(name)
        if len(words) > 1:
            words = [_ABBREVIATIONS.get(word, word) for word in words]
        return " ".join(words)

    def the(self, name: str) -> str:
        """A name as a noun phrase."""
        if name in self.renamed:
            return self.renamed[name]
        noun = self.noun(name)
        return noun if len(noun) <= 2 else f"the {noun}"

    # -- values

    def say(self, node: ast.AST | None, depth: int = 0) -> str:
        """A noun phrase for a value."""
        if node is None:
            return "nothing"
        if depth > DEEPEST:
            return VAGUE
        method = getattr(self, f"_say_{type(node).__name__}", None)
        return method(node, depth + 1) if method is not None else VAGUE

    def _say_Constant(self, node: ast.Constant, depth: int) -> str:
        value = node.value
        if value is None:
            return "nothing"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return say_number(value)
        if isinstance(value, str):
            return say_text(value)
        return "a fixed value"

    def _say_Name(self, node: ast.Name, depth: int) -> str:
        return self.the(node.id)

    def _say_Attribute(self, node: ast.Attribute, depth: int) -> str:
        owner = self.say(node.value, depth)
        return f"the {' '.join(name_words(node.attr))} of {owner}"

    def _say_Starred(self, node: ast.Starred, depth: int) -> str:
        return f"all of {self.say(node.value, depth)}"

    def _say_Await(self, node: ast.Await, depth: int) -> str:
        return self.say(node.value, depth)

    def _say_NamedExpr(self, node: ast.NamedExpr, depth: int) -> str:
        return self.say(node.value, depth)

    def _say_Yield(self, node: ast.Yield, depth: int) -> str:
        return self.say(node.value, depth)

    def _say_YieldFrom(self, node: ast.YieldFrom, depth: int) -> str:
        return f"all of {self.say(node.value, depth)}"

    def _say_Lambda(self, node: ast.Lambda, depth: int) -> str:
        return self.say(node.body, depth)

    def _say_Subscript(self, node: ast.Subscript, depth: int) -> str:
        owner = self.say(node.value, depth)
        index = node.slice
        if isinstance(index, ast.Slice):
            return self._slice(owner, index, depth)
        number = _integer(index)
        if number is not None:
            if number < 0:
                place = "last" if number == -1 else f"{_ordinal(-number - 1)} from the end"
            else:
                place = _ordinal(number)
            return f"the {place} of {owner}"
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            return f"the {say_text(index.value)} of {owner}"
        return f"the entry for {self.say(index, depth)} in {owner}"

    def _slice(self, owner: str, index: ast.Slice, depth: int) -> str:
        if _integer(index.step) == -1 and index.lower is None and index.upper is None:
            return f"{owner} in reverse"
        step = "" if index.step is None else f", in steps of {self.say(index.step, depth)}"
        if index.lower is None and index.upper is None:
            return f"a copy of {owner}{step}"
        if index.lower is None or _integer(index.lower) == 0:
            upper = _integer(index.upper)
            if upper is not None and upper < 0:
                return f"{owner} without its last {-upper}{step}"
            return f"the first {self.say(index.upper, depth)} of {owner}{step}"
        lower = _integer(index.lower)
        if index.upper is None:
            if lower is not None and lower < 0:
                return f"the last {-lower} of {owner}{step}"
            return f"{owner} without the first {self.say(index.lower, depth)}{step}"
        return (
            f"the part of {owner} from position {self.say(index.lower, depth)} up to, "
            f"not including, {self.say(index.upper, depth)} (counted from 0){step}"
        )

    # -- arithmetic

    def _say_UnaryOp(self, node: ast.UnaryOp, depth: int) -> str:
        if isinstance(node.op, ast.Not):
            return f"whether {self.condition(node, depth=depth)}"
        if isinstance(node.op, ast.USub):
            return f"minus {self._operand(node.operand, depth)}"
        if isinstance(node.op, ast.Invert):
            return f"the bitwise complement of {self.say(node.operand, depth)}"
        return self.say(node.operand, depth)

    def _say_BinOp(self, node: ast.BinOp, depth: int) -> str:
        if isinstance(node.op, ast.Add | ast.Sub):
            return self._sum(node, depth)
        if isinstance(node.op, ast.Mult):
            share = self._share(node, depth)
            if share:
                return share
            if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
                return f"{self.say(node.left, depth)} repeated {self.say(node.right, depth)} times"
            return self._infix(node.left, "times", node.right, depth)
        if isinstance(node.op, ast.Div):
            return self._infix(node.left, "divided by", node.right, depth)
        if isinstance(node.op, ast.FloorDiv):
            return f"{self._infix(node.left, 'divided by', node.right, depth)} (rounded down to a whole number)"
        if isinstance(node.op, ast.Mod):
            if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
                return f"the text {self.say(node.left, depth)} filled in with {self.say(node.right, depth)}"
            whole, divisor = self._operand(node.left, depth), self._operand(node.right, depth)
            return f"what remains of {whole} after dividing by {divisor}"
        if isinstance(node.op, ast.Pow):
            return self._infix(node.left, "to the power of", node.right, depth)
        words = {
            ast.BitAnd: "combined (and) with",
            ast.BitOr: "combined (or) with",
            ast.BitXor: "combined (exclusive or) with",
            ast.LShift: "shifted left in bits by",
            ast.RShift: "shifted right in bits by",
            ast.MatMult: "matrix-multiplied by",
        }
        return self._infix(node.left, words.get(type(node.op), "combined with"), node.right, depth)

    def _share(self, node: ast.BinOp, depth: int) -> str | None:
        """`0.15 * x` is said as a percentage of x."""
        for factor, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(factor, ast.Constant) and isinstance(factor.value, float) and 0 < factor.value < 1:
                if isinstance(other, ast.Constant) or len(repr(factor.value)) > 8:
                    return None
                return f"{say_percent(factor.value)} of {self._operand(other, depth)}"
        return None

    def _sum(self, node: ast.BinOp, depth: int) -> str:
        terms: list[tuple[str, ast.expr]] = []
        current: ast.expr = node
        while isinstance(current, ast.BinOp) and isinstance(current.op, ast.Add | ast.Sub):
            terms.append(("plus" if isinstance(current.op, ast.Add) else "minus", current.right))
            current = current.left
        terms.append(("plus", current))
        terms.reverse()
        if any(_is_text(term) for _, term in terms):
            return ", then ".join(self.say(term, depth) for _, term in terms)
        said = []
        for position, (word, term) in enumerate(terms):
            is_sum = isinstance(term, ast.BinOp) and isinstance(term.op, ast.Add | ast.Sub)
            text = self._operand(term, depth) if is_sum or isinstance(term, ast.IfExp) else self.say(term, depth)
            compound = isinstance(term, ast.BinOp | ast.IfExp | ast.GeneratorExp | ast.ListComp | ast.Call)
            before = terms[position - 1][1] if position else None
            comma = "," if compound or isinstance(before, ast.BinOp | ast.Call) else ""
            said.append(text if position == 0 else f"{comma} {word} {text}")
        return "".join(said)

    def _infix(self, left: ast.expr, word: str, right: ast.expr, depth: int) -> str:
        first = self._operand(left, depth, chain=True)
        second = self._operand(right, depth)
        comma = "," if first.startswith(_OPEN_PHRASES) or isinstance(left, ast.BinOp) else ""
        return f"{first}{comma} {word} {second}"

    def _operand(self, node: ast.expr, depth: int, chain: bool = False) -> str:
        """A phrase that stays one thing when put beside `times` or `divided by`."""
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Add | ast.Sub):
                plain = not any(isinstance(part, ast.BinOp | ast.IfExp | ast.Call) for part in (node.left, node.right))
                if isinstance(node.op, ast.Add) and plain:
                    return f"the sum of {self.say(node.left, depth)} and {self.say(node.right, depth)}"
                return f"the quantity {self.say(node, depth)}"
            if chain and isinstance(node.op, ast.Mult | ast.Div):
                return self.say(node, depth)
            if isinstance(node.op, ast.Mult) and not self._share(node, depth):
                return f"the product of {self._operand(node.left, depth)} and {self._operand(node.right, depth)}"
            return f"the quantity {self.say(node, depth)}"
        if isinstance(node, ast.IfExp | ast.BoolOp | ast.Compare):
            return f"the value given by {self.say(node, depth)}"
        return self.say(node, depth)

    # -- truth

    def _say_BoolOp(self, node: ast.BoolOp, depth: int) -> str:
        if isinstance(node.op, ast.Or) and not all(_is_truth(value) for value in node.values[:-1]):
            return ", or if that is empty or missing, ".join(self.say(value, depth) for value in node.values)
        return f"whether {self.condition(node, depth=depth)}"

    def _say_Compare(self, node: ast.Compare, depth: int) -> str:
        return f"whether {self.condition(node, depth=depth)}"

    def _say_IfExp(self, node: ast.IfExp, depth: int) -> str:
        return (
            f"{self.say(node.body, depth)} if {self.condition(node.test, depth=depth)}, "
            f"otherwise {self.say(node.orelse, depth)}"
        )

    # -- displays

    def listing(self, nodes: Sequence[ast.expr], depth: int, word: str = "and") -> str:
        said = [self.say(node, depth) for node in nodes[:LONGEST_LISTING]]
        noted = [text for text in said if text.endswith(" (with underscores)")]
        blanks = [text for text in said if " " in text and text[:1] == '"']
        all_noted = len(noted) > 1 and len(noted) == len(blanks)
        if all_noted:
            said = [text.removesuffix(" (with underscores)") for text in said]
        if len(nodes) > LONGEST_LISTING:
            return f"{', '.join(said)} and {len(nodes) - LONGEST_LISTING} more"
        involved = any(isinstance(node, ast.IfExp | ast.BoolOp | ast.ListComp | ast.GeneratorExp) for node in nodes)
        text = ", then ".join(said) if involved else join(said, word)
        if all_noted:
            text += " (with underscores where names have blanks)"
        return text

    def _say_List(self, node: ast.List, depth: int) -> str:
        if not node.elts:
            return "an empty list"
        if all(isinstance(element, ast.Constant) for element in node.elts):
            return f"the list of {self.listing(node.elts, depth)}"
        return f"a list of {self.listing(node.elts, depth)}"

    def _say_Tuple(self, node: ast.Tuple, depth: int) -> str:
        if not node.elts:
            return "an empty tuple"
        shape = {2: "a pair of", 3: "a triple of"}.get(len(node.elts), "a tuple of")
        return f"{shape} {self.listing(node.elts, depth)}"

    def _say_Set(self, node: ast.Set, depth: int) -> str:
        return f"the set of {self.listing(node.elts, depth)}"

    def _say_Dict(self, node: ast.Dict, depth: int) -> str:
        if not node.keys:
            return "an empty dictionary"
        parts = []
        for key, value in list(zip(node.keys, node.values, strict=False))[:LONGEST_LISTING]:
            if key is None:
                parts.append(f"everything in {self.say(value, depth)}")
            else:
                parts.append(f"{self.say(key, depth)} set to {self.say(value, depth)}")
        return f"a dictionary with {join(parts)}"

    def _say_JoinedStr(self, node: ast.JoinedStr, depth: int) -> str:
        parts = []
        for value in node.values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                parts.append(say_text(value.value))
            else:
                parts.append(self.say(value, depth))
        return "the text made of " + ", then ".join(parts) if len(parts) > 1 else f"the text {''.join(parts)}"

    def _say_FormattedValue(self, node: ast.FormattedValue, depth: int) -> str:
        text = self.say(node.value, depth)
        if isinstance(node.format_spec, ast.JoinedStr):
            literal = "".join(str(part.value) for part in node.format_spec.values if isinstance(part, ast.Constant))
            decimals = re.fullmatch(r",?\.(\d+)([f%])", literal)
            if decimals:
                what = "as a percentage with" if decimals.group(2) == "%" else "with"
                return f"{text} {what} {decimals.group(1)} decimals"
        return text

    # -- comprehensions

    def iteration(self, target: ast.expr, source: ast.expr, depth: int = 0) -> str:
        """`each song in the songs`; short loop names get a speaking name for the scope that follows."""
        names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
        call = source if isinstance(source, ast.Call) else None
        function = call.func.id if call and isinstance(call.func, ast.Name) else None
        method = call.func.attr if call and isinstance(call.func, ast.Attribute) else None
        if function == "enumerate" and call and call.args and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            inner = self.iteration(target.elts[1], call.args[0], depth + 1)
            start = next((word.value for word in call.keywords if word.arg == "start"), None) or (
                call.args[1] if len(call.args) > 1 else None
            )
            for name in [node.id for node in ast.walk(target.elts[0]) if isinstance(node, ast.Name)]:
                self.renamed[name] = (
                    f"the position (counted from {'0' if start is None else self.say(start, depth + 1)})"
                )
            return inner
        if function == "zip" and call and isinstance(target, ast.Tuple) and len(target.elts) == len(call.args):
            parts = [
                strip_each(self.iteration(part, origin, depth + 1))
                for part, origin in zip(target.elts, call.args, strict=True)
            ]
            return f"each {join(parts)} (taken side by side)"
        if function == "range" and call and call.args:
            for name in names:
                if len(name) <= 2:
                    self.renamed[name] = "the position"
            label = strip_article(self.the(names[0])) if names else "step"
            last = call.args[-1] if len(call.args) < 2 else call.args[1]
            first = "0" if len(call.args) < 2 else self.say(call.args[0], depth + 1)
            sized = _length_of(last)
            if sized is not None and first == "0":
                return f"each {label} in {self.say(sized, depth + 1)}"
            step = f" in steps of {self.say(call.args[2], depth + 1)}" if len(call.args) > 2 else ""
            return f"each {label} from {first} up to but not including {self.say(last, depth + 1)}{step}"
        if method in ("items", "values", "keys") and call and isinstance(call.func, ast.Attribute):
            owner = self.say(call.func.value, depth + 1)
            if method == "items" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                self._rename_short(target.elts[0], "the key")
                self._rename_short(target.elts[1], "the value")
                key, value = (strip_article(self.say(part, depth + 1)) for part in target.elts)
                return f"each {key} and its {value} in {owner}"
            self._rename_short(target, "the value" if method == "values" else "the key")
            return f"each {strip_article(self.say(target, depth + 1))} in {owner}"
        owner = self.say(source, depth + 1)
        if isinstance(target, ast.Name):
            base = singular(self.noun(source.id)) if isinstance(source, ast.Name) else "item"
            owned = isinstance(source, ast.Name) and base != self.noun(source.id)
            self._rename_short(target, f"the {base}" if owned else "the item")
            return f"each {strip_article(self.the(target.id))} in {owner}"
        if names:
            return f"each {join([strip_article(self.the(name)) for name in names])} in {owner}"
        return f"each item in {owner}"

    def _rename_short(self, target: ast.expr, phrase: str) -> None:
        if isinstance(target, ast.Name) and (len(target.id) <= 2 or target.id == "item"):
            self.renamed[target.id] = phrase

    def _comprehension(self, generators: Sequence[ast.comprehension], depth: int) -> str:
        """`for each song in the songs for which ...`."""
        said = []
        for generator in generators:
            phrase = f"for {self.iteration(generator.target, generator.iter, depth)}"
            if generator.ifs:
                tests = join([self.condition(test, depth=depth + 1) for test in generator.ifs])
                phrase += f" for which {tests}"
            said.append(phrase)
        return ", ".join(said)

    def _say_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, depth: int) -> str:
        saved = dict(self.renamed)
        scope = self._comprehension(node.generators, depth)
        element = self.say(node.elt, depth)
        self.renamed = saved
        what = "the set" if isinstance(node, ast.SetComp) else "the list"
        first = node.generators[0]
        names = [part.id for part in (node.elt, first.target) if isinstance(part, ast.Name)]
        if len(node.generators) == 1 and len(names) == 2 and names[0] == names[1]:
            return f"{what} of {scope.removeprefix('for ')}"
        return f"{what} of {element} {scope}"

    _say_SetComp = _say_ListComp
    _say_GeneratorExp = _say_ListComp

    def _say_DictComp(self, node: ast.DictComp, depth: int) -> str:
        saved = dict(self.renamed)
        scope = self._comprehension(node.generators, depth)
        key, value = self.say(node.key, depth), self.say(node.value, depth)
        self.renamed = saved
        return f"a dictionary from {key} to {value} {scope}"

    # -- calls

    def _say_Call(self, node: ast.Call, depth: int) -> str:
        arguments = node.args
        if isinstance(node.func, ast.Name):
            said = self._function_call(node.func.id, arguments, node.keywords, depth)
            if said is not None:
                return said
            name = " ".join(name_words(node.func.id))
            return f"the {name} of {self._arguments(node, depth)}" if arguments or node.keywords else f"a new {name}"
        if isinstance(node.func, ast.Attribute):
            said = self._method_call(node.func, arguments, node.keywords, depth)
            if said is not None:
                return said
            name = " ".join(name_words(node.func.attr))
            given = self._arguments(node, depth)
            owner = self.say(node.func.value, depth)
            return f"the {name} of {owner}" + (f" with {given}" if given else "")
        return VAGUE

    def _arguments(self, node: ast.Call, depth: int) -> str:
        parts = [self.say(argument, depth) for argument in node.args]
        parts += [
            f"{' '.join(name_words(word.arg))} {self.say(word.value, depth)}"
            if word.arg
            else self.say(word.value, depth)
            for word in node.keywords
        ]
        return join(parts)

    def _over(self, arguments: Sequence[ast.expr], depth: int, word: str = "and") -> str:
        """The arguments of sum, max, min: one collection, or several values."""
        if len(arguments) == 1:
            only = arguments[0]
            if isinstance(only, ast.GeneratorExp | ast.ListComp):
                saved = dict(self.renamed)
                scope = self._comprehension(only.generators, depth)
                element = self.say(only.elt, depth)
                self.renamed = saved
                return f"{element} {scope}"
            return self.say(only, depth)
        return join([self.say(argument, depth) for argument in arguments], word)

    def _function_call(
        self, name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword], depth: int
    ) -> str | None:
        if not arguments:
            return {
                "dict": "an empty dictionary",
                "list": "an empty list",
                "set": "an empty set",
                "tuple": "an empty tuple",
                "str": "an empty text",
                "int": "0",
                "float": "0",
            }.get(name)
        first = arguments[0]
        options = {word.arg: word.value for word in keywords if word.arg}
        if name == "len":
            return self._length(first, depth)
        if name == "sum":
            if (
                len(arguments) == 1
                and isinstance(first, ast.GeneratorExp | ast.ListComp)
                and isinstance(first.elt, ast.Constant)
                and first.elt.value == 1
            ):
                saved = dict(self.renamed)
                scope = self._comprehension(first.generators, depth).removeprefix("for ")
                self.renamed = saved
                return f"the count over {scope} (1 for each)"
            start = f", starting from {self.say(arguments[1], depth)}" if len(arguments) > 1 else ""
            return f"the total of {self._over(arguments[:1], depth)}{start}"
        if name in ("max", "min"):
            superlative = "highest" if name == "max" else "lowest"
            default = f" (or {self.say(options['default'], depth)} if there is none)" if "default" in options else ""
            if "key" in options:
                what = self._over(arguments, depth)
                return (
                    f"the one with the {superlative} {self._key(options['key'], first, depth)} out of {what}{default}"
                )
            superlative = ("larger" if name == "max" else "smaller") if len(arguments) == 2 else superlative
            return f"the {superlative} of {self._over(arguments, depth)}{default}"
        if name == "round":
            if len(arguments) > 1:
                return f"{self.say(first, depth)}, rounded to {self.say(arguments[1], depth)} decimals"
            return f"{self.say(first, depth)}, rounded to the nearest whole number"
        if name == "int" and len(arguments) == 1:
            if isinstance(first, ast.BinOp | ast.Call):
                return f"{self.say(first, depth)}, cut down to a whole number"
            return f"{self.say(first, depth)} as a whole number"
        if name == "int":
            return f"{self.say(first, depth)} read as a number in base {self.say(arguments[1], depth)}"
        if name in ("float", "str", "list", "tuple", "set", "dict", "bool", "frozenset"):
            words = {
                "float": "as a decimal number",
                "str": "as a text",
                "list": "as a list",
                "tuple": "as a tuple",
                "set": "without repeats (as a set)",
                "frozenset": "without repeats (as a set)",
                "dict": "as a dictionary",
                "bool": "as true or false",
            }[name]
            return f"{self.say(first, depth)} {words}"
        if name == "abs":
            return f"the absolute value of {self.say(first, depth)}"
        if name == "pow" and len(arguments) == 2:
            return self._infix(first, "to the power of", arguments[1], depth)
        if name == "divmod" and len(arguments) == 2:
            return f"the quotient and the remainder of {self.say(first, depth)} by {self.say(arguments[1], depth)}"
        if name == "sorted":
            return f"{self.say(first, depth)} {self.sorting(first, options, depth)}"
        if name == "reversed":
            return f"{self.say(first, depth)} in reverse"
        if name in ("any", "all"):
            return f"whether {self._quantified(name, first, depth)}"
        if name == "isinstance" and len(arguments) == 2:
            return f"whether {self.say(first, depth)} is {self._type(arguments[1])}"
        if name == "range":
            last = arguments[0] if len(arguments) < 2 else arguments[1]
            start = "0" if len(arguments) < 2 else self.say(first, depth)
            step = f" in steps of {self.say(arguments[2], depth)}" if len(arguments) > 2 else ""
            return f"the whole numbers from {start} up to but not including {self.say(last, depth)}{step}"
        if name == "zip":
            return f"{join([self.say(argument, depth) for argument in arguments])} taken side by side"
        if name == "enumerate":
            return f"{self.say(first, depth)} with positions"
        if name == "map" and len(arguments) == 2:
            return f"{self.say(arguments[1], depth)}, each turned into {self._type_or_name(first, depth)}"
        if name == "filter" and len(arguments) == 2:
            return f"those of {self.say(arguments[1], depth)} that pass the check"
        if name == "type":
            return f"the type of {self.say(first, depth)}"
        if name == "Counter":
            return f"the number of times each item occurs in {self.say(first, depth)}"
        return None

    def _method_call(
        self, function: ast.Attribute, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword], depth: int
    ) -> str | None:
        owner = self.say(function.value, depth)
        name = function.attr
        said = [self.say(argument, depth) for argument in arguments]
        plain = {
            "lower": "in lower case",
            "casefold": "in lower case",
            "upper": "in capitals",
            "title": "in title case",
            "capitalize": "with a capital first letter",
            "strip": "without blanks at the ends",
            "lstrip": "without blanks at the start",
            "rstrip": "without blanks at the end",
            "split": "split into words at blanks",
            "splitlines": "split into lines",
            "copy": "",
        }
        if not arguments and not keywords:
            if name in plain:
                return f"{owner} {plain[name]}".strip()
            if name in ("values", "keys", "items"):
                return f"the {'entries' if name == 'items' else name} of {owner}"
            if name in _TEXT_TESTS:
                return f"whether {owner} {_TEXT_TESTS[name]}"
        if not arguments:
            return None
        if name == "get":
            fallback = f" (or {said[1]} if there is none)" if len(said) > 1 else " (or nothing if there is none)"
            if isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
                return f"the {said[0]} of {owner}{fallback}"
            return f"the entry for {said[0]} in {owner}{fallback}"
        if name in ("strip", "lstrip", "rstrip"):
            return f"{owner} without {said[0]} at the {'ends' if name == 'strip' else 'end'}"
        if name in ("split", "rsplit"):
            return f"{owner} split at {said[0]}"
        if name == "join":
            return f"{said[0]} joined with {owner if owner != 'an empty text' else 'nothing in between'}"
        if name == "replace" and len(said) > 1:
            return f"{owner} with {said[0]} replaced by {said[1] if said[1] != 'an empty text' else 'nothing'}"
        if name == "count":
            return f"the number of times {said[0]} occurs in {owner}"
        if name in ("find", "index"):
            return f"the position of {said[0]} in {owner}"
        if name in ("startswith", "endswith"):
            verb = "starts" if name == "startswith" else "ends"
            return f"whether {owner} {verb} with {self._either(arguments[0], depth)}"
        if name == "format" and isinstance(function.value, ast.Constant):
            return f"the text {owner} filled in with {join(said)}"
        if name == "pop":
            return f"the entry {said[0]} taken out of {owner}"
        if name in ("union", "intersection", "difference"):
            words = {"union": "together with", "intersection": "as far as also in", "difference": "without those in"}
            return f"{owner} {words[name]} {said[0]}"
        if name in ("match", "search", "fullmatch") and len(said) > 1:
            return f"whether {said[1]} matches a text pattern"
        if name in ("sqrt", "ceil", "floor") and len(said) == 1:
            words = {"sqrt": "the square root of {}", "ceil": "{} rounded up", "floor": "{} rounded down"}
            return words[name].format(said[0])
        if name == "strptime" and len(said) > 1:
            return f"{said[0]} read as a date in the form {self._date_form(arguments[1])}"
        if name == "strftime":
            return f"{owner} written in the form {self._date_form(arguments[-1])}"
        if name == "choice":
            return f"a random pick out of {said[0]}"
        return None

    def _date_form(self, node: ast.expr) -> str:
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return self.say(node)
        words = {"Y": "year", "m": "month", "d": "day", "H": "hour", "M": "minute", "S": "second", "y": "short year"}
        words |= {"B": "month name", "b": "short month name", "A": "weekday", "a": "short weekday", "p": "AM or PM"}
        return '"' + re.sub(r"%-?(\w)", lambda match: words.get(match.group(1), "something"), node.value) + '"'

    def _length(self, node: ast.expr, depth: int) -> str:
        if isinstance(node, ast.ListComp) and len(node.generators) == 1:
            saved = dict(self.renamed)
            scope = self._comprehension(node.generators, depth).removeprefix("for ")
            self.renamed = saved
            return f"the count over {scope}"
        if isinstance(node, ast.Name):
            use = self.uses.get(node.id)
            if use and use.methods & {"lower", "upper", "split", "strip", "startswith"} and not use.iterated:
                return f"the length of {self.say(node, depth)}"
            return f"the number of items in {self.say(node, depth)}"
        return f"the length of {self.say(node, depth)}"

    def _type(self, node: ast.expr) -> str:
        if isinstance(node, ast.Tuple):
            return join([self._type(element) for element in node.elts], "or")
        if isinstance(node, ast.Name):
            return _TYPES.get(node.id, f"of the kind {' '.join(name_words(node.id))}")
        return "of the right kind"

    def _type_or_name(self, node: ast.expr, depth: int) -> str:
        if isinstance(node, ast.Name) and node.id in _TYPES:
            return _TYPES[node.id]
        return self.say(node, depth)

    def _key(self, node: ast.expr, collection: ast.expr, depth: int) -> str:
        """What a `key=` argument looks at."""
        if isinstance(node, ast.Lambda):
            saved = dict(self.renamed)
            for argument in node.args.args:
                if len(argument.arg) <= 2 or argument.arg in ("item", "pair", "entry"):
                    self.renamed[argument.arg] = "the entry"
            body = node.body
            if isinstance(body, ast.Tuple):
                text = join([self._key_part(element, collection, depth) for element in body.elts], "then by")
            else:
                text = self._key_part(body, collection, depth)
            self.renamed = saved
            return strip_article(text)
        if isinstance(node, ast.Attribute) and node.attr == "get":
            return f"value in {self.say(node.value, depth)}"
        if isinstance(node, ast.Attribute) and node.attr in ("count", "index"):
            return f"{node.attr} in {self.say(node.value, depth)}"
        if isinstance(node, ast.Name) and node.id == "len":
            return "length"
        return strip_article(self.say(node, depth))

    def _key_part(self, node: ast.expr, collection: ast.expr, depth: int) -> str:
        function = collection.func if isinstance(collection, ast.Call) else None
        entries = isinstance(function, ast.Attribute) and function.attr == "items"
        if entries and isinstance(node, ast.Subscript) and _integer(node.slice) in (0, 1):
            return "key" if _integer(node.slice) == 0 else "value"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"{self._key_part(node.operand, collection, depth)} (highest first)"
        return self.say(node, depth)

    def sorting(self, collection: ast.expr, options: dict[str, ast.expr], depth: int = 0) -> str:
        """`sorted by the value, highest first`."""
        text = "sorted"
        if "key" in options:
            text += f" by {self._key(options['key'], collection, depth)}"
        reverse = options.get("reverse")
        if isinstance(reverse, ast.Constant) and reverse.value:
            return f"{text}, highest first"
        if reverse is None or isinstance(reverse, ast.Constant):
            return text if "(highest first)" in text else f"{text}, lowest first"
        return f"{text}, highest first when {self.condition(reverse, depth=depth)}"

    # -- conditions

    def condition(self, node: ast.AST, negated: bool = False, depth: int = 0) -> str:
        """A clause (`the total score is at least 24`) that holds when `node` does (or does not, if `negated`)."""
        if depth > DEEPEST:
            return "a further condition holds"
        depth += 1
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.condition(node.operand, not negated, depth)
        if isinstance(node, ast.NamedExpr):
            return self.condition(node.value, negated, depth)
        if isinstance(node, ast.BoolOp):
            return self._both_or_either(node, negated, depth)
        if isinstance(node, ast.Compare):
            return self._comparison(node, negated, depth)
        if isinstance(node, ast.Constant):
            return "always" if bool(node.value) != negated else "never"
        if isinstance(node, ast.Call):
            return self._call_condition(node, negated, depth)
        if isinstance(node, ast.IfExp):
            return f"{'it is not the case that ' if negated else ''}{self.say(node, depth)}"
        if isinstance(node, ast.Name):
            return self._name_condition(node.id, negated)
        text = self.say(node, depth)
        return f"{text} is {'empty, zero or false' if negated else 'there and not empty, zero or false'}"

    def _name_condition(self, name: str, negated: bool) -> str:
        use = self.uses.get(name, NameUse())
        words = name_words(name)
        if use.is_collection:
            return f"{self.the(name)} is {'empty' if negated else 'not empty'}"
        if words[0] in ("is", "has", "have", "can", "should", "was", "use", "uses", "are", "needs", "allow"):
            return f'"{self.noun(name)}" is {"false" if negated else "true"}'
        if use.is_flag:
            return f"{self.the(name)} is {'false' if negated else 'true'}"
        return f"{self.the(name)} is {'missing, empty or zero' if negated else 'given (not empty or zero)'}"

    def _both_or_either(self, node: ast.BoolOp, negated: bool, depth: int) -> str:
        is_and = isinstance(node.op, ast.And) != negated
        values = node.values
        if not is_and:
            merged = self._merged_alternatives(values, negated, depth)
            if merged:
                return merged
        said = []
        for value in values:
            inner = value.operand if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not) else value
            text = self.condition(value, negated, depth)
            if isinstance(inner, ast.BoolOp):
                flipped = negated != (inner is not value)
                inner_and = isinstance(inner.op, ast.And) != flipped
                merged = not inner_and and self._merged_alternatives(inner.values, flipped, depth) is not None
                if inner_and != is_and and not merged:
                    text = f"{'both' if inner_and else 'either'} {text}" if " either " not in text else f"({text})"
            said.append(text)
        word = "and" if is_and else "or"
        if len(said) > 2 or any(" and " in text or " or " in text for text in said):
            return f", {word} ".join(said)
        return f" {word} ".join(said)

    def _merged_alternatives(self, values: Sequence[ast.expr], negated: bool, depth: int) -> str | None:
        """`x == a or x == b` and `a in x or b in x` are said with one verb."""
        if negated or not all(isinstance(value, ast.Compare) and len(value.ops) == 1 for value in values):
            return None
        comparisons = [value for value in values if isinstance(value, ast.Compare)]
        kinds = {type(comparison.ops[0]) for comparison in comparisons}
        if len(kinds) != 1:
            return None
        kind = kinds.pop()
        if kind is ast.Eq and len({ast.dump(comparison.left) for comparison in comparisons}) == 1:
            options = self.listing([comparison.comparators[0] for comparison in comparisons], depth, "or")
            return f"{self.say(comparisons[0].left, depth)} is {options}"
        if kind is ast.In and len({ast.dump(comparison.comparators[0]) for comparison in comparisons}) == 1:
            options = self.listing([comparison.left for comparison in comparisons], depth, "or")
            return f"{self.say(comparisons[0].comparators[0], depth)} contains {options}"
        return None

    def _comparison(self, node: ast.Compare, negated: bool, depth: int) -> str:
        if len(node.ops) == 2 and not negated:
            low, high = node.ops
            middle = self.say(node.comparators[0], depth)
            first, last = self.say(node.left, depth), self.say(node.comparators[1], depth)
            if isinstance(low, ast.LtE) and isinstance(high, ast.LtE):
                return f"{middle} is between {first} and {last} (both included)"
            if isinstance(low, ast.Lt | ast.LtE) and isinstance(high, ast.Lt | ast.LtE):
                start = "more than" if isinstance(low, ast.Lt) else "at least"
                return (
                    f"{middle} is {start} {first} and {'less than' if isinstance(high, ast.Lt) else 'at most'} {last}"
                )
        if len(node.ops) > 1:
            clauses, left = [], node.left
            for op, right in zip(node.ops, node.comparators, strict=True):
                clauses.append(self._single(left, op, right, negated, depth))
                left = right
            return (" or " if negated else " and ").join(clauses)
        return self._single(node.left, node.ops[0], node.comparators[0], negated, depth)

    def _single(self, left: ast.expr, op: ast.cmpop, right: ast.expr, negated: bool, depth: int) -> str:
        if isinstance(op, ast.In | ast.NotIn):
            return self._membership(left, right, negated != isinstance(op, ast.NotIn), depth)
        if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
            left, right, op = right, left, _MIRRORED.get(type(op), type(op))()
        verb = _COMPARISONS[type(op)][negated]
        if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            positive = isinstance(op, ast.Eq | ast.Is) != negated
            sized = _length_of(left)
            if sized is not None and _integer(right) == 0:
                return f"{self.say(sized, depth)} is {'empty' if positive else 'not empty'}"
            if isinstance(right, ast.Constant) and right.value is None:
                return f"{self.say(left, depth)} is {'not given' if positive else 'given'}"
            is_remainder = isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and not _is_text(left.left)
            if is_remainder and isinstance(left, ast.BinOp) and _integer(right) == 0:
                divisor = self._operand(left.right, depth)
                return f"{self.say(left.left, depth)} is {'' if positive else 'not '}divisible by {divisor}"
            if isinstance(right, ast.List | ast.Dict) and not (
                right.elts if isinstance(right, ast.List) else right.keys
            ):
                return f"{self.say(left, depth)} is {'empty' if positive else 'not empty'}"
            if not isinstance(right, ast.Constant):
                verb = "is the same as" if positive else "differs from"
        return f"{self.say(left, depth)} {verb} {self._bare(right, depth)}"

    def _bare(self, node: ast.expr, depth: int) -> str:
        return self.say(node, depth)

    def _membership(self, left: ast.expr, right: ast.expr, negated: bool, depth: int) -> str:
        no = "not " if negated else ""
        if isinstance(right, ast.List | ast.Tuple | ast.Set):
            if not right.elts:
                return "never" if not negated else "always"
            which = "none of" if negated else "one of"
            return f"{self.say(left, depth)} is {which} {self.listing(right.elts, depth, 'or')}"
        if isinstance(right, ast.Constant):
            return f"{self.say(left, depth)} is {no}found in {self.say(right, depth)}"
        if isinstance(right, ast.Name) and right.id in self.tables:
            return f"{self.say(left, depth)} is {no}among {self.say(right, depth)}"
        if isinstance(left, ast.Constant):
            return f"{self.say(right, depth)} {'does not contain' if negated else 'contains'} {self.say(left, depth)}"
        return f"{self.say(left, depth)} is {no}found in {self.say(right, depth)}"

    def _either(self, node: ast.expr, depth: int) -> str:
        return self.listing(node.elts, depth, "or") if isinstance(node, ast.Tuple) else self.say(node, depth)

    def _quantified(self, name: str, argument: ast.expr, depth: int, negated: bool = False) -> str:
        opening = {
            ("any", False): "at least one",
            ("all", False): "every",
            ("any", True): "no",
            ("all", True): "not every",
        }[name, negated]
        if isinstance(argument, ast.GeneratorExp | ast.ListComp):
            saved = dict(self.renamed)
            phrases = []
            for generator in argument.generators:
                phrase = strip_each(self.iteration(generator.target, generator.iter, depth))
                if generator.ifs:
                    phrase += f" (where {join([self.condition(test, depth=depth + 1) for test in generator.ifs])})"
                phrases.append(phrase)
            test = self.condition(argument.elt, depth=depth + 1)
            self.renamed = saved
            return f"for {opening} {', and '.join(phrases)}, {test}"
        return f"{opening} of {self.say(argument, depth)} holds"

    def _call_condition(self, node: ast.Call, negated: bool, depth: int) -> str:
        function = node.func
        if isinstance(function, ast.Name) and node.args:
            if function.id in ("any", "all"):
                return self._quantified(function.id, node.args[0], depth, negated)
            if function.id == "isinstance" and len(node.args) == 2:
                verb = "is not" if negated else "is"
                return f"{self.say(node.args[0], depth)} {verb} {self._type(node.args[1])}"
            if function.id == "len":
                return f"{self.say(node.args[0], depth)} is {'empty' if negated else 'not empty'}"
            if function.id == "bool":
                return self.condition(node.args[0], negated, depth)
        if isinstance(function, ast.Attribute):
            owner = self.say(function.value, depth)
            if function.attr in ("startswith", "endswith") and node.args:
                verb = "start" if function.attr == "startswith" else "end"
                said = f"does not {verb}" if negated else f"{verb}s"
                return f"{owner} {said} with {self._either(node.args[0], depth)}"
            if function.attr in _TEXT_TESTS and not node.args:
                test = f"{owner} {_TEXT_TESTS[function.attr]}"
                return f"it is not the case that {test}" if negated else test
            if function.attr in ("match", "search", "fullmatch") and len(node.args) > 1:
                verb = "does not match" if negated else "matches"
                return f"{self.say(node.args[1], depth)} {verb} a text pattern"
            if function.attr == "get":
                text = self.say(node, depth)
                return f"{text} is {'empty, zero or false' if negated else 'there and not empty, zero or false'}"
        text = self.say(node, depth)
        if text.startswith("whether "):
            return f"it is not the case that {text.removeprefix('whether ')}" if negated else text[len("whether ") :]
        return f"{text} is {'empty, zero or false' if negated else 'there and not empty, zero or false'}"


def strip_each(phrase: str) -> str:
    return phrase.removeprefix("each ")


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"entry number {index + 1}"


def _integer(node: ast.AST | None) -> int | None:
    """The value of an integer literal, with or without a minus sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


def _length_of(node: ast.AST) -> ast.expr | None:
    """`x` in `len(x)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0]
    return None


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "str"
    return isinstance(node, ast.JoinedStr)


def _is_truth(node: ast.AST) -> bool:
    """Whether an expression reads as a yes-or-no condition."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(value) for value in node.values)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id in ("any", "all", "isinstance", "bool")
        return isinstance(node.func, ast.Attribute) and (
            node.func.attr in _TEXT_TESTS or node.func.attr in ("startswith", "endswith")
        )
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))


def is_truth(node: ast.AST) -> bool:
    """Whether an expression reads as a yes-or-no condition."""
    return _is_truth(node)


def names_in(nodes: Iterable[ast.AST]) -> list[str]:
    """The identifiers and attribute names in these trees, in order of `ast.walk`."""
    found: list[str] = []
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name):
                found.append(node.id)
            elif isinstance(node, ast.Attribute):
                found.append(node.attr)
            elif isinstance(node, ast.arg | ast.keyword) and node.arg:
                found.append(node.arg)
    return found
