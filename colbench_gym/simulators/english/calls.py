"""Calls of functions and methods, said as what they give."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from colbench_gym.simulators.english.patterns import say_pattern
from colbench_gym.simulators.english.phrasebook import Phrasebook
from colbench_gym.simulators.english.wording import (
    TEXT_TESTS,
    TYPES,
    VAGUE,
    integer,
    join,
    say_date_form,
    strip_article,
)
from colbench_gym.simulators.words import name_words


class Calls(Phrasebook):
    """Noun phrases for calls."""

    def _say_Call(self, node: ast.Call, depth: int) -> str:
        arguments = node.args
        if isinstance(node.func, ast.Name):
            said = self._function_call(node.func.id, arguments, node.keywords, depth)
            if said is not None:
                return said
            name = " ".join(name_words(node.func.id))
            if node.func.id in self.functions:
                return (
                    f"what {name} gives for {self._arguments(node, depth)}"
                    if arguments or node.keywords
                    else f"what {name} gives"
                )
            if node.func.id[:1].isupper():
                return f"a new {name}" + (f" with {self._arguments(node, depth)}" if arguments or node.keywords else "")
            return f"the {name} of {self._arguments(node, depth)}" if arguments or node.keywords else f"a new {name}"
        if isinstance(node.func, ast.Attribute):
            said = self._method_call(node.func, arguments, node.keywords, depth)
            if said is not None:
                return said
            name = " ".join(name_words(node.func.attr))
            given = self._arguments(node, depth)
            if isinstance(node.func.value, ast.Name) and node.func.value.id in self.modules:
                return f"the {name} of {given}" if given else f"the {name}"
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
        if name == "timedelta" and keywords and not arguments:
            return join([f"{self._operand(word.value, depth)} {word.arg or ''}" for word in keywords])
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
            return f"{self.say(first, depth)} as a whole number (decimals are cut off)"
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
        if isinstance(function.value, ast.Name) and function.value.id in self.modules | {"datetime", "date"}:
            known = self._library_call(name, arguments, keywords, depth)
            if known is not None:
                return known
        if name == "tolist":
            return f"{owner} as a list"
        if name == "weekday" and not arguments:
            return f"the weekday of {owner} (counted from 0 for Monday)"
        if name == "isoweekday" and not arguments:
            return f"the weekday of {owner} (counted from 1 for Monday)"
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
            if name in TEXT_TESTS:
                return f"whether {owner} {TEXT_TESTS[name]}"
        if not arguments:
            return None
        if name == "get":
            fallback = f" (or {said[1]} if there is none)" if len(said) > 1 else " (or nothing if there is none)"
            if isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
                return f"{self._entry_of(function.value, arguments[0], owner, depth)}{fallback}"
            return f"the entry for {said[0]} in {owner}{fallback}"
        if name == "setdefault":
            return f"the entry for {said[0]} in {owner}"
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

    def _library_call(
        self, name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword], depth: int
    ) -> str | None:
        """Calls of `re`, `numpy`, `math` and `datetime` that people have words for."""
        said = [self.say(argument, depth) for argument in arguments]
        first = said[0] if said else ""
        if name in ("sub", "findall", "split", "match", "search", "fullmatch", "finditer") and len(said) > 1:
            pattern = self._pattern(arguments[0])
            if name == "sub" and len(said) > 2:
                put = "nothing" if said[1] == "an empty text" else said[1]
                return f"{said[2]} with every match of {pattern} replaced by {put}"
            if name in ("findall", "finditer"):
                return f"all matches of {pattern} in {said[1]}"
            if name == "split":
                return f"{said[1]} split at every match of {pattern}"
            where = {"match": "starts with", "search": "contains", "fullmatch": "is as a whole"}[name]
            return f"whether {said[1]} {where} {pattern}"
        if name in ("today", "now", "utcnow"):
            return "today" if name == "today" else "the current time"
        if name in ("array", "asarray") and said:
            return f"{first} as an array"
        phrases = {
            "mean": "the average of {}",
            "average": "the average of {}",
            "median": "the median of {}",
            "std": "the standard deviation of {}",
            "sum": "the total of {}",
            "prod": "the product of {}",
            "max": "the highest of {}",
            "min": "the lowest of {}",
            "abs": "the absolute value of {}",
            "absolute": "the absolute value of {}",
            "log": "the natural logarithm of {}",
            "log10": "the base-10 logarithm of {}",
            "exp": "e to the power of {}",
            "unique": "{} without repeats, sorted",
            "cumsum": "the running total of {}",
        }
        if len(said) == 1 and not keywords and name in phrases:
            return phrases[name].format(first)
        if name == "round" and said:
            decimals = said[1] if len(said) > 1 else "0"
            return f"{first}, rounded to {decimals} decimals"
        if name == "arange" and len(said) > 1:
            return f"the numbers from {first} up to but not including {said[1]}"
        return None

    def _pattern(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return say_pattern(node.value)
        return self.say(node)

    def _date_form(self, node: ast.expr) -> str:
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return self.say(node)
        return f'"{say_date_form(node.value)}"'

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
            return TYPES.get(node.id, f"of the kind {' '.join(name_words(node.id))}")
        return "of the right kind"

    def _type_or_name(self, node: ast.expr, depth: int) -> str:
        if isinstance(node, ast.Name) and node.id in TYPES:
            return TYPES[node.id]
        return self.say(node, depth)

    def _key(self, node: ast.expr, collection: ast.expr, depth: int) -> str:
        """What a `key=` argument looks at."""
        if isinstance(node, ast.Lambda):
            saved = dict(self.renamed)
            for argument in node.args.args:
                if len(argument.arg) <= 2 or argument.arg in ("item", "pair", "entry"):
                    self.renamed[argument.arg] = "that one"
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
        if entries and isinstance(node, ast.Subscript) and integer(node.slice) in (0, 1):
            return "key" if integer(node.slice) == 0 else "value"
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
