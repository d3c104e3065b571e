"""The default Backend user: rules, no model. Answers questions from what the task hides, in plain English."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from colbench_gym.simulators.answering.aiming import aimed, continued, leaf
from colbench_gym.simulators.answering.composing import (
    CHARACTERS,
    MOST_SENTENCES,
    compose,
    count_sentences,
    fit,
    is_told,
)
from colbench_gym.simulators.answering.judging import judge
from colbench_gym.simulators.answering.matching import SOFT_TERMS, match, sentences_for
from colbench_gym.simulators.answering.reviewing import difference
from colbench_gym.simulators.facts import FactBook, facts_of
from colbench_gym.simulators.questions import LONGEST_READ, MOST_TERMS, Question, Request, understand
from colbench_gym.simulators.words import STOP_WORDS, SYNONYMS, name_words, stem, terms_of, words_of
from colbench_gym.types import Detail, Message, Reply, Task

VERSION = 1
"""Raised whenever a reply to some dialogue may change: scores against other versions are not comparable."""


_SYNONYM_WEIGHT = 0.45
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

_GLUE = frozenset(stem(word) for word in ("a", "an", "the", "of", "for", "my", "your", "our"))
_DIGIT = re.compile(r"\d")
_PRONOUNS = frozenset(stem(word) for word in ("i", "you", "we", "it", "they", "he", "she", "this", "that", "there"))


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
        return Reply(_from_reference(task, messages, request, told, voice))


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


@lru_cache(maxsize=2048)
def _mentions(sentences: tuple[str, ...]) -> Mapping[str, frozenset[int]]:
    """For each stem of the details' sentences, the details whose sentence holds it."""
    found: dict[str, set[int]] = {}
    for position, sentence in enumerate(sentences):
        for word in words_of(sentence):
            if word not in STOP_WORDS:
                found.setdefault(stem(word), set()).add(position)
    return {one: frozenset(details) for one, details in found.items()}


def _named_details(topics: Sequence[_Topic], mentions: Mapping[str, frozenset[int]], question: Question) -> list[int]:
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
    return _resembling_details(topics, mentions, question)


def _is_verb(stems: Sequence[str], place: int) -> bool:
    """Whether a word that may also be a thing ("can", "will") stands where it helps to ask."""
    if stems[place] not in STOP_WORDS:
        return False
    return place == 0 or (place + 1 < len(stems) and stems[place + 1] in _PRONOUNS)


def _resembling_details(
    topics: Sequence[_Topic], mentions: Mapping[str, frozenset[int]], question: Question
) -> list[int]:
    """The detail whose topics, or else sentence, share the most telling words with a question that quotes no topic."""
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
            related = related or mentions.get(thing, frozenset())
            for detail in related:
                scores[detail] = scores.get(detail, 0.0) + _SYNONYM_WEIGHT / len(related)
    if not scores:
        return []
    best = max(scores, key=lambda detail: (scores[detail], -detail))
    enough = scores[best] >= 0.4 and scores[best] >= 0.2 * len(things)
    return [best] if enough else []


def _from_details(details: Sequence[Detail], request: Request, told: str, voice: _Voice) -> Reply:
    topics = _topics(tuple((detail.name, detail.topics) for detail in details))
    mentions = _mentions(tuple(detail.sentence for detail in details))
    chosen: list[int] = []
    wants_more = request.wants_review
    for question in request.questions:
        named = [] if question.wants_code else _named_details(topics, mentions, question)
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


def _from_reference(task: Task, messages: Sequence[Message], request: Request, told: str, voice: _Voice) -> str:
    book = facts_of(task.reference)
    if request.wants_review:
        return _reviewed(task, book, request, told, voice)
    questions = [question for question in request.questions if not question.wants_code]
    description = _description_terms(task.description)
    answers: list[str] = []
    taken: set[int] = set()
    wants_more = False
    lead = voice.pick(_LEADS)
    for position, question in enumerate(questions):
        context = _context(messages) if position == 0 else questions[position - 1].terms
        found = match(book, question, description, context)
        said_last = messages[-2]["content"] if len(messages) > 2 else ""
        judged = continued(book, question, said_last, told) or (
            # A number in a question makes it one about that number.
            judge(book, question, description, context) or aimed(book, question, found)
            if _DIGIT.search(question.text)
            else aimed(book, question, found) or judge(book, question, description, context)
        )
        if judged is None and not question.proposes_number:
            judged = leaf(book, question)
        if judged is not None:
            if not answers:
                lead = ""
            answers += judged[: MOST_SENTENCES - len(answers)]
        elif found.scores:
            room = CHARACTERS - len(lead) - sum(len(answer) + 1 for answer in answers)
            rest = len(questions) - position - 1
            if rest and not answers:
                room //= 2
            # One question gets two sentences; of several, each gets one.
            answers += sentences_for(book, found, told, taken, room, MOST_SENTENCES if len(questions) == 1 else 1)
        else:
            # "When is it feasible?" of a function about feasibility: its main rule is what there is to say.
            is_about = not found.unknown and any(one in description for one in question.terms if one not in SOFT_TERMS)
            wants_more = wants_more or question.is_open or (is_about and not request.is_greeting)
        if len(answers) >= MOST_SENTENCES:
            break
    if not answers and wants_more:
        answers = untold(book, told)[:1]
        if not answers:
            return voice.pick(_ALL_TOLD)
    if not answers:
        return _without_answer(request, voice)
    return compose(answers, lead)


@lru_cache(maxsize=2048)
def _description_terms(description: str) -> frozenset[str]:
    return frozenset(terms_of(description[:LONGEST_READ]))


def _context(messages: Sequence[Message]) -> tuple[str, ...]:
    """Terms of the agent's message before the last one."""
    before = [message["content"] for message in messages[:-1] if message["role"] == "assistant"]
    return tuple(dict.fromkeys(terms_of(before[-1][:LONGEST_READ])))[:MOST_TERMS] if before else ()


def untold(book: FactBook, told: str) -> list[str]:
    """Facts not told yet, the most important first."""
    order = sorted(range(len(book.facts)), key=lambda position: (-book.facts[position].importance, position))
    return [
        book.facts[position].sentence
        for position in order
        if book.facts[position].importance > 0.25 and not is_told(book.facts[position], told)
    ]


def _reviewed(task: Task, book: FactBook, request: Request, told: str, voice: _Voice) -> str:
    """What a shown draft gets wrong, in words."""
    said = difference(task.reference, request.draft, book)
    if said is not None:
        return said
    rest = untold(book, told)
    return compose(rest, "Keep in mind: ") if rest else voice.pick(_ALL_TOLD)


def _without_answer(request: Request, voice: _Voice) -> str:
    if any(question.wants_code for question in request.questions):
        return voice.pick(_DECLINES)
    if request.is_foreign:
        return voice.pick(_FOREIGN)
    meaningful = any(word not in STOP_WORDS for question in request.questions for word in words_of(question.text))
    if request.is_greeting or not meaningful:
        return voice.pick(_NUDGES)
    return voice.pick(_DONT_KNOW)
