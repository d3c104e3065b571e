"""Reads a Python reference's syntax tree into facts, each a sentence that the owner of the problem could say.

The reference is never run. `facts_of` accepts any text: what does not parse has no facts, and a construct that nobody
has words for yields a vague phrase or nothing. What is nested thousands of levels deep ends the reading.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from colbench_gym.foreign_code import parse
from colbench_gym.simulators.reading.constants import constants_in, constants_in_sentence, spoken_forms
from colbench_gym.simulators.reading.model import KIND_STEMS, KIND_WORDS, Fact, FactBook
from colbench_gym.simulators.reading.reader import Reader

__all__ = [
    "KIND_WORDS",
    "Fact",
    "FactBook",
    "constants_in",
    "constants_in_sentence",
    "facts_of",
    "kinds_named_by",
    "spoken_forms",
]


@lru_cache(maxsize=2048)
def facts_of(reference: str) -> FactBook:
    """The facts of a Python reference (cached; safe to call from several threads)."""
    try:
        tree = parse(reference)
    except SyntaxError:
        return FactBook()
    reader = Reader(tree)
    try:
        reader.read()
    except RecursionError:
        # Code nested thousands of levels deep, which nobody writes by hand: what was read before it still holds.
        return reader.book()
    return reader.book()


def kinds_named_by(stems: Iterable[str]) -> frozenset[str]:
    """The kinds of fact (keys of `KINDS`) that these stems ask for."""
    asked = set(stems)
    return frozenset(kind for kind, words in KIND_STEMS.items() if words & asked)
