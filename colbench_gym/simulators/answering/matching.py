"""Which facts answer a question: words in common, rare ones first, and the kind of fact that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from colbench_gym.simulators.answering.composing import CHARACTERS, MOST_SENTENCES, is_told, joined, reads_short
from colbench_gym.simulators.facts import KIND_WORDS, Fact, FactBook, constants_in_sentence, kinds_named_by
from colbench_gym.simulators.questions import Question
from colbench_gym.simulators.reading.notes import NAMED
from colbench_gym.simulators.words import STOP_WORDS, SYNONYMS, term, words_of

_SYNONYM_WEIGHT = 0.45
_KIN_WEIGHT = 0.6
_KIND_WEIGHT = 0.7
_SOFT_WEIGHT = 0.6
_FAINT_WEIGHT = 0.4
_CONTEXT_WEIGHT = 0.3
_TOLD_WEIGHT = 0.5
_FORM_ONLY = frozenset(["input"])
_FORM_WEIGHT = 0.35
"""What a parameter looks like is rarely what a question about it is after."""

_NOTHING_WEIGHT = 0.7
"""That nothing special is done is worth saying where nothing else is."""

_LEFTOVER_WEIGHT = 0.7
"""A constant without its surroundings."""

_WHOLE_WEIGHT = 1.4
"""A table as a whole, where the question asks for all of it."""

_NEAR = 2
"""Facts whose groups are no further apart than this stand together in the reference."""

_TOUCHED = 0.2
_OTHERWISE_WEIGHT = 0.5
"""A question with "not" in it is often about what happens otherwise."""

_FORM = re.compile(
    r"\blooks? like\b|\b(?:what|which) (?:data )?(?:format|type|shape|kind|sort)\b|\b(?:data|input) (?:type|format)\b",
    re.IGNORECASE,
)
_START = 0.3
_NUMBER_WEIGHT = 1.25
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(
    r"\b(?:numbers?|thresholds?|limits?|cutoffs?|how (?:many|much|long|old|far|high|low|large|big|often)|percent\w*|"
    r"rates?|amounts?|from which|until which|at which|range|boundar\w+|minimum|maximum)\b",
    re.IGNORECASE,
)

_ALL = re.compile(
    r"\b(?:which|all|list|every|keys?|entries|values|options|possible|besides|other|names?|fields?|structure|available|"
    r"allowed|supported|valid|predefined|kinds?|types?|categories)\b",
    re.IGNORECASE,
)

_JOIN_FACT = 0.7
"""A fact told in the sentence of another must match at least this share as well."""

_SECOND_FACT = 0.4
"""The same for a sentence of its own."""

MOST_CONSIDERED = 40

ASKED_BY_KEY = 1.6
"""Weight of a topic by which one entry of a table is asked for."""

SOFT_TERMS = frozenset(term(word) for word in STOP_WORDS)
_GENERIC_TEXT = """
two three four five six seven eight nine ten several various first second third fourth fifth sixth
below above under over less more than greater lower higher least most exceed between beyond
user program script system app tool someone person example sample project requirement logic thing way step part rule
value number text word data information detail case situation scenario default format field key name list
wanted want need correct right certain special specific different kind type output input result return
answer message question problem task goal purpose first second next last total final overall start end new old
all every whole behaviour treat support use include match equal meet fulfil depend reach happen come given set
"""
_GENERIC = frozenset(term(word) for word in _GENERIC_TEXT.split())
_CONSTANT = re.compile(r'\d|"')


@dataclass(frozen=True, slots=True)
class Match:
    """How well the facts of a book answer a question.

    Attributes:
        scores: index of a fact -> score; empty if the reference holds nothing on it.
        known: terms of the question that name something in the reference.
        unknown: terms that name something else.
        asks_for_form: asks what something looks like.
        terms: terms of the question.
    """

    scores: dict[int, float]
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    asks_for_form: bool = False
    terms: tuple[str, ...] = ()


def match(book: FactBook, question: Question, description: frozenset[str], context: Sequence[str] = ()) -> Match:
    """Scores the facts.

    Args:
        book: the reference's facts.
        question: what is asked.
        description: terms of the task description; that the reference lacks them tells nothing.
        context: terms of what was asked before, for questions that say "it".
    """
    if question.is_open and not question.things:
        return Match({})
    scores: dict[int, float] = {}
    named: dict[int, float] = {}
    known: list[str] = []
    unknown: list[str] = []
    weighted = [(one, 1.0) for one in question.terms]
    for one, weight in weighted:
        seen, strength = _facts_for(book, one)
        if not seen and one not in KIND_WORDS and _is_long(question.text, one):
            # "The codes" are the keycodes.
            for other in book.index:
                if len(other) >= len(one) + 3 and other.endswith(one):
                    _weaker(book, other, _KIN_WEIGHT, seen)
        soft = one in SOFT_TERMS
        is_named = any(weight >= NAMED for weight in strength.values())
        if soft:
            seen = {
                fact: value if strength.get(fact, 0.0) >= NAMED else _FAINT_WEIGHT * value
                for fact, value in seen.items()
            }
        if seen and not soft and not one[0].isdigit() and (is_named or one not in KIND_WORDS | _GENERIC):
            known.append(one)
        elif not (seen or soft or one[0].isdigit() or one in KIND_WORDS | _GENERIC | description or len(one) < 3):
            unknown.append(one)
        factor = weight * (_SOFT_WEIGHT if soft else 1.0)
        for fact, value in seen.items():
            scores[fact] = scores.get(fact, 0.0) + value * factor
            if strength.get(fact, 0.0) >= NAMED:
                named[fact] = named.get(fact, 0.0) + strength[fact]
    if not known:
        for one in context:
            if one not in SOFT_TERMS and one not in KIND_WORDS and one not in _GENERIC:
                for fact, value in _facts_for(book, one)[0].items():
                    scores[fact] = scores.get(fact, 0.0) + value * _CONTEXT_WEIGHT
    counts = any(one[0].isdigit() and one in book.index for one in question.terms)
    follows = bool(context) and question.text.casefold().startswith("and ") and bool(scores)
    if unknown and not known and not counts and not follows:
        # "What counts as black?" of a function about minerals: that some rule counts something is no answer.
        return Match({}, (), tuple(unknown))
    kinds = kinds_named_by(question.kinds)
    asks_for_looks = bool(_FORM.search(question.text))
    if asks_for_looks:
        kinds |= _FORM_ONLY
    if kinds:
        for position, fact in enumerate(book.facts):
            shared = len(kinds & fact.kinds)
            if shared:
                scores[position] = scores.get(position, 0.0) + _KIND_WEIGHT * shared**0.5
    if not scores:
        return Match({}, tuple(known), tuple(unknown))
    if question.is_negative:
        best = max(scores.values())
        for position, score in scores.items():
            fact = book.facts[position]
            if "otherwise" in fact.kinds and score > _TOUCHED * best:
                scores[position] = score + _OTHERWISE_WEIGHT * best
            elif fact.kinds & _FORM_ONLY:
                scores[position] = score * _LEFTOVER_WEIGHT
            elif " not " in fact.sentence or " false" in fact.sentence:
                scores[position] = score * 1.1
    asks_for_form = "input" in kinds
    asks_number = bool(_NUMBER.search(question.text))
    asks_for_all = bool(_ALL.search(question.text))
    for position, score in scores.items():
        fact = book.facts[position]
        mass = book.mass[position] if position < len(book.mass) else 0.0
        precision = min(1.0, named.get(position, 0.0) / mass) if mass else 0.0
        factor = (0.85 + 0.08 * fact.importance) * (0.6 + 0.8 * precision)
        if not fact.parts:
            factor *= _NOTHING_WEIGHT
        elif not fact.importance:
            factor *= _LEFTOVER_WEIGHT
        elif asks_for_all and "table" in fact.kinds and fact.importance > 1:
            factor *= _WHOLE_WEIGHT
        elif fact.importance <= _START and "start" not in kinds:
            factor *= _LEFTOVER_WEIGHT
        if asks_number and _DIGIT.search(fact.sentence):
            factor *= _NUMBER_WEIGHT
        holds_constant = bool(_CONSTANT.search(fact.sentence))
        if holds_constant:
            factor *= 1.12
        elif fact.kinds == _FORM_ONLY and not asks_for_form:
            factor *= _FORM_WEIGHT
        if asks_for_looks and "input" in fact.kinds and position in named:
            factor *= _WHOLE_WEIGHT
        if fact.kinds == {"result"} and "result" not in kinds:
            factor *= _LEFTOVER_WEIGHT
        scores[position] = score * factor
    return Match(scores, tuple(known), tuple(unknown), asks_for_form, question.terms)


def _facts_for(book: FactBook, one: str) -> tuple[dict[int, float], dict[int, float]]:
    """The facts a term asks for: their scores, and the weights of the term in them."""
    seen: dict[int, float] = {}
    strength: dict[int, float] = {}
    rarity = book.rarity.get(one, 0.0)
    for fact, weight in book.index.get(one, ()):
        seen[fact] = weight * rarity
        strength[fact] = weight
    for other in SYNONYMS.get(one, ()):
        _weaker(book, other, _SYNONYM_WEIGHT, seen)
    if not seen and len(one) > 3 and one not in SOFT_TERMS:
        for other in book.index:
            if len(other) > 3 and (other.startswith(one) or one.startswith(other) or other[:6] == one[:6] != one[:5]):
                _weaker(book, other, _KIN_WEIGHT, seen)
    return seen, strength


def _is_long(text: str, one: str) -> bool:
    """Whether a term stands for a word of at least four letters."""
    return any(len(word) > 3 and word.isalpha() and term(word) == one for word in words_of(text))


def _weaker(book: FactBook, other: str, share: float, seen: dict[int, float]) -> None:
    rarity = book.rarity.get(other, 0.0)
    for fact, weight in book.index.get(other, ()):
        value = weight * rarity * share
        if value > seen.get(fact, 0.0):
            seen[fact] = value


def ranked(book: FactBook, found: Match, told: str) -> list[tuple[float, int]]:
    """(score, index of the fact), best first; what was told already comes later."""
    order = []
    for position, score in found.scores.items():
        factor = 1.0
        if told and is_told(book.facts[position], told):
            factor = _TOLD_WEIGHT if found.known else _TOLD_WEIGHT**4
        elif told and is_told_otherwise(book.facts[position], told, found.terms):
            factor = _TOLD_WEIGHT**2
        order.append((-score * factor, position))
    order.sort()
    return [(-negative, position) for negative, position in order]


def is_told_otherwise(fact: Fact, told: str, terms: Sequence[str]) -> bool:
    """Whether a part of a table was told in other words, and is not asked for by its key."""
    if "table" not in fact.kinds or _is_asked_by_key(fact, terms):
        return False
    values = constants_in_sentence(fact.sentence)
    return bool(values) and all(value.casefold() in told for value in values)


def _is_asked_by_key(fact: Fact, terms: Sequence[str]) -> bool:
    return "table" in fact.kinds and any(fact.topics.get(one, 0.0) >= ASKED_BY_KEY for one in terms)


def sentences_for(
    book: FactBook, found: Match, told: str, taken: set[int], room: int = CHARACTERS, most: int = MOST_SENTENCES
) -> list[str]:
    """Up to `most` sentences that answer, best first, in at most `room` characters; notes in `taken` what they tell."""
    order = [(score, position) for score, position in ranked(book, found, told) if position not in taken]
    if not order:
        return []
    best = order[0][0]
    runs: list[list[int]] = []
    for score, position in order[:MOST_CONSIDERED]:
        if score < _SECOND_FACT * best:
            break
        fact = book.facts[position]
        if any(position in run for run in runs):
            continue
        if runs and "table" in fact.kinds and _is_repeated(book, runs, position):
            continue
        if runs and told and is_told_otherwise(fact, told, found.terms):
            continue
        is_form = fact.kinds == _FORM_ONLY and not found.asks_for_form and not _CONSTANT.search(fact.sentence)
        if runs and (is_form or fact.importance <= _START):
            continue
        attempts: list[list[list[int]]] = []
        for number, run in enumerate(runs):
            head = max(found.scores.get(one, 0.0) for one in run)
            same = abs(book.facts[run[0]].group - book.facts[position].group) <= _NEAR
            if same and found.scores[position] >= _JOIN_FACT * head:
                grown = sorted([*run, position])
                attempts.append([*runs[:number], grown, *runs[number + 1 :]])
        if len(runs) < most and not attempts:
            if runs:
                runs = [_with_chain(book, runs, 0, room, told, 1)]
            attempts.append([*runs, [position]])
        for attempt in attempts:
            if _fits(book, attempt, room) or len(attempt) == len(attempt[0]) == 1:
                runs = attempt
                break
    for number in range(len(runs)):
        runs[number] = _with_chain(book, runs, number, room, told)
    for run in runs:
        taken.update(run)
    return [_said(book, run) for run in runs]


def _is_repeated(book: FactBook, runs: Sequence[Sequence[int]], position: int) -> bool:
    """Whether all the values of a table's entry stand in what is told already."""
    said = " ".join(_said(book, run) for run in runs)
    values = constants_in_sentence(book.facts[position].sentence)
    return bool(values) and all(value in said for value in values)


