"""Answers for questions of one kind: what happens otherwise, who qualifies, ties, empty input, what is accepted."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from colbench_gym.simulators.english import join
from colbench_gym.simulators.english.wording import OPEN_ASIDE, an, join_texts
from colbench_gym.simulators.reading.model import LONGEST_PIECE, THE_RESULT, Answer, chunks
from colbench_gym.simulators.reading.notes import Notes
from colbench_gym.simulators.reading.shapes import argument_names, chain_at, ends_block, is_empty
from colbench_gym.simulators.words import FUNCTION_WORDS, stem, words_of

_LOWERING = ("lower", "casefold", "upper")
_LONGEST = 300
"""Characters of an answer."""

_MOST_LEAVES = 400
_MOST_LOOKED_AT = 20
"""Branches of one block, and calls, filters and look-ups of one reference: each may mean a walk of the whole tree."""


_NAMES = frozenset(["get", "sorted", "sort", "max", "min"])


class Aims(Notes):
    """Answers that only questions of their own kind get."""

    def aims(self) -> None:
        """Notes the answers, the most telling of each kind first."""
        if not self.functions:
            return
        self.nodes = nodes = list(ast.walk(self.tree))
        self.parents = {child: parent for parent in nodes for child in ast.iter_child_nodes(parent)}
        blocks = [
            body
            for node in nodes
            for name in ("body", "orelse", "finalbody")
            if isinstance(body := getattr(node, name, None), list)
        ]
        for body in blocks[: 10 * _MOST_LOOKED_AT]:
            for position, statement in enumerate(body[:_MOST_LOOKED_AT]):
                if isinstance(statement, ast.If):
                    self.branch_aims(body, position, statement)
        called = [node for node in nodes if isinstance(node, ast.Call) and _NAMES & set(_called(node))]
        filters = [node for node in nodes if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp)]
        looked_up = [
            node
            for node in nodes
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self.tables
        ]
        for call in called[:_MOST_LOOKED_AT]:
            self.call_aims(call)
        for one in [one for one in filters if one.generators[0].ifs][:_MOST_LOOKED_AT]:
            self.filter_aims(one)
        for subscript in looked_up[:_MOST_LOOKED_AT]:
            self.unguarded(subscript)
        for name, table in self.tables.items():
            if isinstance(table, ast.Dict):
                self.leaf_aims(name, table)
        self.drop_rival_conditions()
        self.accepted(nodes)
        self.case_aims(nodes)
        self.result_aims()
        self.empty_aims()

    def answer(
        self,
        aim: str,
        sentence: str,
        nodes: Sequence[ast.AST | str],
        needs: Iterable[str] = (),
        one_of: Iterable[str] = (),
    ) -> None:
        """Notes an answer, worded as facts are."""
        before = len(self.facts)
        self.add(sentence, nodes, [], 1.0)
        noted = self.facts[before:]
        del self.facts[before:]
        if noted and len(noted[0].sentence) <= _LONGEST:
            # A question that asks for what is not there may name it by any word of the sentence.
            found = Answer(aim, noted[0].sentence, noted[0].topics, frozenset(needs), frozenset(one_of))
            if all((one.aim, one.sentence) != (aim, found.sentence) for one in self.answers):
                self.answers.append(found)

    def effects(self, body: Sequence[ast.stmt]) -> str | None:
        """What up to two simple statements do; None for anything longer."""
        said = [self.effect(statement, THE_RESULT) for statement in body]
        return join([one for one in said if one]) if 0 < len(body) <= 2 and all(said) else None

    # -- fallbacks and ties

    def branch_aims(self, body: Sequence[ast.stmt], position: int, statement: ast.If) -> None:
        branches, taken = chain_at(body, position)
        returns_before = any(isinstance(part, ast.Return) for one in body[:position] for part in ast.walk(one))
        if not returns_before and not self.is_inside_if(statement):
            self.tied_counts(branches)
        test = statement.test
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
            return
        if self.is_conditional(statement, test.left, body[:position]):
            return
        op, looked_in = test.ops[0], test.comparators[0]
        if isinstance(op, ast.NotIn) and self.is_listed(looked_in):
            effect = self.effects(statement.body)
            if effect:
                self.answer("fallback", f"if {self.speaker.condition(test)}, {effect}", [test])
        elif isinstance(op, ast.In) and self.is_listed(looked_in) and len(branches) <= 2:
            rest = branches[1][1] if len(branches) == 2 and branches[1][0] is None else []
            effect = self.effects(rest)
            last_in_loop = (
                isinstance(self.parents.get(statement), ast.For)
                and position + taken == len(body)
                and body is getattr(self.parents.get(statement), "body", None)
            )
            denied = self.speaker.condition(test, negated=True)
            if effect:
                self.answer("fallback", f"if {denied}, {effect}", [test])
            elif last_in_loop and len(branches) == 1:
                self.answer("fallback", f"if {denied}, it is skipped", [test])

    def is_conditional(self, statement: ast.If, value: ast.expr, before: Sequence[ast.stmt]) -> bool:
        """Whether a test is reached only for some values of what it tests."""
        said = ast.dump(value)
        return self.is_inside_if(statement) or any(
            isinstance(one, ast.If) and said in ast.dump(one.test) for one in before
        )

    def is_inside_if(self, statement: ast.stmt) -> bool:
        above = self.parents.get(statement)
        while above is not None and not isinstance(above, ast.If):
            above = self.parents.get(above)
        return above is not None

    def is_listed(self, node: ast.expr) -> bool:
        """Whether a collection is one that the reference spells out."""
        if isinstance(node, ast.Name):
            return node.id in self.tables or (self.literal_of(node) is not None and not self.gains_keys(node))
        return isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)

    def tied_counts(self, branches: Sequence[tuple[ast.expr | None, list[ast.stmt]]]) -> None:
        """The branch for two things that are compared with each other, where they are equal."""
        first = branches[0][0]
        if not (isinstance(first, ast.Compare) and len(first.ops) == 1):
            return
        left, right = first.left, first.comparators[0]
        if any(isinstance(side, ast.Constant | ast.UnaryOp) for side in (left, right)):
            return
        pair = {ast.dump(left), ast.dump(right)}
        for test, body in branches:
            holds = True
            if test is not None:
                if not (
                    isinstance(test, ast.Compare)
                    and len(test.ops) == 1
                    and {ast.dump(test.left), ast.dump(test.comparators[0])} == pair
                    and isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq)
                ):
                    return
                holds = isinstance(test.ops[0], ast.LtE | ast.GtE | ast.Eq)
            if holds:
                if isinstance(first.ops[0], ast.Eq) and test is first:
                    # Equality that is tested for is a condition like any other.
                    return
                effect = self.effects(body)
                if effect:
                    both = f"{self.speaker.say(left)} and {self.speaker.say(right)}"
                    self.answer("tie", f"if {both} are equal, {effect}", [left, right])
                return

    def call_aims(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and len(node.args) == 2:
            self.looked_up_otherwise(node.func.value, node.args[0], node.args[1], node)
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        options = {word.arg: word.value for word in node.keywords if word.arg}
        if name == "sorted" and node.args:
            said = self.speaker.sorting(node.args[0], options)
            self.answer("order", f"{self.speaker.say(node.args[0])} is {said}", [node])
        elif name == "sort" and isinstance(node.func, ast.Attribute):
            said = self.speaker.sorting(node.func.value, options)
            self.answer("order", f"{self.speaker.say(node.func.value)} is {said}", [node])
        elif name in ("max", "min") and len(node.args) == 1 and "key" in options:
            self.first_of_tied(node.args[0], options["key"], name)

    def looked_up_otherwise(self, owner: ast.expr, key: ast.expr, default: ast.expr, call: ast.Call) -> None:
        """What a look-up with a default gives where there is no entry."""
        listed = isinstance(owner, ast.Dict) or (isinstance(owner, ast.Name) and self.is_whole_table(owner.id))
        given = isinstance(owner, ast.Name) and any(owner.id in argument_names(one) for one in self.functions)
        if not listed and not (given and isinstance(key, ast.Constant)):
            return
        if isinstance(default, ast.Name | ast.Dict | ast.Call | ast.Subscript):
            return
        said, value = self.speaker.say(key), self.speaker.say(default)
        effect = f"you get {value}" if isinstance(self.parents.get(call), ast.Return) else f"{value} counts instead"
        if isinstance(default, ast.Constant) and default.value is None:
            effect = "there is nothing (none)"
        where = "listed" if isinstance(owner, ast.Dict) else f"in {self.speaker.say(owner)}"
        condition = f"{said} is not {where}" if listed else f"{said} is missing"
        self.answer("fallback", f"if {condition}, {effect}", [key, owner])

    def is_whole_table(self, name: str) -> bool:
        table = self.tables.get(name)
        return isinstance(table, ast.Dict) and bool(table.keys)

    def unguarded(self, node: ast.Subscript) -> None:
        """A look-up in a fixed table that nothing checks before."""
        table = node.value
        if not (isinstance(table, ast.Name) and self.is_whole_table(table.id) and isinstance(node.ctx, ast.Load)):
            return
        if isinstance(node.slice, ast.Constant | ast.Slice):
            return
        for other in self.nodes:
            if isinstance(other, ast.Try) or (
                isinstance(other, ast.Compare)
                and any(isinstance(op, ast.In | ast.NotIn) for op in other.ops)
                and {ast.dump(part) for part in [other.left, *other.comparators]}
                & {ast.dump(table), ast.dump(node.slice)}
            ):
                return
            if isinstance(other, ast.For | ast.comprehension) and table.id in ast.dump(other.iter):
                # The keys come from the table itself.
                return
        said = self.speaker.say(node.slice)
        if len(said) < 80:
            self.answer(
                "fallback",
                f"I have nothing in mind for the case that {said} is not in {self.speaker.say(table)}, "
                "so that would be an error",
                [node],
            )

    def first_of_tied(self, collection: ast.expr, key: ast.expr, name: str) -> None:
        """Which of several with the same figure a `max` or `min` picks: the first listed."""
        by_value = isinstance(key, ast.Attribute) and key.attr == "get" and ast.dump(key.value) == ast.dump(collection)
        table = self.literal_of(collection)
        if not by_value or table is None:
            return
        keys = [self.speaker.say(one) for one in table.keys if one is not None]
        if not 1 < len(keys) <= 12 or self.gains_keys(collection):
            return
        order = join_texts(keys)
        self.answer("tie", f"if several are tied, the first of them in the order {order} counts", [collection])
        if name == "max" and all(map(is_empty, table.values)):
            self.answer("empty", f"with nothing counted all of them stay at 0, and then {keys[0]} comes first", [key])

    def literal_of(self, node: ast.expr) -> ast.Dict | None:
        """The dictionary with constant keys that a name starts as, if it is given only once."""
        if isinstance(node, ast.Dict):
            return node
        if not isinstance(node, ast.Name):
            return None
        values = [
            one.value
            for one in self.nodes
            if isinstance(one, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)
        ]
        return values[0] if len(values) == 1 and isinstance(values[0], ast.Dict) and values[0].keys else None

    def gains_keys(self, node: ast.expr) -> bool:
        """Whether a dictionary may get keys that it does not start with, or lose some."""
        said = ast.dump(node)
        table = self.literal_of(node)
        known = {one.value for one in table.keys if isinstance(one, ast.Constant)} if table else set()
        for one in self.nodes:
            if isinstance(one, ast.Subscript) and not isinstance(one.ctx, ast.Load):
                if ast.dump(one.value) == said and not isinstance(self.parents.get(one), ast.AugAssign):
                    fixed = isinstance(one.slice, ast.Constant) and one.slice.value in known
                    if not fixed or isinstance(one.ctx, ast.Del):
                        return True
            elif (
                isinstance(one, ast.Attribute)
                and one.attr in ("update", "pop", "setdefault", "clear", "popitem")
                and ast.dump(one.value) == said
            ):
                return True
        return False

    # -- who qualifies

    def filter_aims(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        generator = node.generators[0]
        if len(node.generators) > 1 or not generator.ifs or not isinstance(generator.target, ast.Name):
            return
        returned = [
            self.made_of(one.value)
            for one in self.nodes
            if isinstance(one, ast.Return) and isinstance(one.value, ast.Name | ast.Call | ast.ListComp)
        ]
        returned += [
            self.made_of(argument) for value in returned if isinstance(value, ast.Call) for argument in value.args
        ]
        if not any(node is part for value in returned for part in ast.walk(value)):
            # A step on the way decides nothing about the whole.
            return
        saved = dict(self.speaker.renamed)
        self.speaker.iteration(generator.target, generator.iter)
        said = join([self.speaker.condition(test) for test in generator.ifs])
        noun = self.speaker.noun(generator.target.id)
        self.speaker.renamed = saved
        if len(noun) > 2 and OPEN_ASIDE not in said:
            self.answer("condition", f"{an(noun)} counts only if {said}", [node], one_of=_stems(noun))

    def drop_rival_conditions(self) -> None:
        """Which of several filters a question means cannot be told."""
        if sum(one.aim == "condition" for one in self.answers) > 1:
            self.answers = [one for one in self.answers if one.aim != "condition"]

    def accepted(self, nodes: Iterable[ast.AST]) -> None:
        """For each value tested against lists, those that can lead to a yes and those that lead to a no."""
        yes: dict[str, dict[str, None]] = {}
        no: dict[str, dict[str, None]] = {}
        owners: dict[str, ast.expr] = {}
        for node in [one for one in nodes if isinstance(one, ast.If | ast.Return)][: 10 * _MOST_LOOKED_AT]:
            test = node.test if isinstance(node, ast.If) else node.value if isinstance(node, ast.Return) else None
            if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name)):
                continue
            listed = test.comparators[0]
            if isinstance(listed, ast.Name):
                listed = self.tables.get(listed.id, listed)
            elements = (
                listed.elts
                if isinstance(listed, ast.List | ast.Tuple | ast.Set)
                else [listed]
                if isinstance(test.ops[0], ast.Eq) and isinstance(listed, ast.Constant)
                else []
            )
            if not elements or not all(isinstance(one, ast.Constant) for one in elements):
                continue
            verdict = self.verdict(node.body) if isinstance(node, ast.If) else True
            if isinstance(test.ops[0], ast.NotIn):
                # Values outside the list are turned away, so the list is what passes.
                if not isinstance(node, ast.If) or verdict is not False:
                    continue
                verdict = True
            elif not isinstance(test.ops[0], ast.In | ast.Eq):
                continue
            if verdict is None:
                continue
            key = ast.dump(test.left)
            owners[key] = test.left
            (yes if verdict else no).setdefault(key, {}).update(dict.fromkeys(map(self.speaker.say, elements)))
        for key, owner in owners.items():
            fine = yes.get(key, {})
            bad = {said: None for said in no.get(key, {}) if said not in fine}
            for aim, values, verb in (("accepted", fine, "I accept"), ("rejected", bad, "I turn down")):
                for position, chunk in enumerate(chunks(list(values), LONGEST_PIECE)):
                    also = " also" if position else ""
                    said = f"for {self.speaker.say(owner)}, {verb}{also} {join_texts(chunk)}"
                    self.answer(aim, said, [owner])

    def verdict(self, body: Sequence[ast.stmt]) -> bool | None:
        """Whether a branch can end in a yes; None if it gives no yes or no."""
        found: list[bool] = []
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Raise):
                    found.append(False)
                elif isinstance(node, ast.Return):
                    value = node.value
                    if not (isinstance(value, ast.Constant) and isinstance(value.value, bool)):
                        return None
                    found.append(value.value)
        return any(found) if found and (ends_block(body) or isinstance(body[-1], ast.If)) else None

    # -- tables of tables

    def leaf_aims(self, name: str, table: ast.Dict) -> None:
        """The values inside the entries of a table, asked for by both their keys."""
        told = 0
        for key, entry in zip(table.keys, table.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(entry, ast.Dict):
                continue
            outer = _stems(key.value)
            for inner, value in zip(entry.keys, entry.values, strict=True):
                if not isinstance(inner, ast.Constant) or isinstance(value, ast.Dict) or told >= _MOST_LEAVES:
                    continue
                said = self.speaker.say(value)
                words = _stems(inner.value)
                if words and outer and len(said) < LONGEST_PIECE:
                    told += 1
                    where = f"for {self.speaker.say(key)} {self.speaker.say(inner)}"
                    self.answer("leaf", f"{where} is {said}", [name], words, outer)

    # -- capitals, results, empty input

    def case_aims(self, nodes: Sequence[ast.AST]) -> None:
        compares = any(
            isinstance(node, ast.Compare) or (isinstance(node, ast.Attribute) and node.attr == "get") for node in nodes
        )
        lowered = [one for one in nodes if isinstance(one, ast.Call) and set(_called(one)) & set(_LOWERING)]
        for node in lowered[:_MOST_LOOKED_AT]:
            if isinstance(node.func, ast.Attribute):
                how = "capitals" if node.func.attr == "upper" else "lower case"
                owner = self.speaker.say(node.func.value)
                if compares and len(owner) < 80 and not node.args and not self.is_given_back(node):
                    self.answer("case", f"{owner} is put in {how} first, so capitals make no difference", [node])
        called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        looks_up = any(
            isinstance(node, ast.Subscript | ast.Compare | ast.Attribute)
            and any(self.has_text_keys(part) for part in ast.iter_child_nodes(node))
            for node in nodes
        )
        if looks_up and not called & {*_LOWERING, "title", "capitalize", "match", "search", "fullmatch", "compile"}:
            self.answer("exact", "texts are compared exactly as written, so capitals matter", [])

    def is_given_back(self, node: ast.AST) -> bool:
        """Whether a value goes into what is returned or stored, rather than into a comparison."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.Compare):
                return False
            if isinstance(above, ast.JoinedStr | ast.Dict | ast.List):
                return True
            above = self.parents.get(above)
        return isinstance(above, ast.Return | ast.Expr)

    def has_text_keys(self, node: ast.AST) -> bool:
        """Whether a name stands for a table of texts in which something is looked up."""
        table = self.tables.get(node.id) if isinstance(node, ast.Name) else None
        keys = table.keys if isinstance(table, ast.Dict) else []
        return bool(keys) and all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)

    def result_aims(self) -> None:
        """What comes back, where it is a selection from a list or a yes or no."""
        function = self.functions[0] if len(self.functions) == 1 else None
        if function is None:
            return
        returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
        if not returns:
            return
        if all(isinstance(one, ast.Constant) and isinstance(one.value, bool) for one in returns):
            self.answer("result", "you get true or false, nothing else", [function.name])
            return
        if all(isinstance(one, ast.Constant) for one in returns) and len(returns) > 1:
            said = list(dict.fromkeys(self.speaker.say(one) for one in returns))
            if len(said) > 1 and sum(map(len, said)) < LONGEST_PIECE + 60:
                self.answer("result", f"you get one of {join_texts(said, 'or')}", [function.name])
            return
        value = self.made_of(returns[0]) if len(returns) == 1 else None
        if isinstance(value, ast.ListComp) and len(value.generators) == 1:
            self.selection(value)

    def made_of(self, value: ast.expr) -> ast.expr:
        """What a name was given as its only value, or the expression itself."""
        if isinstance(value, ast.Name):
            given = [
                node.value
                for node in self.nodes
                if isinstance(node, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == value.id for target in node.targets)
            ]
            return given[0] if len(given) == 1 else value
        return value

    def selection(self, value: ast.ListComp) -> None:
        generator = value.generators[0]
        target = generator.target
        if not isinstance(target, ast.Name) or not isinstance(generator.iter, ast.Name):
            return
        listed = self.tables.get(generator.iter.id)
        noun = self.speaker.noun(generator.iter.id).removeprefix("all ")
        which = f"those {noun} that fit" if generator.ifs else f"all the {noun}"
        if isinstance(value.elt, ast.Name) and value.elt.id == target.id:
            keys: dict[str, None] = {}
            if isinstance(listed, ast.List | ast.Tuple):
                for element in listed.elts:
                    if isinstance(element, ast.Dict):
                        keys.update(dict.fromkeys(self.speaker.say(key) for key in element.keys if key is not None))
            whole = f", each one a whole record with {join_texts(list(keys))}" if keys else ""
            self.answer("result", f"you get a list of {which}{whole}", [generator.iter])
        elif isinstance(value.elt, ast.Subscript) and isinstance(value.elt.slice, ast.Constant):
            part = self.speaker.say(value.elt.slice)
            self.answer("result", f"you get a list with just the {part} of {which}", [generator.iter])

    def empty_aims(self) -> None:
        """What an empty list gives, where the whole function is one step over it."""
        function = self.functions[0] if len(self.functions) == 1 else None
        if function is None:
            return
        body = [one for one in function.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        names = argument_names(function)
        if not body or not isinstance(body[-1], ast.Return) or len(body) > 2 or body[-1].value is None:
            return
        if len(body) == 2 and not isinstance(body[0], ast.Assign):
            return
        value = self.made_of(body[-1].value)
        if isinstance(value, ast.ListComp) and isinstance(value.generators[0].iter, ast.Name):
            owner = value.generators[0].iter.id
            if owner in names:
                self.answer("empty", f"with nothing in {self.speaker.the(owner)}, you get an empty list", [owner])
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
            by = value.right
            if (
                isinstance(by, ast.Call)
                and isinstance(by.func, ast.Name)
                and by.func.id == "len"
                and by.args
                and isinstance(by.args[0], ast.Name)
                and by.args[0].id in names
            ):
                the = self.speaker.the(by.args[0].id)
                self.answer("empty", f"with nothing in {the} it is an error (a division by zero)", [by])


def _called(node: ast.Call) -> list[str]:
    """The name of what is called, if it has one."""
    if isinstance(node.func, ast.Name):
        return [node.func.id]
    return [node.func.attr] if isinstance(node.func, ast.Attribute) else []


def _stems(value: object) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(str(value)) if word not in FUNCTION_WORDS)
