"""Questions of a kind that has its own answer: otherwise, ties, order, capitals, empty input, what is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable

from colbench_gym.simulators.answering.composing import decapitalised, is_told
from colbench_gym.simulators.answering.matching import SOFT_TERMS, Match
from colbench_gym.simulators.facts import KIND_WORDS, Fact, FactBook
from colbench_gym.simulators.questions import Question
from colbench_gym.simulators.reading.model import Answer
from colbench_gym.simulators.words import stem

_NOT_LISTED = re.compile(
    r"(?:\bnot|n't) (?:be )?(?:in|on|among|listed|part of|known|recogni[sz]ed|found|covered|there|"
    r"contained|included in)\b|"
    r"\byou(?: do not|'t| don't) (?:know|recogni[sz]e|have)\b|"
    r"\b(?:unknown|unrecogni[sz]ed|unlisted|unsupported|unexpected|invalid|missing|unfamiliar)\b",
    re.IGNORECASE,
)
_NO_RULE = re.compile(
    r"\b(?:neither|none|nothing|no (?:rule|condition|case|criteri\w+|branch))\b.*\b(?:fits?|appl\w+|"
    r"match\w*|holds?|met|satisfied|true)\b|\bany other \w+\W*$|"
    r"\bany other (?:value|input|case|text|number|thing)s?\b|^\W*(?:and |what |so )*(?:happens )?"
    r"(?:if )?otherwise\W*$|\bin all other cases\b|\bnone of (?:them|these|those|the above)\b|"
    r"\b(?:does not|doesn't|do not|don't) (?:fit|match|meet|satisfy) any\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\bwhat (?:exactly |precisely )?(?:comes? (?:back|out)|is (?:returned|the (?:output|result|return value))|"
    r"(?:do|does|should|will|would) (?:i|it|you|we|the function|this)(?: \w+)? (?:return|give back|output|get back))\b|"
    r"\bwhat (?:does|do|should|will|would) the (?:output|result|answer|return value|returned \w+)\b.*"
    r"\b(?:look|be|contain|have|include)\b|"
    r"\b(?:return|output) (?:type|format)\b|\bhow (?:does|should) the (?:output|result) look\b",
    re.IGNORECASE,
)
_SUPPOSING = re.compile(r"\b(?:if|when|for|in case|with|unless)\b", re.IGNORECASE)
_ABOUT_CODE = r"(?:in|on) (?:the|your|our|this|that|any) (?:table|list|dict\w*|map\w*|records?)\b"
_ADJECTIVE = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unlisted|unsupported|unexpected|invalid|unfamiliar) "
    r"(?!to\b|if\b|or\b|and\b|is\b)[a-z]+|"
    r"\byou(?: do not|'t| don't) (?:know|recogni[sz]e|have)\b|(?:\bnot|n't) (?:be )?" + _ABOUT_CODE,
    re.IGNORECASE,
)
_QUALIFIES = re.compile(
    r"\b(?:does|do|would|will|can|should|is|are|which|who|what|when)\b.*\b(?:counts?(?! as\b)|qualif\w+|"
    r"eligible|included?|belongs?|kept|considered|selected|picked|chosen|fits?)\b",
    re.IGNORECASE,
)
_ONES = re.compile(r"\b(?:which|what|who|ones?|them|they|it)\b", re.IGNORECASE)
_TIE = re.compile(
    r"\b(?:ties?|tied|tying|a draw|equal|equally|as many|as much|"
    r"same (?:number|count|amount|score|value|frequency|total|many)|the same)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:what|which) order\b|\b(?:sorted|ordered|ranked|sorting|order of the (?:output|result|list))\b|"
    r"\bsort (?:them|it|by|the)\b",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"\bcase[- ]?(?:in)?sensitiv\w+|\b(?:upper|lower)[- ]?case\b|\bcapital(?:s|i[sz]\w+| letters?)\b|\bcase matter",
    re.IGNORECASE,
)
_IGNORES_CASE = re.compile(
    r"\bcase[- ]?insensitiv|\bignor\w+ (?:the )?(?:upper|lower|case|capital)|\bregardless of\b", re.I
)
_MINDS_CASE = re.compile(r"\bcase[- ]?sensitiv|\bcase matter|\bcapital\w*(?: letters)? matter", re.IGNORECASE)
_EMPTY = re.compile(
    r"\b(?:empty|blank)\b|\bno input\b|\bnothing (?:is |was )?(?:given|passed|entered)\b", re.IGNORECASE
)
_ACCEPTED = re.compile(
    r"\b(?:which|what)\b.*\b(?:fine|ok|okay|accept\w*|allow\w*|valid|support\w*|permitted|good|suitable|compatible)\b",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"\b(?:which|what)\b(?! (?:if|happens|should|about|to|is|do|does|would|will)\b).*"
    r"(?:\bnot\b.*\b(?:fine|ok|okay|accept\w*|allow\w*|valid|support\w*|permitted|good)\b|"
    r"n't\b.*\b(?:accept\w*|allow\w*|support\w*|permit\w*|work|fine|ok|okay|valid)\b|"
    r"\b(?:reject\w*|refus\w+|turned? down|unsupported|forbid\w*|disallow\w*|unacceptable|banned|invalid)\b)",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"^\W*(?:ok(?:ay)?,? |and |please,? |yes,? |so )*(?:go on|continue|keep going|(?:which|what|any|the) (?:are the )?"
    r"(?:others?|other ones|more)|(?:what (?:is|are) |and )?the (?:rest|remaining ones)|more|next)"
    r"(?: (?:please|ones?|are there|is there|of them|then|kings))?\W*$",
    re.IGNORECASE,
)
_AIM_TEXT = """
isn aren don doesn didn fits fit fine accept accepted allowed apply applies tie tied equal many empty blank sorted
order qualify qualifies eligible included selected picked chosen kept hold neither none back come comes return
returned look listed unlisted unknown unrecognized unrecognised unsupported unexpected invalid missing matches match
otherwise nothing list table recognize recognise happens
"""
_AIM_WORDS = frozenset(stem(word) for word in _AIM_TEXT.split())
"""Words that say which kind of question it is, and name nothing of the reference."""

_NUMBER = re.compile(r"(?<![\w-])\d+(?:\.\d+)?(?![\w-])")
_DIGIT = re.compile(r"\d")
_NO_RULE_FACT = ("In all other cases",)
_GENERAL_EMPTY = "I have nothing special in mind for empty input."
_GENERAL_CASE = "I have nothing special in mind about capitals."
_MOST_LEAVES = 2


def aimed(book: FactBook, question: Question, found: Match) -> list[str] | None:
    """Sentences for a question of one of these kinds; None if it is of none, or the reference holds no such answer."""
    if set(found.unknown) - _AIM_WORDS and not found.known and not _CASE.search(question.text):
        return None
    for answer in (_case, _fallback, _result, _accepted, _tie, _order, _condition, _empty):
        said = answer(book, question)
        if said:
            return said
    return None


def leaf(book: FactBook, question: Question) -> list[str] | None:
    """A value in a table of tables whose both keys are named; None if there is none, or too many are."""
    if _NUMBER.search(question.text):
        return None
    asked = set(question.terms)
    named: list[tuple[float, Answer]] = []
    for one in book.answers:
        if one.aim == "leaf" and one.needs <= asked and one.one_of & asked:
            named.append((len(one.one_of & asked) / len(one.one_of) + len(one.needs), one))
    best = max((score for score, _ in named), default=0.0)
    said = [one.sentence for score, one in named if score == best]
    return said if 0 < len(said) <= _MOST_LEAVES else None


def continued(book: FactBook, question: Question, said_last: str, told: str) -> list[str] | None:
    """The next pieces of the table that the last reply told a piece of; None if the question does not ask for them."""
    if not _CONTINUES.match(question.text):
        return None
    for said in (said_last.casefold(), told):
        heads = [
            position
            for position, fact in enumerate(book.facts)
            if "table" in fact.kinds and fact.importance > 1 and is_told(fact, said)
        ]
        for head in reversed(heads):
            after: list[str] = []
            for fact in book.facts[head + 1 :]:
                if not ("table" in fact.kinds and _is_piece(fact.sentence)):
                    break
                if not is_told(fact, told):
                    after.append(fact.sentence)
            if after:
                return after[:2]
        if heads and said != told:
            return ["That's the whole list."]
    return None


def _is_piece(sentence: str) -> bool:
    return sentence.startswith(("More of the ", "Further ", "By ")) or " also ha" in sentence


# -- the kinds


def _things(question: Question) -> list[str]:
    return [one for one in question.terms if one not in SOFT_TERMS and one not in KIND_WORDS]


def _shared(topics: dict[str, float], question: Question, book: FactBook) -> float:
    return sum(topics.get(one, 0.0) * book.rarity.get(one, 1.0) for one in question.terms if one not in SOFT_TERMS)


def _answers(book: FactBook, question: Question, aim: str) -> list[str]:
    """The answers of a kind, the one that shares most with the question first."""
    fitting = [one for one in book.answers if one.aim == aim]
    fitting.sort(key=lambda one: -_shared(one.topics, question, book))
    return [one.sentence for one in fitting]


def _facts(book: FactBook, question: Question, fits: Callable[[Fact], bool]) -> list[str]:
    fitting = [fact for fact in book.facts if fits(fact)]
    fitting.sort(key=lambda fact: (-_shared(fact.topics, question, book), -fact.importance))
    return [fact.sentence for fact in fitting]


def _fallback(book: FactBook, question: Question) -> list[str] | None:
    not_listed, no_rule = _NOT_LISTED.search(question.text), _NO_RULE.search(question.text)
    if not (not_listed or no_rule) or question.is_open or _REJECTED.search(question.text):
        return None
    special = _answers(book, question, "fallback")
    general = _facts(book, question, lambda fact: fact.sentence.startswith(_NO_RULE_FACT))
    if no_rule and not general:
        general = _facts(book, question, lambda fact: fact.kinds >= {"otherwise", "result"} and len(fact.parts) > 1)
    if not_listed and not no_rule:
        # A missing part of the input is told by the facts about missing input, unless a table is meant.
        general = general if _ADJECTIVE.search(question.text) else []
        ordered = [*special, *general]
    else:
        ordered = [*general, *special]
    if not ordered:
        return None
    if not _names_something(book, question):
        return ordered[:1]
    shares = {
        one.sentence: _shared(one.topics, question, book)
        for one in (*book.answers, *book.facts)
        if one.sentence in ordered
    }
    best = max(ordered, key=lambda sentence: shares[sentence])
    return [best] if shares[best] > 0 else None


def _mentions_empty(book: FactBook) -> bool:
    return any("empty" in fact.kinds and fact.importance > 0.25 for fact in book.facts)


def _result(book: FactBook, question: Question) -> list[str] | None:
    if not _RESULT.search(question.text) or _SUPPOSING.search(question.text):
        return None
    said = _answers(book, question, "result")
    if said:
        return said[:1]
    whole = [fact for fact in book.facts if "result" in fact.kinds and not fact.kinds & {"otherwise", "table", "start"}]
    if not whole:
        return None
    return [max(whole, key=lambda fact: ("rule" not in fact.kinds, fact.importance)).sentence]


def _accepted(book: FactBook, question: Question) -> list[str] | None:
    if _REJECTED.search(question.text):
        return _named(book, question, "rejected") or _named(book, question, "fallback")
    return _named(book, question, "accepted") if _ACCEPTED.search(question.text) else None


def _named(book: FactBook, question: Question, aim: str) -> list[str] | None:
    """Answers of a kind about what the question names."""
    named = [one for one in book.answers if one.aim == aim and _shared(one.topics, question, book) > 0]
    best = max((_shared(one.topics, question, book) for one in named), default=0.0)
    return [one.sentence for one in named if _shared(one.topics, question, book) >= 0.8 * best][:2]


def _tie(book: FactBook, question: Question) -> list[str] | None:
    if not _TIE.search(question.text) or _DIGIT.search(question.text) or _ORDER.search(question.text):
        return None
    if re.search(r"\bthe same\b", question.text, re.I) and not re.search(r"\b(?:if|when)\b", question.text, re.I):
        return None
    said = _answers(book, question, "tie")
    return (said or _tie_facts(book))[:1]


def _tie_facts(book: FactBook) -> list[str]:
    return [fact.sentence for fact in book.facts if fact.sentence.startswith(("Ties ", "If several are tied"))]


def _order(book: FactBook, question: Question) -> list[str] | None:
    if not _ORDER.search(question.text) or _DIGIT.search(question.text):
        return None
    whole = [fact.sentence for fact in book.facts if fact.kinds >= {"order", "result"} and "sorted by" in fact.sentence]
    said = whole[:1] or _answers(book, question, "order")[:1]
    return [*said, *_tie_facts(book)[:1]] if said else None


def _case(book: FactBook, question: Question) -> list[str] | None:
    if not _CASE.search(question.text):
        return None
    minds, ignores = _MINDS_CASE.search(question.text), _IGNORES_CASE.search(question.text)
    said = _answers(book, question, "case")
    if said:
        return [_with_verdict("No, " if minds else "Yes, " if ignores else "", said[0])]
    exact = [fact.sentence for fact in book.facts if fact.kinds == {"case"}] or _answers(book, question, "exact")
    if exact:
        return [_with_verdict("Yes, " if minds else "No, " if ignores else "", exact[0])]
    if any("case" in fact.kinds for fact in book.facts):
        return None
    return [_GENERAL_CASE] if minds or ignores else None


def _with_verdict(verdict: str, sentence: str) -> str:
    return verdict + decapitalised(sentence) if verdict else sentence


def _condition(book: FactBook, question: Question) -> list[str] | None:
    if not _QUALIFIES.search(question.text) or _DIGIT.search(question.text):
        return None
    named = [one for one in book.answers if one.aim == "condition"]
    if _names_something(book, question):
        named = [one for one in named if one.one_of <= set(question.terms)]
    elif not _ONES.search(question.text):
        return None
    return [one.sentence for one in named[:1]]


def _names_something(book: FactBook, question: Question) -> bool:
    return any(one in book.index for one in _things(question))


def _empty(book: FactBook, question: Question) -> list[str] | None:
    if not _EMPTY.search(question.text):
        return None
    if _mentions_empty(book):
        return None
    return _answers(book, question, "empty")[:1] or [_GENERAL_EMPTY]
