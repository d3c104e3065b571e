"""Values: constants, slices, arithmetic, displays and comprehensions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from colbench_gym.simulators.english.phrasebook import Phrasebook
from colbench_gym.simulators.english.wording import (
    LONGEST_LISTING,
    OPEN_ASIDE,
    aside,
    integer,
    is_plain_text,
    is_text,
    is_truth,
    join,
    length_of,
    ordinal,
    possessive,
    say_number,
    say_percent,
    say_text,
    singular,
    strip_article,
    strip_each,
)
from colbench_gym.simulators.words import name_words

_OPEN_PHRASES = ("the sum of ",)


_PLAIN_KEY = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


_TEXT_METHODS = frozenset(["lower", "upper", "strip", "replace", "title", "capitalize", "join", "format", "zfill"])


def _gives_text(node: ast.expr) -> bool:
    return is_text(node) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT_METHODS
    )


def _texts(node: ast.BinOp) -> bool:
    return is_text(node.left) or is_text(node.right)


class Values(Phrasebook):
    """Noun phrases for values."""

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
        name = self.the(node.id)
        known = self.fixed.get(node.id) or self.defaults.get(node.id)
        if known is None or node.id in self.renamed or not isinstance(node.ctx, ast.Load):
            return name
        value = self._say_Constant(known, depth)
        if len(value) >= 40:
            return name
        glossed = f"{name} ({value})" if node.id in self.fixed else f"{name} ({value} by default)"
        self.glosses[glossed] = name
        return glossed

    def _say_Attribute(self, node: ast.Attribute, depth: int) -> str:
        name = f"the {' '.join(name_words(node.attr))}"
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            known = self.fixed.get(node.attr)
            return f"{name} ({self._say_Constant(known, depth)})" if known is not None else name
        return f"{name} of {self.say(node.value, depth)}"

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
            return self._slice(owner, index, depth, node.value)
        number = integer(index)
        if number is not None:
            if number < 0:
                place = "last" if number == -1 else f"{ordinal(-number - 1)} from the end"
            else:
                place = ordinal(number)
            return f"the {place} of {owner}"
        if isinstance(index, ast.Constant):
            return self._entry_of(node.value, index, owner, depth)
        if isinstance(index, ast.Compare) or (
            isinstance(index, ast.BinOp) and isinstance(index.op, ast.BitAnd | ast.BitOr)
        ):
            return f"the part of {owner} where {self.condition(index, depth=depth)}"
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
            return f"the part of {owner} outside {self.say(index.operand, depth)}"
        which = self.say(index, depth)
        return f"the entry for {aside(which) if isinstance(index, ast.IfExp | ast.BoolOp) else which} in {owner}"

    def _entry_of(self, node: ast.expr, key: ast.Constant, owner: str, depth: int) -> str:
        """The entry under a fixed key, with its value where the collection is a table of the reference's own."""
        said = self.say(key, depth)
        if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or OPEN_ASIDE in owner or len(owner) > 60:
            phrase = f"the {said} of {owner}"
        elif isinstance(key.value, str) and _PLAIN_KEY.fullmatch(key.value):
            phrase = f"{possessive(owner)} {key.value.replace('_', ' ')}"
        else:
            phrase = f"the {said} of {owner}"
        table = self.tables.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Name) and isinstance(table, ast.Dict):
            phrase = f"the {singular(self.noun(node.id))} for {said}"
        if isinstance(table, ast.Dict):
            for its_key, value in zip(table.keys, table.values, strict=True):
                if isinstance(its_key, ast.Constant) and its_key.value == key.value:
                    inside = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
                    if inside and all(isinstance(part, ast.Constant) for part in inside):
                        text = self.listing(inside, depth)
                        if len(text) < 60:
                            return f"{phrase} ({text})"
        return phrase

    def _slice(self, owner: str, index: ast.Slice, depth: int, node: ast.expr) -> str:
        if integer(index.step) == -1 and index.lower is None and index.upper is None:
            return f"{owner} in reverse"
        step = "" if index.step is None else f", in steps of {self.say(index.step, depth)}"
        if index.lower is None and index.upper is None:
            return f"a copy of {owner}{step}"
        if index.lower is None or integer(index.lower) == 0:
            upper = integer(index.upper)
            if upper is not None and upper < 0:
                return f"{owner} without its last {-upper}{step}"
            what = f"characters of {owner}" if _gives_text(node) else f"of {owner}"
            if upper is not None:
                return f"the first {upper} {what}{step}"
            return f"the first part of {owner} (as many as {self.say(index.upper, depth)}){step}"
        lower = integer(index.lower)
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
        rounded_up = self._rounded_up(node, depth)
        if rounded_up is not None:
            return rounded_up
        if isinstance(node.op, ast.USub):
            return f"minus {self._operand(node.operand, depth)}"
        if isinstance(node.op, ast.Invert):
            return f"the bitwise complement of {self.say(node.operand, depth)}"
        return self.say(node.operand, depth)

    def _rounded_up(self, node: ast.UnaryOp, depth: int) -> str | None:
        """`-(-a // b)` for what it is meant to be."""
        inner = node.operand
        if not (isinstance(node.op, ast.USub) and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv)):
            return None
        left = inner.left
        if not (isinstance(left, ast.UnaryOp) and isinstance(left.op, ast.USub)):
            return None
        return f"{self._infix(left.operand, 'divided by', inner.right, depth)} (rounded up to a whole number)"

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
            if isinstance(node.right, ast.Constant) and node.right.value == 0.5:
                return f"the square root (the power of 0.5) of {self._operand(node.left, depth)}"
            return self._infix(node.left, "to the power of", node.right, depth)
        if isinstance(node.op, ast.BitAnd | ast.BitOr):
            if is_truth(node.left) and is_truth(node.right):
                return f"whether {self.condition(node, depth=depth)}"
            if integer(node.left) is None and integer(node.right) is None:
                first, second = self._operand(node.left, depth), self._operand(node.right, depth)
                shared = f"what {first} and {second} have in common"
                return shared if isinstance(node.op, ast.BitAnd) else f"{first} and {second} taken together"
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
        if any(is_text(term) for _, term in terms):
            return ", then ".join(self.say(term, depth) for _, term in terms)
        said = []
        for position, (word, term) in enumerate(terms):
            is_sum = isinstance(term, ast.BinOp) and isinstance(term.op, ast.Add | ast.Sub)
            text = self._operand(term, depth) if is_sum or isinstance(term, ast.IfExp) else self.say(term, depth)
            compound = isinstance(term, ast.BinOp | ast.GeneratorExp | ast.ListComp | ast.Call)
            before = terms[position - 1][1] if position else None
            comma = "," if compound or isinstance(before, ast.BinOp | ast.Call) else ""
            said.append(text if position == 0 else f"{comma} {word} {text}")
        return "".join(said)

    def _infix(self, left: ast.expr, word: str, right: ast.expr, depth: int) -> str:
        first = self._operand(left, depth, chain=True)
        second = self._operand(right, depth)
        is_letter = first.startswith(OPEN_ASIDE)
        comma = "," if first.startswith(_OPEN_PHRASES) or (isinstance(left, ast.BinOp) and not is_letter) else ""
        return f"{first}{comma} {word} {second}"

    def _operand(self, node: ast.expr, depth: int, chain: bool = False) -> str:
        """A phrase that stays one thing when put beside `times` or `divided by`."""
        if isinstance(node, ast.BinOp):
            simple = not any(isinstance(part, ast.BinOp | ast.IfExp | ast.Call) for part in (node.left, node.right))
            if isinstance(node.op, ast.Add) and simple and not _texts(node):
                return f"the sum of {self.say(node.left, depth)} and {self.say(node.right, depth)}"
            if chain and isinstance(node.op, ast.Mult | ast.Div):
                return self.say(node, depth)
            if isinstance(node.op, ast.Mult) and simple and not self._share(node, depth):
                return f"the product of {self.say(node.left, depth)} and {self.say(node.right, depth)}"
            return aside(self.say(node, depth))
        if isinstance(node, ast.IfExp | ast.BoolOp | ast.Compare):
            return aside(self.say(node, depth))
        if isinstance(node, ast.Call) and len(node.args) > 1:
            return aside(self.say(node, depth))
        return self.say(node, depth)

    # -- truth

    def _say_BoolOp(self, node: ast.BoolOp, depth: int) -> str:
        if isinstance(node.op, ast.Or) and not all(is_truth(value) for value in node.values[:-1]):
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
        parts = [
            say_text(value.value)
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
            else self.say(value, depth)
            for value in node.values
        ]
        filled = self._filled_in(node, depth)
        if filled is not None:
            return filled
        if len(parts) == 1:
            return parts[0] if isinstance(node.values[0], ast.Constant) else f"{parts[0]} as a text"
        return "the text made of " + ", then ".join(parts) if parts else "an empty text"

    def _filled_in(self, node: ast.JoinedStr, depth: int) -> str | None:
        """`"Dear (the name), you owe (the total) dollars"`; None where that would not read as the very text."""
        said = ""
        for value in node.values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                if not is_plain_text(value.value) or "(" in value.value or ")" in value.value:
                    return None
                said += value.value
                continue
            inner = self.say(value, depth)
            if said and (said[-1].isalnum() or said[-1] == "_"):
                return None
            if any(sign in inner for sign in ('"', "(", ")", OPEN_ASIDE)) or len(inner) > 90:
                return None
            said += f"({inner})"
        if len(said) > 300 or "  " in said or said != said.strip() or re.search(r"\)[\w(]", said):
            return None
        return f'the text "{said}"' if any(isinstance(value, ast.Constant) for value in node.values) else None

    def _say_FormattedValue(self, node: ast.FormattedValue, depth: int) -> str:
        text = self.say(node.value, depth)
        if isinstance(node.format_spec, ast.JoinedStr):
            literal = "".join(str(part.value) for part in node.format_spec.values if isinstance(part, ast.Constant))
            decimals = re.fullmatch(r",?\.(\d+)([f%])", literal)
            if decimals:
                what = "as a percentage with" if decimals.group(2) == "%" else "with"
                places = "1 decimal" if decimals.group(1) == "1" else f"{decimals.group(1)} decimals"
                return f"{text} {what} {places}"
            if literal == ",":
                return f"{text} with thousands separators"
            padded = re.fullmatch(r"0(\d+)d?", literal)
            if padded:
                return f"{text} padded with zeros to {padded.group(1)} digits"
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
        if (
            function == "range"
            and call
            and len(call.args) == 1
            and names
            and not any(name.strip("_") for name in names)
        ):
            return f"each of {self.say(call.args[0], depth + 1)} rounds"
        if function == "range" and call and call.args:
            for name in names:
                if len(name) <= 2:
                    self.renamed[name] = "the position"
            label = strip_article(self.the(names[0])) if names else "step"
            last = call.args[-1] if len(call.args) < 2 else call.args[1]
            first = "0" if len(call.args) < 2 else self.say(call.args[0], depth + 1)
            sized = length_of(last)
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
            one = strip_article(self.the(target.id))
            # "Each song" says all that "each song in the songs" says.
            if isinstance(source, ast.Name) and owned and self._only_collection_of(one, source.id):
                return f"each {one}"
            return f"each {one} in {owner}"
        if names:
            shown = [strip_article(self.the(name)) for name in names if name.strip("_")]
            return f"each {join(shown) or 'item'} in {owner}"
        return f"each item in {owner}"

    def _only_collection_of(self, noun: str, name: str) -> bool:
        """Whether `name` is the only name whose items can be meant by `noun`."""
        last = noun.split()[-1]
        named = {other for other in self.uses if name_words(other) and singular(name_words(other)[-1]) == last}
        return {other for other in named if name_words(other)[-1] != last} == {name}

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
