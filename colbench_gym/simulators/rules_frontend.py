"""The default Frontend user: rules, no model. Looks at both pages and says how they differ, in plain English."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from colbench_gym.errors import SimulatorError
from colbench_gym.grading.render import Geometry, Unrenderable, render
from colbench_gym.grading.sharing import Cache
from colbench_gym.protocol import USER_CHARACTERS, clip, last_snippet
from colbench_gym.simulators.seeing.differences import Difference, differences, is_other_page, whole
from colbench_gym.simulators.seeing.model import Page
from colbench_gym.simulators.seeing.reading import read_page
from colbench_gym.simulators.words import STOP_WORDS
from colbench_gym.types import Message, Reply, Task

VERSION = 1
"""Raised whenever a reply to some dialogue may change: scores against other versions are not comparable."""

_seen: Cache[Page | None] = Cache(256)
"""How pages look, by geometry, renderer and page; None if they cannot be rendered. One for all users of the process."""
_BREATH = 450
"""After so many characters a person begins no further sentence."""
_A_LITTLE = 300
"""The same before there is a page to look at."""

_AFRESH = (
    "This is quite different from what I have in mind, so please start afresh.",
    "That isn't my page yet, please start afresh.",
)
_AFRESH_AGAIN = "This still isn't my page, please start afresh."
_NO_PAGE = (
    "Here is what I have in mind.",
    "Let me describe it a little.",
    "I picture it like this.",
)
_DONE = (
    "That looks right to me, I can't see any difference.",
    "Perfect, that is the page I had in mind.",
    "I see no difference any more, that's it.",
)
_BROKEN = "Your page does not show at all on my side, it seems to be too heavy. Please make a simpler one."
_ALL_TOLD = "That's all I have in mind. Please show me a page, then I can say what is different."

_TOPIC_WORDS = {
    "colour": "color colour colors colours background palette shade dark light theme tint",
    "text": "text texts wording words heading headings title copy read reads say says content font",
    "layout": "layout section sections missing order column columns row rows grid card cards arrange structure",
    "picture": "image images picture pictures photo photos logo icon",
    "size": "size sizes large larger small smaller big bigger tall height width wide",
    "space": "space spacing margin margins padding gap gaps align alignment aligned centred centered",
    "style": "bold italic style styles rounded shadow border font",
}
_LONGEST_SENTENCE = 900
_SHOULD = re.compile(r'"[^"]*"| should ')
_WORD = re.compile(r"[a-z]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_PAGE = re.compile(r"<.*>", re.DOTALL)
_SAID_ANYHOW = frozenset(("page", "look", "right", "change", "changed", "different", "difference", "want", "like"))


class RulesFrontendUser:
    """The rule-based Frontend user.

    A reply is a function of the task and the dialogue alone. What is remembered between calls is only how pages look;
    one object may serve any number of dialogues and threads.

    `Reply.disclosed` holds a name for each thing told: `KIND:WORDS`, where WORDS are the first of the text concerned
    and KIND is one of `missing`, `extra`, `text`, `colour`, `style`, `size`, `layout`, `picture`, `surface`, `height`,
    `width`, `widths`, `space`, `inset`; or `background`, or `page` for a description of the page from nothing.

    Args:
        geometry, renderer: how both pages are rendered; see `colbench_gym.grading.render`.
    """

    def __init__(self, *, geometry: Geometry = "default", renderer: str = "chromium") -> None:
        self._geometry: Geometry = geometry
        self._renderer = renderer

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two users must share for their scores to be comparable."""
        return {
            "kind": "rules",
            "domain": "frontend",
            "version": VERSION,
            "geometry": self._geometry,
            "renderer": self._renderer,
        }

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """The next thing the person says: at most 1000 characters, never code.

        Raises:
            SimulatorError: the reference cannot be rendered.
            GraderError, MissingExtra: this machine cannot render pages.
        """
        return self.respond(task, messages).text

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`, with names of what the reply told; see the class."""
        wanted = self._seen(task.reference)
        if wanted is None:
            raise SimulatorError(f"task {task.id}: its reference cannot be rendered. Mend: leave the task out")
        turn = sum(message["role"] == "assistant" for message in messages)
        pick = zlib.crc32(task.id.encode("utf-8", "replace")) + turn
        snippet = last_snippet(messages)
        if snippet is None:
            return _described(wanted, turn, _NO_PAGE[pick % len(_NO_PAGE)])
        shown = self._seen(snippet)
        if shown is None:
            return Reply(_BROKEN)
        told = "\n".join(message["content"] for message in messages[1:] if message["role"] == "user")
        if is_other_page(wanted, shown):
            again = "start afresh" in told
            return _from_nothing(wanted, _AFRESH_AGAIN if again else _AFRESH[pick % len(_AFRESH)], told)
        found = differences(wanted, shown)
        if not found:
            return Reply(_DONE[pick % len(_DONE)])
        last = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
        return _said(_by_question(found, last), told)

    def _seen(self, html: str) -> Page | None:
        """How a page looks; None if it cannot be rendered."""
        return _seen.all([(self._geometry, self._renderer, html)], lambda _: [self._look(html)])[0]

    def _look(self, html: str) -> Page | None:
        try:
            return read_page(render(html, geometry=self._geometry, renderer=self._renderer))
        except Unrenderable:
            return None


def _described(wanted: Page, turn: int, opening: str) -> Reply:
    """One part of the description for each reply, until all is told."""
    chunks: list[list[str]] = [[opening]]
    for sentence in whole(wanted):
        if len(" ".join(chunks[-1])) > _A_LITTLE:
            chunks.append([])
        chunks[-1].append(sentence)
    if turn > len(chunks):
        return Reply(_ALL_TOLD)
    return Reply(_fitting(chunks[max(turn, 1) - 1]), ("page",))


def _from_nothing(wanted: Page, opening: str, told: str) -> Reply:
    sentences = [_again(sentence, told) for sentence in map(_short, whole(wanted))]
    return Reply(_fitting([opening, *sentences]), ("page",))


def _fitting(sentences: Sequence[str]) -> str:
    """As many sentences as a person says in one breath."""
    text = sentences[0]
    for sentence in map(_short, sentences[1:]):
        if len(text) > _BREATH or len(text) + 1 + len(sentence) > USER_CHARACTERS["frontend"]:
            break
        text = f"{text} {sentence}"
    return text


def _short(sentence: str) -> str:
    """A sentence that fits into a reply: only the beginnings of long texts are quoted if need be."""
    for length in (200, 100, 40, 20):
        if len(sentence) <= _LONGEST_SENTENCE:
            return sentence
        sentence = re.sub(rf'"([^"]{{{length}}})[^"]+"', r'"\1…"', sentence)
    return clip(sentence, _LONGEST_SENTENCE)


def _again(sentence: str, told: str) -> str:
    """A sentence, with "still" where it was said before; what stands in quotation marks is left alone."""
    done = sentence not in told

    def add(match: re.Match[str]) -> str:
        nonlocal done
        if done or match[0].startswith('"'):
            return match[0]
        done = True
        return " should still "

    return _SHOULD.sub(add, sentence)


def _by_question(found: list[Difference], message: str) -> list[Difference]:
    """What a question is about comes first."""
    asked = [part for part in _SENTENCE_END.split(_PAGE.sub(" ", message).strip()) if part.endswith("?")]
    words = set(_WORD.findall(" ".join(asked).casefold())) - STOP_WORDS - _SAID_ANYHOW
    if not words:
        return found
    topics = {topic for topic, names in _TOPIC_WORDS.items() if words & set(names.split())}

    def rank(one: Difference) -> float:
        common = words & {word for word in _WORD.findall(one.about.casefold()) if len(word) > 3}
        return one.weight * (8.0 if one.topic in topics else 1.0) * (4.0 if common else 1.0)

    return sorted(found, key=lambda one: -rank(one))


def _said(found: Sequence[Difference], told: str) -> Reply:
    """The first differences that fit into one reply; what was said before in the same words is said with "still"."""
    text = ""
    names: dict[str, None] = {}
    for difference in found:
        for sentence in map(_short, difference.sentences):
            said = _again(sentence, told)
            if len(text) > _BREATH or len(text) + 1 + len(said) > USER_CHARACTERS["frontend"]:
                break
            text = f"{text} {said}".lstrip()
            names[difference.key] = None
    return Reply(text, tuple(names))
