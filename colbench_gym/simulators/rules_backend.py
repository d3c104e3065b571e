"""The default Backend user: rules, no model. Answers questions from what the task hides, in plain English."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.simulators.facts import FactBook, constants_in_sentence, facts_of, kinds_named_by
from colbench_gym.simulators.questions import Question, Request, understand
from colbench_gym.simulators.words import STOP_WORDS, SYNONYMS, name_words, stem, words_of
from colbench_gym.types import Detail, Message, Reply, Task

VERSION = 1
"""Raised whenever a reply to some dialogue may change: scores against other versions are not comparable."""

MOST_SENTENCES = 2
CHARACTERS = USER_CHARACTERS["backend"]

_SYNONYM_WEIGHT = 0.45
_KIND_WEIGHT = 0.7
_TOLD_WEIGHT = 0.55
_FORM_ONLY = frozenset(["input"])
_FORM_WEIGHT = 0.6
"""What a parameter looks like is rarely what a question about it is after."""

_SECOND_FACT = 0.5
"""A second sentence must match at least this share as well as the first."""

_DONT_KNOW = (
    "I don't know.",
    "I don't know about that, sorry.",
    "Honestly, I don't know.",
    "That I don't know.",
    "I don't know, I have nothing in mind for that.",
    "Hmm, I don't know.",
)
_NUDGES = (
    "Hi! Ask me whatever you need to know for the function.",
    "Hello! What would you like to know?",
    "Sure, just ask me what is unclear.",
    "Hi there, what do you need to know from me?",
)
_BLANK = ("I got an empty message. What would you like to know?", "Nothing came through, what is your question?")
_DECLINES = (
    "I can't give you any code, but I'm happy to explain how it should behave.",
    "Sorry, I have no code to share, just ask me how it should work.",
    "I'd rather not hand out code or tests, but ask me about the rules.",
)
_ALL_TOLD = (
    "That's everything I had in mind.",
    "Nothing else comes to mind.",
    "No, I think you have it all.",
)
_FOREIGN = ("Sorry, could you ask me in English?", "I only understand English, could you put it that way?")
_LEADS = ("", "", "Well, ", "So, ")
_VERBATIM_LEADS = ("", "", "Sure: ", "Good question: ", "Let me think: ")

_SENTENCE_BREAK = re.compile(r"[.!?]+[\"')]*(?=\s|$)")
_GLUE = frozenset(stem(word) for word in ("a", "an", "the", "of", "for", "my", "your", "our"))
_PRONOUNS = frozenset(stem(word) for word in ("i", "you", "we", "it", "they", "he", "she", "this", "that", "there"))


def count_sentences(text: str) -> int:
    """Sentences of a reply, counted generously: every full stop, question or exclamation mark before a blank."""
    return len(_SENTENCE_BREAK.findall(text)) or bool(text.strip())


def fit(text: str) -> str:
    """At most `MOST_SENTENCES` sentences and `CHARACTERS` characters of `text`, cut at a sentence's or a word's end."""
    ends = [match.end() for match in _SENTENCE_BREAK.finditer(text)]
    if len(ends) > MOST_SENTENCES:
        text = text[: ends[MOST_SENTENCES - 1]]
    if len(text) <= CHARACTERS:
        return text
    ends = [end for end in ends if end <= CHARACTERS]
    if ends and ends[-1] > CHARACTERS // 3:
        return text[: ends[-1]]
    return text[: CHARACTERS - 2].rsplit(" ", 1)[0].rstrip(" ,;:") + "."


class RulesUser:
    """The rule-based Backend user.

    Keeps nothing between calls: each reply is a function of the task and the dialogue alone, so one object may serve
    any number of dialogues and threads.
    """

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two users must share for their scores to be comparable."""
        return {"kind": "rules", "domain": "backend", "version": VERSION}

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """The next thing the person says: at most two sentences and 400 characters, never code."""
        return self.respond(task, messages).text

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`, with the names of the details whose sentences the reply holds (those told before included)."""
        last = messages[-1]["content"] if messages and messages[-1]["role"] == "assistant" else ""
        request = understand(last)
        told = " ".join(message["content"] for message in messages[1:] if message["role"] == "user").casefold()
        voice = _Voice(task.id, sum(message["role"] == "assistant" for message in messages))
        if request.is_blank and not request.wants_review:
            return Reply(voice.pick(_BLANK))
        if task.details:
            return _from_details(task.details, request, told, voice)
        return Reply(_from_reference(facts_of(task.reference), request, told, voice))


@dataclass(frozen=True, slots=True)
class _Voice:
    """Chooses wordings by the task and the turn, so that no two people sound alike and each run sounds the same."""

    task_id: str
    turn: int

    def pick(self, wordings: Sequence[str]) -> str:
        return wordings[(zlib.crc32(self.task_id.encode("utf-8", "replace")) + self.turn) % len(wordings)]


# -- embedded tasks


@dataclass(frozen=True, slots=True)
class _Topic:
    """A phrase by which a detail is asked for, as stems without glue words; `literal` if it has no words ("&")."""

    detail: int
    stems: tuple[str, ...]
    literal: str = ""


@lru_cache(maxsize=2048)
def _topics(keys: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[_Topic, ...]:
    found = []
    for position, (name, topics) in enumerate(keys):
        for phrase in (*topics, " ".join(name_words(name))):
            stems = _without_glue(stem(word) for word in words_of(phrase))
            topic = _Topic(position, stems, "" if stems else phrase.strip())
            if (topic.stems or topic.literal) and topic not in found:
                found.append(topic)
    return tuple(found)


def _without_glue(stems: Iterable[str]) -> tuple[str, ...]:
    every = tuple(stems)
    return tuple(one for one in every if one not in _GLUE) or every


def _named_details(topics: Sequence[_Topic], question: Question) -> list[int]:
    """The details that a question names, best first and no more than it names; empty if it names none."""
    stems = _without_glue(question.stems)
    places: dict[str, list[int]] = {}
    for place, one in enumerate(stems):
        places.setdefault(one, []).append(place)
    spans: list[tuple[int, int, int]] = []
    for topic in topics:
        if topic.literal:
            spans += [(len(stems), len(stems), topic.detail)] if topic.literal in question.text else []
            continue
        size = len(topic.stems)
        for start in places.get(topic.stems[0], ()):
            if stems[start : start + size] == topic.stems and not (size == 1 and _is_verb(stems, start)):
                spans.append((start, start + size, topic.detail))
    # "Extra weight" asks for the surcharge, not also for whatever "weight" alone asks for.
    spans = [
        (start, end, detail)
        for start, end, detail in spans
        if not any(a <= start and end <= b and b - a > end - start for a, b, _ in spans)
    ]
    if spans:
        return list(dict.fromkeys(detail for _, _, detail in sorted(spans, key=lambda span: (span[0], -span[1]))))
    return _resembling_details(topics, question)


def _is_verb(stems: Sequence[str], place: int) -> bool:
    """Whether a word that may also be a thing ("can", "will") stands where it helps to ask."""
    if stems[place] not in STOP_WORDS:
        return False
    return place == 0 or (place + 1 < len(stems) and stems[place + 1] in _PRONOUNS)


def _resembling_details(topics: Sequence[_Topic], question: Question) -> list[int]:
    """The detail whose topics share the most telling words with a question that quotes no topic whole."""
    owners: dict[str, set[int]] = {}
    for topic in topics:
        for one in topic.stems:
            owners.setdefault(one, set()).add(topic.detail)
    things = [thing for thing in question.things if thing not in _GLUE]
    scores: dict[int, float] = {}
    for thing in things:
        direct = owners.get(thing, set())
        for detail in direct:
            scores[detail] = scores.get(detail, 0.0) + 1.0 / len(direct)
        if not direct:
            related = set().union(*(owners.get(other, set()) for other in SYNONYMS.get(thing, ())))
            for detail in related:
                scores[detail] = scores.get(detail, 0.0) + _SYNONYM_WEIGHT / len(related)
    if not scores:
        return []
    best = max(scores, key=lambda detail: (scores[detail], -detail))
    enough = scores[best] >= 0.4 and scores[best] >= 0.2 * len(things)
    return [best] if enough else []


def _from_details(details: Sequence[Detail], request: Request, told: str, voice: _Voice) -> Reply:
    topics = _topics(tuple((detail.name, detail.topics) for detail in details))
    chosen: list[int] = []
    wants_more = request.wants_review
    for question in request.questions:
        named = [] if question.wants_code else _named_details(topics, question)
        # Two things named in one question are two questions.
        chosen += [detail for detail in named[:MOST_SENTENCES] if detail not in chosen]
        wants_more = wants_more or (question.is_open and not named)
        if len(chosen) >= MOST_SENTENCES:
            break
    if not chosen and wants_more:
        chosen = [position for position, detail in enumerate(details) if detail.sentence.casefold() not in told][:1]
        if not chosen:
            return Reply(voice.pick(_ALL_TOLD))
    if not chosen:
        return Reply(_without_answer(request, voice))
    sentences = [details[chosen[0]].sentence]
    for position in chosen[1:MOST_SENTENCES]:
        both = f"{sentences[0]} {details[position].sentence}"
        if len(both) <= CHARACTERS and count_sentences(both) <= MOST_SENTENCES:
            sentences.append(details[position].sentence)
    text = " ".join(sentences)
    lead = voice.pick(_VERBATIM_LEADS) if len(sentences) == 1 else ""
    if len(lead) + len(text) <= CHARACTERS:
        text = lead + text
    text = fit(text)
    return Reply(text, tuple(detail.name for detail in details if detail.sentence and detail.sentence in text))


# -- other references


def _from_reference(book: FactBook, request: Request, told: str, voice: _Voice) -> str:
    if request.wants_review:
        return _missing_from_draft(book, request, told, voice)
    answers: list[str] = []
    questions = [question for question in request.questions if not question.wants_code]
    wants_more = False
    for question in questions:
        found = _best_facts(book, question, told, answers)
        wants_more = wants_more or (not found and question.is_open)
        # One question gets two facts; of several, each gets one.
        limit = MOST_SENTENCES if len(questions) == 1 else 1
        answers += found[:limit]
        if len(answers) >= MOST_SENTENCES:
            break
    if not answers and wants_more:
        answers = _untold(book, told)[:1]
        if not answers:
            return voice.pick(_ALL_TOLD)
    if not answers:
        return _without_answer(request, voice)
    lead = "To be exact, " if any(question.proposes_number for question in questions) else voice.pick(_LEADS)
    return _compose(answers, lead)


def _compose(sentences: Sequence[str], lead: str) -> str:
    """The sentences that fit, the first one after `lead`."""
    text = sentences[0]
    if lead and len(lead) + len(text) <= CHARACTERS:
        text = lead + (text if text.startswith("I ") else text[:1].lower() + text[1:])
    for sentence in sentences[1:MOST_SENTENCES]:
        longer = f"{text} {sentence}"
        if len(longer) <= CHARACTERS and count_sentences(longer) <= MOST_SENTENCES:
            text = longer
    return fit(text)


def _scores(book: FactBook, question: Question) -> dict[int, float]:
    """Fact -> how well it answers the question; empty if it touches none."""
    scores: dict[int, float] = {}
    unknown = 0
    touched = False
    for thing in question.things:
        direct = book.index.get(thing, ())
        rarity = book.rarity.get(thing, 0.0)
        seen: dict[int, float] = {}
        for fact, weight in direct:
            seen[fact] = weight * rarity
        for other in SYNONYMS.get(thing, ()):
            for fact, weight in book.index.get(other, ()):
                value = weight * book.rarity.get(other, 0.0) * _SYNONYM_WEIGHT
                if value > seen.get(fact, 0.0):
                    seen[fact] = value
        if seen:
            touched = True
        elif thing not in question.kinds:
            unknown += 1
        for fact, value in seen.items():
            scores[fact] = scores.get(fact, 0.0) + value
    kinds = kinds_named_by(question.kinds)
    # Asked about several things of which the reference knows none, a person does not answer by the kind of question.
    if kinds and (touched or unknown < 2):
        for position, fact in enumerate(book.facts):
            shared = len(kinds & fact.kinds)
            if shared:
                scores[position] = scores.get(position, 0.0) + _KIND_WEIGHT * shared**0.5
    return scores


def _best_facts(book: FactBook, question: Question, told: str, taken: Sequence[str]) -> list[str]:
    """Up to two sentences that answer a question, best first."""
    scores = _scores(book, question)
    if not scores:
        return []
    ranked: list[tuple[float, int]] = []
    asks_for_form = "input" in kinds_named_by(question.kinds)
    for position, score in scores.items():
        fact = book.facts[position]
        factor = 0.85 + 0.08 * fact.importance
        if fact.sentence[:-1].casefold() in told:
            factor *= _TOLD_WEIGHT
        if fact.kinds == _FORM_ONLY and not asks_for_form:
            factor *= _FORM_WEIGHT
        ranked.append((-score * factor, position))
    ranked.sort()
    best = -ranked[0][0]
    sentences: list[str] = []
    covered: set[int] = set()
    for negative, position in ranked[:24]:
        if -negative < _SECOND_FACT * best or len(sentences) == MOST_SENTENCES:
            break
        if position in covered or book.facts[position].sentence in taken:
            continue
        sentence, members = book.facts[position].sentence, (position,)
        group = book.groups.get(position)
        if (
            group
            and not covered & set(group[1])
            and sum(scores.get(member, 0.0) >= 0.75 * scores[position] for member in group[1]) >= 2
        ):
            sentence, members = group
        if sentences and len(sentences[0]) + len(sentence) + 15 > CHARACTERS:
            sentence, members = book.facts[position].sentence, (position,)
            if len(sentences[0]) + len(sentence) + 15 > CHARACTERS:
                continue
        covered.update(members)
        sentences.append(sentence)
    return sentences


def _untold(book: FactBook, told: str) -> list[str]:
    """Facts not told yet, the most important first."""
    order = sorted(range(len(book.facts)), key=lambda position: (-book.facts[position].importance, position))
    return [
        book.facts[position].sentence
        for position in order
        if book.facts[position].importance > 0.25 and book.facts[position].sentence[:-1].casefold() not in told
    ]


def _missing_from_draft(book: FactBook, request: Request, told: str, voice: _Voice) -> str:
    """The most important fact of which a shown draft lacks a value."""
    for sentence in _untold(book, ""):
        values = constants_in_sentence(sentence)
        if values and not all(value in request.draft for value in values):
            return _compose([sentence], "One thing to check: ")
    untold = _untold(book, told)
    return _compose(untold, "Keep in mind: ") if untold else voice.pick(_ALL_TOLD)


def _without_answer(request: Request, voice: _Voice) -> str:
    if any(question.wants_code for question in request.questions):
        return voice.pick(_DECLINES)
    if request.is_foreign:
        return voice.pick(_FOREIGN)
    meaningful = any(word not in STOP_WORDS for question in request.questions for word in words_of(question.text))
    if request.is_greeting or not meaningful:
        return voice.pick(_NUDGES)
    return voice.pick(_DONT_KNOW)
