"""Yes or no: assumptions confirmed or corrected, and what becomes of a given number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from colbench_gym.simulators.answering.composing import decapitalised
from colbench_gym.simulators.answering.matching import Match, match
from colbench_gym.simulators.english.wording import say_number, with_asides
from colbench_gym.simulators.facts import FactBook
from colbench_gym.simulators.questions import Question
from colbench_gym.simulators.reading.exclusion import Ladder, Number, Rung
from colbench_gym.simulators.words import terms_of

_NUMBER = re.compile(r"(?<![\w.])(?P<sign>-|minus )?(?P<digits>\d[\d,]*(?:\.\d+)?)\s?(?P<percent>%| ?per ?cent\b)?")
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
    if word != "one"
}
_SPOKEN_NUMBER = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\bwhat (?:if|about|happens|would|comes|should|do|does|is|will|with)\b|\bhow about\b|\bexactly\b|"
    r"\binclu(?:ded|sive|des?)\b|\b(?:is|are|does|do|would|will|should|can)\b.*\b(?:count|qualif\w+|consider\w*|"
    r"treat\w*|mean|give|get|pass|fail|classified|already|still|enough|too)\b|\bat \d",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\W*(?:so|and|but|then|ok(?:ay)?|right|just to confirm|to confirm|let me confirm)?[\s,:]*(?:that )?"
    r"(?:is|are|does|do|should|would|will|can|did|has|have|am i|was)\b|^\W*so\b[^?]*\?|"
    r"\b(?:right|correct|yes|isn't it|is it|is that (?:right|correct)|or not)\s*\?|"
    r"\b(?:i assume|i guess|i take it|you mean)\b",
    re.IGNORECASE,
)
LONGEST_JUDGED = 600
"""Characters of a question that are read for an assumption."""

_EXACT = re.compile(r"\bexactly\s+\S{0,3}\d|\binclu|\bequal", re.IGNORECASE)
_POLITE = re.compile(
    r"\b(?:can|could|would|will|may|do|should|did) (?:you|i|we) (?:please |kindly |also |ever )*(?:tell|explain|"
    r"specify|give|describe|clarify|provide|list|elaborate|share|confirm what|let|know|ask|want|have|mind|say|help)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"\b(?:chang\w+|goes (?:up|down)|increas\w+|decreas\w+|multipl\w+|divid\w+) by\b", re.IGNORECASE)
_CONFIRMS = re.compile(r"\b(?:right|correct|yes|true)\s*\?|^\W*so\b", re.IGNORECASE)
_DENIES = re.compile(r"\bnot\b|n't\b|\bnever\b|\bno\b", re.IGNORECASE)
_SIDES = {
    "at least": re.compile(
        r"\bat least\b|\bor (?:more|above|older|higher|greater|over|longer)\b|\bminimum\b|\band (?:up|above)\b|"
        r"\bno(?:t)? (?:less|fewer) than\b|\bstarting (?:at|from)\b|\bfrom\b",
        re.IGNORECASE,
    ),
    "at most": re.compile(
        r"\bat most\b|\bor (?:less|below|under|fewer|lower|younger|shorter)\b|\bmaximum\b|\bup to\b|"
        r"\bno(?:t)? more than\b",
        re.IGNORECASE,
    ),
    "more than": re.compile(
        r"\b(?:more|greater|older|higher|larger|bigger|longer) than\b|\bover\b|\babove\b|\bexceed\w*|\bbeyond\b",
        re.IGNORECASE,
    ),
    "less than": re.compile(
        r"\b(?:less|fewer|younger|lower|smaller|shorter) than\b|\bunder\b|\bbelow\b", re.IGNORECASE
    ),
}
_NEARLY = {"at least": "more than", "more than": "at least", "at most": "less than", "less than": "at most"}
_NOTHING = re.compile(r"^(?:Nothing|There is no|I have no)")
_CLOSE_ENOUGH = 0.6
_NEXT = 1e-6
"""A step, relative to a limit, that crosses it and no other."""


@dataclass(frozen=True)
class _Proposal:
    """A number in a question: the values it may stand for."""

    value: Number
    is_percent: bool

    @property
    def readings(self) -> frozenset[float]:
        return frozenset([float(self.value), self.value / 100] if self.is_percent else [float(self.value)])


def judge(
    book: FactBook, question: Question, description: frozenset[str], context: Iterable[str] = ()
) -> list[str] | None:
    """Sentences that say whether an assumption holds; None if the question makes none, or none that can be judged."""
    question = replace(question, text=question.text[:LONGEST_JUDGED])
    proposals = _proposals(question.text)
    asks = bool(_YES_NO.search(question.text)) and not _POLITE.search(question.text)
    sides = [side for side, pattern in _SIDES.items() if pattern.search(question.text)]
    if _EXACT.search(question.text):
        sides = []
    if len(proposals) == 1 and len(sides) == 1 and not asks and not _DENIES.search(question.text):
        beyond = _beyond(book, question, proposals[0], sides[0])
        if beyond is not None:
            return [beyond]
    if (
        proposals
        and not sides
        and (_SUPPOSED.search(question.text) or asks)
        and (asks or not _DENIES.search(question.text))
    ):
        supposed = _at(book, question, proposals[0], asks)
        if supposed is not None:
            return supposed
    if not asks:
        return None
    plain = replace(question, terms=tuple(one for one in question.terms if not one[0].isdigit()), kinds=question.kinds)
    found = match(book, plain, description, tuple(context))
    if not found.scores:
        return None
    if not proposals:
        return _without_numbers(book, question, found)
    return _compared(book, question, found, proposals)


def _proposals(text: str) -> list[_Proposal]:
    found = []
    for number in _NUMBER.finditer(text):
        digits = number["digits"].replace(",", "")
        value = float(digits) if "." in digits else int(digits[:300])
        found.append(_Proposal(-value if number["sign"] else value, bool(number["percent"])))
    if not found:
        found = [_Proposal(_NUMBER_WORDS[word.group().lower()], False) for word in _SPOKEN_NUMBER.finditer(text)]
    return found


# -- what becomes of a number


def _beyond(book: FactBook, question: Question, proposal: _Proposal, side: str) -> str | None:
    """The branch for numbers on one side of the asked one ("if the score is below 40")."""
    asked = set(question.terms)
    step = {"less than": -_NEXT, "more than": _NEXT}.get(side, 0.0) * max(1.0, abs(proposal.value))
    for ladder in book.ladders:
        if ladder.stems <= asked:
            rung = ladder.at(proposal.value + step)
            if rung is not None:
                return rung.sentence
    return None


def _at(book: FactBook, question: Question, proposal: _Proposal, asks: bool) -> list[str] | None:
    asked = set(question.terms)
    likely = _most([(len(ladder.stems & asked), ladder) for ladder in book.ladders])
    number = _NUMBER.search(question.text)
    # "Is 40,000 high?" names what comes of it; "So adults pay 10?" is about what they pay, whatever else 10 may be.
    if not likely and asks and (number is None or not _asserts(question.text, number.start())):
        likely = _most([(len(_outcome_terms(ladder) & asked), ladder) for ladder in book.ladders])
    if not likely:
        return None
    ladder = next((one for one in likely if one.at(proposal.value) is not None), likely[0])
    value = proposal.value
    if proposal.is_percent and all(abs(limit) <= 1 for limit in _limits(ladder)):
        value = value / 100
    rung = ladder.at(value)
    meant = _meant(ladder, asked)
    condition = f"{ladder.opening} {say_number(value)}"
    opening = f"{ladder.lead}, {condition}" if ladder.lead else condition
    if rung is None:
        if not ladder.decides or not ladder.stems & asked:
            return None
        first = f"No, not with {say_number(value)}." if asks else f"Nothing special happens at {say_number(value)}."
        return [first, ladder.rungs[0].sentence]
    told = with_asides(f"{opening}, {rung.effect}", ladder.taken)
    if asks and meant is not None and not _DENIES.search(question.text):
        if meant is rung:
            return [f"Yes, {told}."]
        return [f"No, {told}.", meant.sentence]
    sentences = [f"{told[:1].upper()}{told[1:]}."]
    if not rung.sentence.casefold().startswith(f"{opening},".casefold()):
        sentences.append(rung.sentence)
    return sentences


def _most(counted: list[tuple[int, Ladder]]) -> list[Ladder]:
    """The ladders with the highest count, if that is not 0."""
    most = max((count for count, _ in counted), default=0)
    return [ladder for count, ladder in counted if count == most and most]


def _limits(ladder: Ladder) -> list[float]:
    return [float(one.value) for rung in ladder.rungs for one in _proposals(rung.sentence)]


def _outcome_terms(ladder: Ladder) -> set[str]:
    return {one for rung in ladder.rungs for one in terms_of(rung.effect) if not one[0].isdigit()} - _COMMON


_COMMON = frozenset(terms_of("the result is we add take off goes up down by to error value of times true false"))


def _meant(ladder: Ladder, asked: set[str]) -> Rung | None:
    """The branch whose outcome the question names, if it names just one."""
    shares = []
    for rung in ladder.rungs:
        terms = set(terms_of(rung.effect)) - ladder.stems - _COMMON
        shares.append(len(terms & asked) / len(terms) if terms else 0.0)
    best = max(shares)
    return ladder.rungs[shares.index(best)] if best > 0 and shares.count(best) == 1 else None


# -- assumptions


def _values(sentence: str) -> frozenset[float]:
    return frozenset(reading for one in _proposals(sentence) for reading in one.readings)


def _compared(book: FactBook, question: Question, found: Match, proposals: list[_Proposal]) -> list[str] | None:
    order = sorted(found.scores, key=lambda position: (-found.scores[position], position))
    numbered = [position for position in order if _values(book.facts[position].sentence)]
    if not numbered:
        return None
    best = found.scores[order[0]]
    near = [position for position in numbered if found.scores[position] >= _CLOSE_ENOUGH * best]
    if not near:
        return None
    for position in near:
        sentence = book.facts[position].sentence
        values = _values(sentence)
        if all(proposal.readings & values for proposal in proposals):
            verdict = _verdict(question, sentence, proposals[0])
            if not _REDUCES.search(question.text) and len(_proposals(sentence)) > len(proposals) and verdict == "Yes, ":
                verdict = _beside(sentence, found.known, proposals)
            return [verdict + decapitalised(sentence)]
    sentence = book.facts[near[0]].sentence
    if _DENIES.search(question.text):
        return [f"To be exact, {decapitalised(sentence)}"]
    if (
        all(proposal.is_percent for proposal in proposals)
        and "%" not in sentence
        and not re.search(r"\b0\.\d", sentence)
    ):
        return None
    if _REDUCES.search(question.text) and all(
        {1 - one for one in p.readings} & _rounded(_values(sentence)) for p in proposals
    ):
        return [f"Yes, {decapitalised(sentence)}"]
    if any(pattern.search(question.text) for pattern in _SIDES.values()):
        limits = any(f"{side} " in sentence for side in _SIDES)
        return [f"Not quite, {decapitalised(sentence)}"] if limits else None
    if not any(_asserts(question.text, number.start()) for number in _NUMBER.finditer(question.text)):
        return None
    return [f"No, {decapitalised(sentence)}"]


_REDUCES = re.compile(r"\b(?:off|discount|less|reduc\w+|cheaper|rebate|cut)\b", re.IGNORECASE)
_ASSERTED = re.compile(
    r"(?:\w[^?.!]*\b(?:is|are|was|be|'s|equals?|pays?|costs?|gets?|adds?|gives?|charges?|by|off|set to)|"
    r"\b(?:is|are|was|should|would)\s+(?:it|this|that|there|the\s+[\w\s'-]{1,60}?)(?:\s+be)?|^\W*so)"
    r"\s+(?:the\s+|an?\s+|exactly\s+|only\s+|just\s+|around\s+|about\s+|\$)*$",
    re.IGNORECASE,
)


def _asserts(text: str, place: int) -> bool:
    """Whether the number at a place is said to be a value ("is it 10?"), rather than asked about ("is 10 high?")."""
    before = text[:place]
    return bool(_ASSERTED.search(before)) and not re.fullmatch(
        r"\W*(?:so|and|but|then)?\W*(?:is|are|was)\s+", before.lower()
    )


def _rounded(values: Iterable[float]) -> frozenset[float]:
    return frozenset(value for one in values for value in (one, round(one, 9), 1 - round(1 - one, 9)))


_CLAUSE = re.compile(r"[;,] | and | but ")


def _beside(sentence: str, known: Iterable[str], proposals: list[_Proposal]) -> str:
    """Of several numbers in a sentence, whether the asked one stands where the asked thing does."""
    asked = set(known)
    clauses = [clause for clause in _CLAUSE.split(sentence) if _proposals(clause)]
    shared = [len(asked & set(terms_of(clause))) for clause in clauses]
    if not shared or max(shared) == 0:
        return "To be exact, "
    nearest = [clause for clause, count in zip(clauses, shared, strict=True) if count == max(shared)]
    holds = [all(proposal.readings & _values(clause) for proposal in proposals) for clause in nearest]
    if all(holds):
        return "Yes, "
    return "To be exact, " if any(holds) or len(proposals) > 1 else "No, "


def _verdict(question: Question, sentence: str, proposal: _Proposal) -> str:
    """How a sentence that holds the asked number answers: it may still start or stop counting elsewhere."""
    if _DENIES.search(question.text):
        return "To be exact, "
    number = say_number(proposal.value)
    said = {side for side in _SIDES if re.search(rf"\b{side} (?:minus )?{re.escape(number)}(?![\d.,]\d)", sentence)}
    asked = {side for side, pattern in _SIDES.items() if pattern.search(question.text)}
    if not asked and not any(_asserts(question.text, one.start()) for one in _NUMBER.finditer(question.text)):
        # "Is 50 high?": that a rule names 50 does not say on which side of it 50 is.
        opens = _CONFIRMS.search(question.text)
        return "Yes, " if opens else "To be exact, "
    if len(said) == 1 and asked:
        side = next(iter(said))
        if side in asked:
            return "Yes, "
        return "Not quite, " if _NEARLY[side] in asked else "To be exact, "
    return "Yes, "


def _without_numbers(book: FactBook, question: Question, found: Match) -> list[str] | None:
    """ "Do you round?", "Is it case sensitive?"."""
    best = max(found.scores, key=lambda position: (found.scores[position], -position))
    fact = book.facts[best]
    if fact.parts or _DENIES.search(question.text):
        return None
    if _NOTHING.match(fact.sentence):
        return [f"No, {decapitalised(fact.sentence)}"]
    if fact.kinds == {"case"}:
        ignoring = re.search(r"insensitiv|ignor|regardless|irrespective|lower ?case", question.text, re.IGNORECASE)
        return [("No, " if ignoring else "Yes, ") + decapitalised(fact.sentence)]
    return None
