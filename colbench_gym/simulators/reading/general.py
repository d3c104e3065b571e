"""Facts about the whole: what the reference does not do, and constants that nothing else tells."""

from __future__ import annotations

import ast

from colbench_gym.simulators.english.wording import join_texts, names_in, say_text
from colbench_gym.simulators.reading.constants import constants_in, spoken_forms
from colbench_gym.simulators.reading.model import (
    LONGEST_PIECE,
    Fact,
    chunks,
)
from colbench_gym.simulators.reading.notes import Notes
from colbench_gym.simulators.reading.shapes import (
    argument_names,
    holds_text,
)
from colbench_gym.simulators.words import stem


def is_pattern(node: ast.AST | None) -> bool:
    """Whether a node is a call of `re`, whose pattern is told in words."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
    )


MOST_KEYS = 16
"""Keys of a table that are told as what a name can be."""


class General(Notes):
    """Facts about the whole."""

    def general(self) -> None:
        """Answers to questions of a kind that the reference answers by what it does not do."""
        self.compared_texts()
        self.keyed_by()
        self.new_group()
        nodes = list(ast.walk(self.tree))
        called = {
            node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            for node in nodes
            if isinstance(node, ast.Call)
        }
        arithmetic = any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Mult) for node in nodes)
        formats = any(isinstance(node, ast.FormattedValue) and node.format_spec is not None for node in nodes)
        whole = any(isinstance(node, ast.FloorDiv | ast.RShift) for node in nodes)

        def say(sentence: str, kind: str, words: str) -> None:
            self.new_group()
            self.facts.append(
                Fact(sentence, {stem(word): 1.2 for word in words.split()}, frozenset([kind]), 0.2, self.group)
            )

        if (
            arithmetic
            and not formats
            and not whole
            and not called & {"round", "floor", "ceil", "int", "trunc", "quantize", "format"}
        ):
            say("Nothing gets rounded, I take the number as it comes out.", "rounding", "round decimal precision place")
        if not called & {"sorted", "sort", "reversed", "nlargest", "nsmallest", "most_common", "reverse"}:
            say("There is no special sorting.", "order", "sort order rank sorting")
        unordered = "set" in called or any(isinstance(node, ast.Set | ast.SetComp) for node in nodes)
        read = {node.id for node in nodes if isinstance(node, ast.Name)}
        for name in [name for function in self.functions[:1] for name in argument_names(function)]:
            if name not in read and not name.startswith("_"):
                self.new_group()
                self.add(f"{self.speaker.the(name)} makes no difference", [name], ["input", "rule"], 0.6)
        ties = self.tie_break()
        if ties:
            say(f"Ties are broken by {ties}.", "order", "tie equal draw same break tied")
        elif called & {"sorted", "sort"} and not unordered:
            say("Ties stay in the order in which they come in.", "order", "tie equal draw same break")
        elif called & {"max", "min"} and not unordered and self.picks_by_key():
            say("If several are tied, the first one counts.", "order", "tie equal draw same break several")
        if not any(isinstance(node, ast.Raise | ast.Assert | ast.Try) for node in nodes):
            say("I have no special error handling in mind.", "error", "error exception raise validate validation")
        if not any("empty" in fact.kinds for fact in self.facts):
            say(
                "I have nothing special in mind for empty or missing input.",
                "empty",
                "empty missing none null edge blank",
            )
        texts = any(
            (isinstance(node, ast.Compare) and any(holds_text(part) for part in [node.left, *node.comparators]))
            or (isinstance(node, ast.MatchValue) and holds_text(node.value))
            for node in nodes
        )
        if texts and not called & {
            "lower",
            "upper",
            "casefold",
            "match",
            "search",
            "fullmatch",
            "compile",
            "title",
            "capitalize",
        }:
            say(
                "Texts are compared exactly as written, so capitals matter.",
                "case",
                "case sensitive insensitive capital upper lower uppercase lowercase",
            )

    def tie_break(self) -> str | None:
        """What a sort looks at after its first criterion; None if there is no such sort."""
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            key = next((word.value for word in node.keywords if word.arg == "key"), None)
            if name not in ("sorted", "sort", "max", "min") or not isinstance(key, ast.Lambda):
                continue
            if isinstance(key.body, ast.Tuple) and len(key.body.elts) > 1:
                owner = node.args[0] if node.args else node.func
                said = self.speaker.sorting(owner, {"key": key}).removeprefix("sorted by ")
                rest = said.split(" then by ", 1)
                if len(rest) == 2:
                    text = rest[1].removesuffix(", lowest first")
                    return text if "highest first" in text else f"{text} (lowest or alphabetically first)"
        return None

    def keyed_by(self) -> None:
        """For each name that looks something up in a literal table, what it can be."""
        self.new_group()
        for node in ast.walk(self.tree):
            keys = self.looked_up(node)
            index = node.slice if isinstance(node, ast.Subscript) else None
            if isinstance(index, ast.Name) and keys and len(keys) <= MOST_KEYS:
                said = join_texts([self.speaker.say(key) for key in keys], "or")
                if len(said) < 2 * LONGEST_PIECE:
                    self.add(f"{self.speaker.the(index.id)} can be {said}", [index], ["input", "table"], 1.0)

    def looked_up(self, node: ast.AST) -> list[ast.expr]:
        """The keys of the table in which a subscript looks."""
        value = self.table_in(node.value) if isinstance(node, ast.Subscript) else None
        return [key for key in value.keys if key is not None] if value is not None else []

    def table_in(self, node: ast.expr) -> ast.Dict | None:
        """The literal table that a name, or a subscript of one, stands for."""
        if isinstance(node, ast.Name):
            table = self.tables.get(node.id)
            return table if isinstance(table, ast.Dict) else None
        outer = self.table_in(node.value) if isinstance(node, ast.Subscript) else None
        inner = [value for value in outer.values if isinstance(value, ast.Dict)] if outer is not None else []
        return inner[0] if inner else None

    def compared_texts(self) -> None:
        """For each value that is compared with several texts, those texts together."""
        texts: dict[str, dict[str, None]] = {}
        values: dict[str, ast.expr] = {}
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Compare) or len(node.ops) != 1:
                continue
            left, right = node.left, node.comparators[0]
            if not isinstance(node.ops[0], ast.In | ast.NotIn | ast.Eq | ast.NotEq) or isinstance(left, ast.Constant):
                continue
            options = right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else [right]
            for option in options:
                if isinstance(option, ast.Constant) and isinstance(option.value, str):
                    key = ast.dump(left)
                    values.setdefault(key, left)
                    texts.setdefault(key, {})[option.value] = None
        known = {name for function in self.functions for name in argument_names(function)}
        for key, found in texts.items():
            value = values[key]
            if len(found) < 2 or (isinstance(value, ast.Name) and value.id in known):
                continue
            said = self.speaker.say(value)
            options = [say_text(text) for text in found]
            self.new_group()
            for position, chunk in enumerate(chunks(options, LONGEST_PIECE)):
                start = f"for {said}, the texts that matter are" if position == 0 else f"for {said}, there are also"
                self.add(f"{start} {join_texts(chunk)}", [value], ["table", "category"], 0.9)

    def picks_by_key(self) -> bool:
        """Whether every highest or lowest is picked by something else than itself, so that ties can show."""
        calls = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min")
        ]
        return bool(calls) and all(any(word.arg == "key" for word in call.keywords) for call in calls)

    def cover_constants(self) -> None:
        """A fact of its own for each constant that no sentence so far holds."""
        told = " ".join(fact.sentence for fact in self.facts)
        parents: dict[ast.AST, ast.AST] = {}
        for parent in ast.walk(self.tree):
            for child in ast.iter_child_nodes(parent):
                parents[child] = parent
        for constant in constants_in(self.tree):
            if any(form in told for form in spoken_forms(constant.value)) or is_pattern(parents.get(constant)):
                continue
            if self.cover(constant, parents):
                told += self.facts[-1].sentence

    def cover(self, constant: ast.Constant, parents: dict[ast.AST, ast.AST]) -> bool:
        """Tells the smallest part around a constant that reads as something; whether that worked."""
        forms = spoken_forms(constant.value)
        node: ast.AST = constant
        around: list[str] = []
        statement: ast.AST | None = parents.get(constant)
        while statement is not None and not isinstance(statement, ast.stmt):
            statement = parents.get(statement)
        if statement is not None:
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            around = names_in([target for target in targets if target is not None])
        candidates: list[str] = []
        while node in parents:
            node = parents[node]
            if isinstance(node, ast.stmt | ast.Module):
                break
            if isinstance(node, ast.Compare):
                candidates.append(f"one check is whether {self.speaker.condition(node)}")
            elif isinstance(
                node, ast.BinOp | ast.Call | ast.JoinedStr | ast.Dict | ast.IfExp | ast.Subscript | ast.List
            ):
                candidates.append(f"one part of it is {self.speaker.say(node)}")
        candidates.append(f"one value that matters is {self.speaker.say(constant)}")
        for sentence in candidates:
            if len(sentence) < 300 and any(form in sentence for form in forms):
                before = len(self.facts)
                self.new_group()
                nodes = [statement] if isinstance(statement, ast.stmt) else []
                importance = 0.7 if sentence.startswith("one check") else 0.0
                self.add(sentence, nodes, ["rule", "formula"], importance, around)
                return len(self.facts) > before
        return False
