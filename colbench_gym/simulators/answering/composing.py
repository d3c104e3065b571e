"""Sentences put together: at most two, at most 400 characters, nothing said twice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from colbench_gym.protocol import USER_CHARACTERS, USER_SENTENCES
from colbench_gym.simulators.reading.model import Fact

MOST_SENTENCES = USER_SENTENCES
CHARACTERS = USER_CHARACTERS["backend"]

_SENTENCE_BREAK = re.compile(r"[.!?]+[\"')]*(?=\s|$)")
_KEEPS_CAPITAL = re.compile(r"(?:I|[XYZPQRSTUVW]|[A-Z]{2,}\w*)\b")


def _ends(text: str) -> list[int]:
    """Where the sentences of a reply end. A quoted text belongs to the sentence it stands in, whatever it holds."""
    return [
        match.end()
        for match in _SENTENCE_BREAK.finditer(text)
        if (text.count('"', 0, match.start()) % 2 == 0 or match.end() == len(text))
    ]


def count_sentences(text: str) -> int:
    """Sentences of a reply: full stops, question and exclamation marks before a blank, outside quoted texts."""
    return len(_ends(text)) or bool(text.strip())


def reads_short(text: str) -> bool:
    """Whether a reply has at most `MOST_SENTENCES` sentences even for a reader who counts those inside quotes."""
    return len(_SENTENCE_BREAK.findall(text)) <= MOST_SENTENCES


def fit(text: str) -> str:
    """At most `MOST_SENTENCES` sentences and `CHARACTERS` characters of `text`, cut at a sentence's or a word's end."""
    ends = _ends(text)
    if len(ends) > MOST_SENTENCES:
        text = text[: ends[MOST_SENTENCES - 1]]
    if len(text) <= CHARACTERS:
        return text
    ends = [end for end in ends if end <= CHARACTERS]
    if ends and ends[-1] > CHARACTERS // 3:
        return text[: ends[-1]]
    return text[: CHARACTERS - 2].rsplit(" ", 1)[0].rstrip(" ,;:") + "."


def decapitalised(sentence: str) -> str:
    """A sentence as it stands after a comma or a semicolon."""
    return sentence if _KEEPS_CAPITAL.match(sentence) else sentence[:1].lower() + sentence[1:]


def joined(facts: Sequence[Fact]) -> str:
    """Several facts in one sentence; what a fact has in common with the one before it is said once."""
    said = ""
    before: tuple[str, ...] = ()
    for fact in facts:
        parts = fact.parts or (fact.sentence,)
        shared = 0
        while shared < len(parts) - 1 and shared < len(before) - 1 and parts[shared] == before[shared]:
            shared += 1
        text = ", ".join(parts[shared:]).rstrip(".")
        said = f"{said}; {decapitalised(text)}" if said else text
        before = parts
    return f"{said}."


def is_told(fact: Fact, told: str) -> bool:
    """Whether every part of a fact was said. `told` is what the person said so far, case folded."""
    return all(part.casefold().rstrip(".") in told for part in fact.parts or (fact.sentence,))


def compose(sentences: Sequence[str], lead: str = "") -> str:
    """The sentences that fit, the first one after `lead`."""
    text = sentences[0]
    if lead and len(lead) + len(text) <= CHARACTERS:
        text = lead + (decapitalised(text) if lead.rstrip().endswith((",", ":", ";")) else text)
    for sentence in sentences[1:MOST_SENTENCES]:
        longer = f"{text} {sentence}"
        if len(longer) <= CHARACTERS and reads_short(longer):
            text = longer
    return fit(text)
