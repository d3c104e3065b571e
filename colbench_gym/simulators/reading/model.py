"""What a reading of a reference produces: facts, and the book that indexes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from colbench_gym.simulators.reading.exclusion import Ladder
from colbench_gym.simulators.words import stem

LONGEST_SENTENCE = 390
"""Characters. A longer fact is told in its parts or cut at a word."""

LONGEST_PIECE = 165
"""Characters of a table that are told in one sentence, so that two pieces fit into one reply."""

UNFINISHED = ", and so on"

PART = "\x03"
"""Stands behind the parts of a sentence while it is put together (see `Fact.parts`)."""

RESULT_MARK = "\x04"
"""Stands behind "the result" where it is what the function gives, not something the reference calls so."""

THE_RESULT = f"the result{RESULT_MARK}"

NOTHING_EARLIER = "nothing earlier applies and "
NOTHING_ELSE = "nothing else applies"
NONE_OF_EARLIER = "nothing before has settled it"

LONGEST_CONDITIONS = 90
"""Characters of conditions around a condition that are told with it."""

MOST_FACTS = 1500
DEEPEST_BLOCK = 12

KINDS: dict[str, str] = {
    "input": "input argument parameter type format shape structure receive accept pass",
    "default": "default optional omit omitted",
    "rule": "condition rule criterion threshold limit cutoff boundary minimum maximum range require requirement "
    "qualify count check inclusive",
    "formula": "combine contribute derive formula calculate calculation compute equation value math logic determine",
    "result": "key return output result format type structure answer back",
    "otherwise": "otherwise else default other fallback unknown unrecognized invalid case match neither",
    "empty": "empty missing none null edge case invalid blank zero absent negative",
    "rounding": "round decimal precision digit place",
    "order": "sort order rank tie equal break sequence first same",
    "error": "error exception raise invalid fail",
    "table": "key field column list value category option allow valid keyword entry support recognize possible "
    "available predefined",
    "case": "case sensitive insensitive capital upper lower",
    "text": "split separator delimiter parse format text string",
    "change": "add adjust increase decrease change bonus penalty update accumulate",
    "start": "start initial begin base",
    "category": "category categorize class classify classification label outcome verdict bucket possible value",
}
KIND_STEMS = {kind: frozenset(stem(word) for word in words.split()) for kind, words in KINDS.items()}
KIND_WORDS = frozenset().union(*KIND_STEMS.values())
"""Stems that ask for a kind of fact rather than for a thing."""


@dataclass(frozen=True)
class Fact:
    """One thing the reference says.

    Attributes:
        sentence: in plain English, with capital and full stop.
        topics: stem -> weight in (0, 2]: the words by which it is asked for.
        kinds: keys of `KINDS`.
        importance: larger is told earlier when nothing in particular is asked.
        parts: the sentence in parts: for what it holds (loops), under which condition, what follows.
        group: facts of one group stand next to each other in the reference and may be told in one sentence.
    """

    sentence: str
    topics: dict[str, float]
    kinds: frozenset[str]
    importance: float
    group: int
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """A sentence kept for one kind of question, which words alone would not find.

    Attributes:
        aim: the kind of question: `fallback`, `condition`, `tie`, `order`, `case` or `exact` (capitals), `empty`,
            `accepted`, `rejected`, `leaf` or `result`.
        sentence: as of a fact.
        topics: as of a fact.
        needs: stems of which a question must hold all.
        one_of: stems of which a question must hold at least one (none: any question will do).
    """

    aim: str
    sentence: str
    topics: dict[str, float]
    needs: frozenset[str] = frozenset()
    one_of: frozenset[str] = frozenset()


@dataclass(frozen=True)
class FactBook:
    """All facts of one reference, indexed for questions.

    Attributes:
        facts: in the order of the reference.
        mass: for each fact, the weight of all it is about: the more, the less it is about one of them.
        index: stem -> ((index of a fact, weight), ...).
        rarity: stem -> weight of a match; rare stems weigh more.
        ladders: chains of branches about one number.
        answers: sentences for questions of one kind.
    """

    facts: tuple[Fact, ...] = ()
    mass: tuple[float, ...] = ()
    index: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    rarity: dict[str, float] = field(default_factory=dict)
    ladders: tuple[Ladder, ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Path:
    """Where a statement stands: inside which loops, under which conditions, in which function."""

    loops: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    subject: str = THE_RESULT
    names: tuple[str, ...] = ()
    depth: int = 0

    def lead(self) -> str:
        parts = [f"for {loop}" if not loop.startswith("as long as") else loop for loop in self.loops[-2:]]
        if self.conditions == (NOTHING_ELSE,):
            return "".join(part + PART + ", " for part in [*parts, "in all other cases"]).removesuffix(", ")
        if self.conditions:
            shown = list(self.conditions)[-3:]
            while len(shown) > 1 and sum(map(len, shown[:-1])) > LONGEST_CONDITIONS:
                del shown[0]
            if len(shown) < len(self.conditions):
                parts.append("once the checks before it pass")
            elif len(shown) == 1 and not parts and shown[0].startswith(NOTHING_EARLIER):
                return f"otherwise, if {shown[0].removeprefix(NOTHING_EARLIER)}{PART}"
            parts.append(f"if {', and '.join(shown) if len(shown) > 1 else shown[0]}")
        return "".join(part + PART + ", " for part in parts).removesuffix(", ")

    def leads(self) -> list[str]:
        """`lead` and shorter ways to say it, none of which claims more than it."""
        return [
            self.lead(),
            replace(self, loops=()).lead(),
            *(
                [f"once the checks before it pass{PART}, if {self.conditions[-1]}{PART}"]
                if len(self.conditions) > 1
                else []
            ),
        ]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def cut(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    short = text[: characters + 1].rsplit(" ", 1)[0].rstrip(" ,;:")
    if short.count('"') % 2:
        # Inside a quoted text: better before it, unless it began long ago.
        before = short[: short.rindex('"')].rstrip(" ,;:(")
        return before if len(before) > characters // 3 else short
    return short


def chunks(pieces: Sequence[str], characters: int, separator: str = ", ") -> Iterator[list[str]]:
    """Runs of `pieces` whose joined length stays under `characters` (at least one piece each)."""
    run: list[str] = []
    length = 0
    for piece in pieces:
        if run and length + len(piece) + len(separator) > characters:
            yield run
            run, length = [], 0
        run.append(piece)
        length += len(piece) + len(separator)
    if run:
        yield run
