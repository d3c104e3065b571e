"""Walks a syntax tree and notes its facts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from colbench_gym.simulators.english import NameUse, join
from colbench_gym.simulators.english.wording import an, join_texts, names_in, say_text
from colbench_gym.simulators.reading.aims import Aims
from colbench_gym.simulators.reading.branches import Branches
from colbench_gym.simulators.reading.general import General
from colbench_gym.simulators.reading.model import (
    DEEPEST_BLOCK,
    NONE_OF_EARLIER,
    NOTHING_EARLIER,
    NOTHING_ELSE,
    THE_RESULT,
    Path,
    chunks,
)
from colbench_gym.simulators.reading.notes import NAMED
from colbench_gym.simulators.reading.shapes import (
    chain_at,
    choices_of,
    item_uses,
    may_return,
    plain,
    record,
)
from colbench_gym.simulators.reading.statements import Statements
from colbench_gym.simulators.reading.tables import Tables
from colbench_gym.simulators.words import name_words

LONGEST_OPTIONS = 270
"""Characters of a parameter's texts that are told in one sentence."""


class Reader(Branches, Statements, Tables, General, Aims):
    """Reads one reference."""

    def read(self) -> None:
        for node in self.tree.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.block([node], Path())
        for position, function in enumerate(self.functions):
            main = position == 0 if len(self.functions) == 1 else function is self.main()
            subject = THE_RESULT if main else f"the result of the helper {' '.join(name_words(function.name))}"
            self.function(function, subject)
        self.general()
        self.cover_constants()
        self.aims()

    def main(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """The function that no other one calls; the first of several."""
        called = {
            node.func.id
            for function in self.functions
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id != function.name
        }
        return next((function for function in self.functions if function.name not in called), self.functions[0])

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, subject: str, depth: int = 0) -> None:
        before = len(self.facts)
        self.parameters(node)
        self.new_group()
        self.block(node.body, Path(subject=subject, depth=depth))
        if subject != THE_RESULT:
            self.about(before, [node.name], NAMED)

    def parameters(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: dict[str, ast.expr] = {}
        for argument, default in zip(reversed(positional), reversed(arguments.defaults), strict=False):
            defaults[argument.arg] = default
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False):
            if default is not None:
                defaults[argument.arg] = default
        for name, default in defaults.items():
            if (
                isinstance(default, ast.Constant)
                and isinstance(default.value, int | float)
                and not isinstance(default.value, bool)
            ):
                self.speaker.defaults[name] = default
        for argument in [*positional, *arguments.kwonlyargs]:
            name = argument.arg
            if name in ("self", "cls"):
                continue
            shape = self.shape(function, name, defaults.get(name))
            the = self.speaker.the(name)
            default = defaults.get(name)
            self.new_group()
            texts = [text for text in dict.fromkeys(self.uses.get(name, NameUse()).texts) if text]
            if shape == "a text" and texts:
                self.options(name, texts, default)
                continue
            if default is None:
                if shape:
                    items = item_uses(function, name, self.uses)
                    nodes = [name, *(part for part in items[1:] if part)] if items else [name]
                    self.add(f"{the} should be {shape}", nodes, ["input"], 0.2 if shape == "a number" else 0.9)
                continue
            said = self.speaker.say(default)
            kinds = ["default", "input", "empty", "rule"]
            if isinstance(default, ast.Dict | ast.List | ast.Tuple | ast.Set) and len(said) > 90:
                self.add(f"{the} can be left out, and then my standard values for it count", [name], kinds, 1.6)
                self.table(name, default)
                continue
            if isinstance(default, ast.Constant) and default.value is None:
                missing = "can be left out"
            else:
                missing = f"is {said} unless something else is given"
            if shape and len(shape) < 120 and not isinstance(default, ast.Dict | ast.List | ast.Tuple):
                self.add(f"{the} {missing} ({shape.removesuffix(' (true or false)')})", [name], kinds, 1.6)
            else:
                self.add(f"{the} {missing}", [name], kinds, 1.6)

    def tried(self, body: Sequence[ast.stmt]) -> str:
        """What a `try` tries, as a noun phrase."""
        first = body[0]
        if isinstance(first, ast.Assign) and len(body) == 1:
            said = self.speaker.say(first.value)
            return f"working out {said}" if len(said) < 80 else f"working out {self.speaker.say(first.targets[0])}"
        if isinstance(first, ast.Assign):
            return f"working out {self.speaker.say(first.targets[0])} or what follows from it"
        if isinstance(first, ast.Return) and first.value is not None and len(body) == 1:
            said = self.speaker.say(first.value)
            return f"working out {said}" if len(said) < 80 else "working out the result"
        return "that"

    def options(self, name: str, texts: Sequence[str], default: ast.expr | None) -> None:
        """The texts that a parameter is compared with."""
        the = self.speaker.the(name)
        kinds = ["input", "table"]
        missing = ""
        if default is not None:
            kinds.append("default")
            empty = isinstance(default, ast.Constant) and default.value is None
            missing = (
                " that can be left out" if empty else f" ({self.speaker.say(default)} unless something else is given)"
            )
        options = [say_text(text) for text in texts]
        for position, chunk in enumerate(chunks(options, LONGEST_OPTIONS)):
            said = join_texts(chunk)
            if position:
                self.add(f"further values for {the} are {said}", [name], kinds, 1.0)
            elif len(options) == 1:
                self.add(f"{the} should be a text{missing}, and the value I look for is {said}", [name], kinds, 1.0)
            else:
                self.add(f"{the} should be a text{missing}, and the values I look for are {said}", [name], kinds, 1.0)

    def shape(self, function: ast.AST, name: str, default: ast.expr | None) -> str | None:
        """What the uses of a parameter say about its form, as `a list of records, each with ...`."""
        use = self.uses.get(name, NameUse())
        items = item_uses(function, name, self.uses)
        if items is not None:
            kind, element, value = items
            if kind == "items":
                inside = (
                    f", where each {self.speaker.noun(value)} {record(value_use)}"
                    if (value and (value_use := self.uses.get(value)) and value_use.keys)
                    else ""
                )
                return (
                    f"a dictionary from {plain(self.speaker, element, 'key')} to "
                    f"{plain(self.speaker, value, 'value')}{inside}"
                )
            element_use = self.uses.get(element or "")
            if element_use and element_use.keys:
                one = plain(self.speaker, element, "one")
                return f"a list of records (dictionaries), and each {one} {record(element_use)}"
            if element and (element_use is None or not element_use.texts):
                noun = plain(self.speaker, element, "item")
                return f"a collection that I go through {noun} by {noun}" if len(noun) > 2 else "a collection of items"
            return "a collection of items"
        if use.keys:
            return f"a record (a dictionary) that {record(use)}"
        if {"items", "keys", "values"} & use.methods:
            return "a dictionary"
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            return "a yes-or-no flag (true or false)"
        if use.texts:
            return "a text" if any(use.texts) else "a text that may be empty"
        if use.methods & {"lower", "upper", "split", "strip", "startswith", "endswith", "replace", "splitlines"}:
            return "a text"
        if use.in_arithmetic or use.compared_with_number:
            return "a number" if not use.iterated and not use.length_taken else None
        if use.is_flag:
            return "a yes-or-no flag (true or false)"
        if use.length_taken or use.iterated:
            return "a collection (a list or the like)"
        return None

    def block(self, body: Sequence[ast.stmt], path: Path) -> None:
        """Facts of a run of statements."""
        if path.depth > DEEPEST_BLOCK:
            return
        path = replace(path, depth=path.depth + 1)
        self.new_group()
        returned = False
        position = 0
        while position < len(body):
            statement = body[position]
            if isinstance(statement, ast.If):
                branches, taken = chain_at(body, position)
                ended = returned and all(test is not None for test, _ in branches)
                self.chain(branches, path)
                position += taken
                if position < len(body) and not isinstance(body[position], ast.If | ast.Return):
                    self.new_group()
                returned = returned or ended or any(map(may_return, body[position - taken : position]))
                continue
            here = path
            if returned and isinstance(statement, ast.Return):
                here = replace(path, conditions=(*path.conditions, NONE_OF_EARLIER))
            choices = choices_of(statement)
            if choices:
                self.chain(choices, here)
            else:
                self.statement(statement, here)
            returned = returned or may_return(statement)
            position += 1

    def statement(self, node: ast.stmt, path: Path) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.function(node, f"the {' '.join(name_words(node.name))}", path.depth)
        elif isinstance(node, ast.ClassDef):
            owner = " ".join(name_words(node.name))
            for item in node.body:
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                    called = " ".join(name_words(item.name))
                    self.function(
                        item,
                        f"what {called} of the {owner} gives",
                        path.depth,
                    )
                else:
                    self.statement(item, path)
        elif isinstance(node, ast.For | ast.AsyncFor):
            phrase = self.speaker.iteration(node.target, node.iter)
            names = names_in([node.iter, node.target])
            inner = replace(path, loops=(*path.loops, phrase), names=(*path.names, *names))
            self.block(node.body, inner)
            if node.orelse:
                self.block(node.orelse, path)
        elif isinstance(node, ast.While):
            phrase = f"as long as {self.speaker.condition(node.test)}"
            self.add(f"{phrase}, the steps are repeated", [node.test], ["rule"], 0.8, path.names)
            self.block(node.body, replace(path, loops=(*path.loops, phrase)))
        elif isinstance(node, ast.With | ast.AsyncWith):
            self.block(node.body, path)
        elif isinstance(node, ast.Try | ast.TryStar):
            self.block(node.body, path)
            for handler in node.handlers:
                named = join(
                    [" ".join(name_words(name)) for name in names_in([handler.type] if handler.type else [])], "or"
                )
                what = self.tried(node.body)
                condition = f"{what} fails with {an(named)}" if named else f"{what} fails with an error"
                names = tuple(names_in(node.body))[:12]
                inside = replace(path, conditions=(*path.conditions, condition), names=(*path.names, *names))
                self.block(handler.body, inside)
            self.block(node.orelse, path)
            self.block(node.finalbody, path)
        elif isinstance(node, ast.Match):
            subject = self.speaker.say(node.subject)
            before: set[str] = set()
            for case in node.cases:
                values = [value.value for value in ast.walk(case.pattern) if isinstance(value, ast.MatchValue)]
                text = f"{subject} is {self.speaker.listing(values, 0, 'or')}" if values else NOTHING_ELSE
                named = {ast.dump(value) for value in values}
                if named & before:
                    text = f"{NOTHING_EARLIER}{text}"
                before |= named
                if case.guard is not None:
                    text += f" and {self.speaker.condition(case.guard)}"
                inner = replace(
                    path, conditions=(*path.conditions, text), names=(*path.names, *names_in([node.subject]))
                )
                self.block(case.body, inner)
        elif isinstance(node, ast.If):
            self.chain(chain_at([node], 0)[0], path)
        else:
            self.simple(node, path)