def _with_chain(
    book: FactBook, runs: Sequence[list[int]], number: int, room: int, told: str, most: int = MOST_CONSIDERED
) -> list[int]:
    """A branch with up to `most` others of its chain, as far as there is room: the last resort first."""
    run = runs[number]
    group = book.facts[run[0]].group
    if not {"rule", "otherwise"} & book.facts[run[0]].kinds or "table" in book.facts[run[0]].kinds:
        return run
    taken = {position for other in runs for position in other}
    rest = [p for p, fact in enumerate(book.facts) if fact.group == group and p not in taken]
    rest = [p for p in rest if {"rule", "otherwise"} & book.facts[p].kinds and not is_told(book.facts[p], told)]
    rest.sort(key=lambda position: ("otherwise" not in book.facts[position].kinds, abs(position - run[-1]), position))
    for position in rest[:most]:
        grown = sorted([*run, position])
        if _fits(book, [*runs[:number], grown, *runs[number + 1 :]], room):
            run = grown
    return run


def _fits(book: FactBook, runs: Sequence[Sequence[int]], room: int) -> bool:
    text = " ".join(_said(book, run) for run in runs)
    return len(text) <= room and reads_short(text)


def _said(book: FactBook, run: Sequence[int]) -> str:
    return joined([book.facts[position] for position in run])
