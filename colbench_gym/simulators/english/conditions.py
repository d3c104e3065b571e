"""Conditions, said as clauses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from colbench_gym.simulators.english.phrasebook import FLAG_WORDS, NameUse, Phrasebook
from colbench_gym.simulators.english.wording import (
    DEEPEST,
    TEXT_TESTS,
    integer,
    is_mask,
    is_text,
    is_truth,
    join,
    length_of,
    strip_each,
)
from colbench_gym.simulators.words import name_words

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


class Conditions(Phrasebook):
    """Clauses for conditions."""

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
        if is_mask(node) and is_truth(node.left) and is_truth(node.right):
            both = ast.And() if isinstance(node.op, ast.BitAnd) else ast.Or()
            return self._both_or_either(ast.BoolOp(both, [node.left, node.right]), negated, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self.condition(node.operand, not negated, depth)
        if isinstance(node, ast.IfExp):
            return f"{'it is not the case that ' if negated else ''}{self.say(node, depth)}"
        if isinstance(node, ast.Name):
            return self._name_condition(node.id, negated)
        text = self.say(node, depth)
        return f"{text} is {'empty, zero or false' if negated else 'set (not empty, zero or false)'}"

    def _name_condition(self, name: str, negated: bool) -> str:
        use = self.uses.get(name, NameUse())
        words = name_words(name)
        if use.is_collection:
            return f"{self.the(name)} is {'empty' if negated else 'not empty'}"
        if words[0] in FLAG_WORDS:
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
            sized = length_of(left)
            if sized is not None and integer(right) == 0:
                return f"{self.say(sized, depth)} is {'empty' if positive else 'not empty'}"
            if isinstance(right, ast.Constant) and right.value is None:
                return f"{self.say(left, depth)} is {'not given' if positive else 'given'}"
            is_remainder = isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and not is_text(left.left)
            if is_remainder and isinstance(left, ast.BinOp) and integer(right) == 0:
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
        if isinstance(argument, ast.List | ast.Tuple) and argument.elts and all(map(is_truth, argument.elts)):
            node = ast.BoolOp(ast.And() if name == "all" else ast.Or(), argument.elts)
            return self.condition(node, negated, depth)
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
            if function.attr in TEXT_TESTS and not node.args:
                test = f"{owner} {TEXT_TESTS[function.attr]}"
                return f"it is not the case that {test}" if negated else test
            if function.attr == "get":
                text = self.say(node, depth)
                return f"{text} is {'empty, zero or false' if negated else 'set (not empty, zero or false)'}"
        text = self.say(node, depth)
        if isinstance(function, ast.Name) and function.id in self.functions:
            return f"{text} is {'false' if negated else 'true'}"
        if text.startswith("whether "):
            return f"it is not the case that {text.removeprefix('whether ')}" if negated else text[len("whether ") :]
        return f"{text} is {'empty, zero or false' if negated else 'set (not empty, zero or false)'}"
