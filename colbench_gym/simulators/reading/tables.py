"""Facts of literal collections."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from colbench_gym.simulators.english import join, singular
from colbench_gym.simulators.english.wording import join_texts, names_in
from colbench_gym.simulators.reading.model import (
    LONGEST_PIECE,
    chunks,
)
from colbench_gym.simulators.reading.notes import Notes
from colbench_gym.simulators.reading.shapes import is_empty
from colbench_gym.simulators.words import STOP_WORDS, name_words, stem, words_of

MOST_LEAVES = 300
"""Values of one table of tables that get a sentence of their own."""


class Tables(Notes):
    """Literal dictionaries, lists, sets and tuples, told entry by entry."""

    def inner_dictionaries(self, node: ast.AST) -> None:
        """Literal collections inside an expression, as in `{...}.get(kind, 0)`, where it does not tell them whole."""
        around = names_in([node])
        tested = {
            part.comparators[0]: " ".join(name_words(part.left.id))
            for part in ast.walk(node)
            if isinstance(part, ast.Compare) and isinstance(part.left, ast.Name)
        }
        for inner in ast.walk(node):
            if isinstance(inner, ast.Dict) and len(inner.keys) > 1:
                self.table("value", inner, around)
            elif (
                isinstance(inner, ast.List | ast.Tuple | ast.Set)
                and len(inner.elts) > 4
                and all(isinstance(element, ast.Constant) for element in inner.elts)
            ):
                # "The listed values" of which list nobody would know.
                owner = tested.get(inner, "")
                self.table("listed values", inner, around, f"listed {owner} values" if len(owner) > 2 else "")

    def table(self, name: str, value: ast.expr, around: Sequence[str] = (), label: str = "") -> bool:
        """Facts of a literal collection; False if `value` is none that could be told entry by entry.

        `label` is what a list is called where that is not its name.
        """
        if isinstance(value, ast.Dict) and value.keys and all(isinstance(key, ast.Constant) for key in value.keys):
            self.new_group()
            keyed = [(key, entry) for key, entry in zip(value.keys, value.values, strict=True) if key is not None]
            before = len(self.facts)
            self.dictionary(name, keyed)
            self.leaves(name, value)
            self.about(before, around)
            self.new_group()
            return True
        if isinstance(value, ast.List | ast.Set | ast.Tuple) and len(value.elts) > 1:
            self.new_group()
            before = len(self.facts)
            self.sequence(name, value.elts, label)
            self.about(before, around)
            self.new_group()
            return True
        return False

    def about(self, since: int, names: Sequence[str], weight: float = 0.7) -> None:
        """Lets the facts noted since then be asked for by the names around them, too."""
        words = {stem(word) for name in names for word in name_words(name) if word not in STOP_WORDS}
        for position in range(since, len(self.facts)):
            fact = self.facts[position]
            self.facts[position] = replace(
                fact, topics={**fact.topics, **{word: max(weight, fact.topics.get(word, 0.0)) for word in words}}
            )

    def is_short_record(self, table: ast.Dict, key: ast.expr) -> bool:
        """Whether the entry under a key is soon told whole."""
        inner = next(value for its_key, value in zip(table.keys, table.values, strict=True) if its_key is key)
        return isinstance(inner, ast.Dict) and len(inner.keys) < 5 and len(self.speaker.say(inner)) < LONGEST_PIECE

    def leaves(self, name: str, table: ast.Dict) -> None:
        """One sentence for each value of a table of tables."""
        noun = singular(self.speaker.noun(name))
        pending: list[tuple[tuple[ast.expr, ...], ast.expr]] = [((), table)]
        told = 0
        self.new_group()
        while pending and told < MOST_LEAVES:
            keys, value = pending.pop(0)
            if isinstance(value, ast.Dict) and value.keys and len(keys) < 5:
                pending += [((*keys, key), inner) for key, inner in zip(value.keys, value.values, strict=True) if key]
            elif len(keys) > 2 or (len(keys) == 2 and not self.is_short_record(table, keys[0])):
                told += 1
                where = join([self.speaker.say(key) for key in keys])
                words = [word for key in keys if isinstance(key, ast.Constant) for word in words_of(str(key.value))]
                sentence = f"for {where} the {noun} is {self.speaker.say(value)}"
                self.add(sentence, [name, value], ["table"], 0.7, emphasis=words)

    def dictionary(self, name: str, entries: Sequence[tuple[ast.expr, ast.expr]]) -> None:
        noun = self.speaker.noun(name)
        one = singular(noun)
        if all(isinstance(entry, ast.Constant) for _, entry in entries):
            values = {self.speaker.say(entry) for _, entry in entries}
            if values == {"0"} and len(entries) > 1:
                keys = [self.speaker.say(key) for key, _ in entries]
                for position, chunk in enumerate(chunks(keys, LONGEST_PIECE)):
                    start = (
                        f"the {noun} {'hold' if noun.endswith('s') else 'holds'}"
                        if position == 0
                        else f"the {noun} also hold"
                    )
                    self.add(
                        f"{start} one figure each for {join_texts(chunk)}, starting at 0",
                        [name],
                        ["table", "start", "result"],
                        1.2,
                    )
                return
            by_value: dict[str, list[str]] = {}
            for key, entry in entries:
                by_value.setdefault(self.speaker.say(entry), []).append(self.speaker.say(key))
            pieces = [
                f"{said} for {join_texts(keys)}"
                for said, every in by_value.items()
                for keys in chunks(every, LONGEST_PIECE - 30)
            ]
            self.pieces(name, noun, pieces)
            if len(pieces) > 4 or len(entries) > 12:
                self.keys(name, noun, [self.speaker.say(key) for key, _ in entries])
            if len(entries) > 1:
                self.new_group()
                for key, entry in entries:
                    self.entry(name, key, f"for {self.speaker.say(key)} the {one} is {self.speaker.say(entry)}", entry)
            return
        if all(is_empty(entry) for _, entry in entries):
            keys = [self.speaker.say(key) for key, _ in entries]
            for chunk in chunks(keys, LONGEST_PIECE):
                self.add(
                    f"the {noun} have an entry each for {join_texts(chunk)}, empty at first",
                    [name],
                    ["table", "start", "result"],
                    1.2,
                )
            return
        collections = [
            (self.speaker.say(key), [self.speaker.say(element) for element in entry.elts])
            for key, entry in entries
            if isinstance(entry, ast.List | ast.Tuple | ast.Set) and entry.elts
        ]
        if len(collections) == len(entries):
            self.pieces(name, noun, [f"{join_texts(elements)} for {key}" for key, elements in collections])
        else:
            keys = [self.speaker.say(key) for key, _ in entries]
            inner = self.inner_keys([entry for _, entry in entries])
            for position, chunk in enumerate(chunks(keys, LONGEST_PIECE)):
                start = f"the {noun} cover" if position == 0 else f"the {noun} also cover"
                self.add(f"{start} {join_texts(chunk)}{inner}", [name], ["table", "result"], 1.5)
        self.new_group()
        for key, entry in entries:
            said = self.speaker.say(key)
            if isinstance(entry, ast.List | ast.Tuple | ast.Set) and entry.elts:
                for chunk in chunks([self.speaker.say(element) for element in entry.elts], LONGEST_PIECE):
                    self.entry(name, key, f"the {noun} for {said} are {join_texts(chunk)}", entry)
            elif isinstance(entry, ast.Dict) and any(
                isinstance(inner, ast.Dict) and inner.keys for inner in entry.values
            ):
                continue
            elif isinstance(entry, ast.Dict) and entry.keys:
                for chunk in chunks(
                    [
                        f"{self.speaker.say(inner)} {self.speaker.say(value)}"
                        for inner, value in zip(entry.keys, entry.values, strict=True)
                    ],
                    LONGEST_PIECE,
                ):
                    self.entry(name, key, f"for {said} the {noun} are {join_texts(chunk)}", entry)
                    inner_words = [str(inner.value) for inner in entry.keys if isinstance(inner, ast.Constant)]
                    self.about(len(self.facts) - 1, inner_words, 1.0)
            else:
                self.entry(name, key, f"the {said} in the {noun} is {self.speaker.say(entry)}", entry)

    def keys(self, name: str, noun: str, said: Sequence[str]) -> None:
        """What a long table is keyed by, without the values."""
        for position, chunk in enumerate(chunks(said, 2 * LONGEST_PIECE)):
            start = f"the {noun} have entries for" if position == 0 else f"the {noun} also have entries for"
            self.new_group()
            self.add(f"{start} {join_texts(chunk)}", [name], ["table", "category"], 1.92 - position * 0.01)

    def inner_keys(self, entries: Sequence[ast.expr]) -> str:
        """What the tables in a table are keyed by, as the end of a sentence."""
        keys: dict[str, None] = {}
        for entry in entries:
            if isinstance(entry, ast.Dict):
                keys.update(dict.fromkeys(self.speaker.say(key) for key in entry.keys if key is not None))
        said = join_texts(list(keys))
        return f", with entries for {said}" if keys and len(said) < 160 else ""

    def pieces(self, name: str, noun: str, pieces: Sequence[str]) -> None:
        """A table in as many sentences as it takes; the first one is the most important."""
        for position, chunk in enumerate(chunks(pieces, LONGEST_PIECE, "; ")):
            start = f"the {noun} is" if position == 0 else f"more of the {noun}:"
            importance = 1.9 - min(position, 8) * 0.05
            self.new_group()
            self.add(f"{start} {'; '.join(chunk)}", [name], ["table", "formula", "rule"], importance)

    def entry(self, name: str, key: ast.expr, sentence: str, value: ast.expr) -> None:
        words = words_of(str(key.value)) if isinstance(key, ast.Constant) else []
        self.add(sentence, [name, value], ["table"], 0.8, emphasis=words)

    def sequence(self, name: str, elements: Sequence[ast.expr], label: str = "") -> None:
        noun = label or self.speaker.noun(name)
        if all(not isinstance(element, ast.Dict | ast.List | ast.Tuple) for element in elements):
            said = [self.speaker.say(element) for element in elements]
            told = 0
            for position, chunk in enumerate(chunks(said, LONGEST_PIECE)):
                start = f"the {noun} are" if position == 0 else f"further {noun} are"
                if not noun.endswith("s"):
                    start = f"the {noun} is made up of" if position == 0 else f"the {noun} also has"
                importance = 1.9 - min(position, 5) * 0.05
                nodes = [name, *elements[told : told + len(chunk)]]
                told += len(chunk)
                self.add(f"{start} {join_texts(chunk)}", nodes, ["table", "rule"], importance)
            return
        shown = [self.element(element) for element in elements]
        self.pieces(name, f"list of {noun}", shown)
        self.new_group()
        for element, said in zip(elements, shown, strict=True):
            words = [
                word
                for constant in ast.walk(element)
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
                for word in words_of(constant.value)
            ]
            verb = "has" if isinstance(element, ast.Dict) else "is"
            self.add(f"one of the {noun} {verb} {said}", [name, element], ["table"], 0.8, emphasis=words)

    def element(self, node: ast.expr) -> str:
        """A record or tuple of a fixed list, without the word for what it is."""
        if isinstance(node, ast.Dict):
            parts = []
            for key, value in zip(node.keys, node.values, strict=True):
                inner = isinstance(value, ast.List | ast.Tuple) and value.elts
                text = self.speaker.listing(value.elts, 0) if inner else self.speaker.say(value)  # type: ignore[union-attr]
                parts.append(f"{self.speaker.say(key)} {text}" if key is not None else text)
            return join(parts)
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            return " with ".join(
                [self.speaker.say(node.elts[0]), *([self.speaker.listing(node.elts[1:], 0)][: len(node.elts) - 1])]
            )
        return self.speaker.say(node)
