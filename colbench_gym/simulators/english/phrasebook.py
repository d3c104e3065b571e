"""The names of a reference, and the interface that the parts of a speaker share."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from colbench_gym.simulators.english.wording import DEEPEST, VAGUE, strip_article
from colbench_gym.simulators.words import name_words

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


FLAG_WORDS = frozenset(
    ["is", "has", "have", "can", "should", "was", "use", "uses", "are", "needs", "allow", "do", "does", "did"]
)
"""Words with which the name of a yes-or-no value begins."""


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


class Phrasebook:
    """What every part of a `Speaker` builds on: names, and `say`, which hands a node to the part that has words for it.

    Puts the expressions of one syntax tree into words.

    Args:
        uses: how each name is used (see `NameUse`).
        tables: names bound once to a literal list, set, tuple or dict.
        fixed: names bound once to a number or a text, and never changed.
    """

    def __init__(
        self, uses: dict[str, NameUse], tables: dict[str, ast.expr], fixed: dict[str, ast.Constant] | None = None
    ) -> None:
        self.uses = uses
        self.tables = tables
        self.fixed = fixed or {}
        self.defaults: dict[str, ast.Constant] = {}
        self.glosses: dict[str, str] = {}
        self.functions: frozenset[str] = frozenset()
        self.modules: frozenset[str] = frozenset()
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
        if noun.split()[0] in FLAG_WORDS and " " in noun:
            return f'the "{noun}" flag'
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

    def condition(self, node: ast.AST, negated: bool = False, depth: int = 0) -> str:
        """A clause that holds when `node` does (or does not, if `negated`)."""
        raise NotImplementedError

    def listing(self, nodes: Sequence[ast.expr], depth: int, word: str = "and") -> str:
        """Several values, separated by commas."""
        raise NotImplementedError

    def iteration(self, target: ast.expr, source: ast.expr, depth: int = 0) -> str:
        """`each song in the songs`."""
        raise NotImplementedError

    def sorting(self, collection: ast.expr, options: dict[str, ast.expr], depth: int = 0) -> str:
        """`sorted by the value, highest first`."""
        raise NotImplementedError

    def _comprehension(self, generators: Sequence[ast.comprehension], depth: int) -> str:
        raise NotImplementedError

    def _entry_of(self, node: ast.expr, key: ast.Constant, owner: str, depth: int) -> str:
        raise NotImplementedError

    def _operand(self, node: ast.expr, depth: int, chain: bool = False) -> str:
        raise NotImplementedError

    def _infix(self, left: ast.expr, word: str, right: ast.expr, depth: int) -> str:
        raise NotImplementedError

    def _quantified(self, name: str, argument: ast.expr, depth: int, negated: bool = False) -> str:
        raise NotImplementedError

    def _type(self, node: ast.expr) -> str:
        raise NotImplementedError

    def _either(self, node: ast.expr, depth: int) -> str:
        raise NotImplementedError
