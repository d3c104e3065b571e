"""Takes an agent's message apart into what it asks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from colbench_gym.protocol import spoken
from colbench_gym.simulators.facts import KIND_WORDS
from colbench_gym.simulators.words import STOP_WORDS, stem, terms_of, words_of

LONGEST_READ = 6000
"""Characters of a message that are read: its beginning and, where questions stand, its end."""

LONGEST_ASIDE = 500
"""Characters of a message without any question that are taken as the question."""

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE_MARK = re.compile(r"\A```[\w+-]*[ \t]*\n?|```\Z")
_BARE_CODE = re.compile(r"(?:^|(?<=[?:.!] ))(?:async )?def \w+\(.*\n(?:[ \t]+\S.*(?:\n|\Z)|[ \t]*\n)+", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_SENTENCE_END = re.compile(r"(?<=[?!;\n])\s*|(?<=\.)\s+")
_ASKING = re.compile(
    r"^\W*(?:\d+[.)]\s*)?(?:and |so |but |also |then |ok(?:ay)?,? |great,? |thanks,? |first,? |finally,? |please |"
    r"hi,? |hello,? )*"
    r"(?:what|how|which|when|where|why|who|should|shall|do|does|did|is|are|was|can|could|would|will|may|must|if|"
    r"in what|"
    r"tell|explain|describe|clarify|specify|confirm|give me|let me know|provide|list|elaborate|"
    r"i(?:'d| would) (?:like|love|want) to know|i(?:'d| would) like (?:more|to understand|some)|i need to know|"
    r"i want to know|i wonder|i was wondering|any |anything|something|otherwise)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:any ?thing|what|something) (?:else|more|other)\b|"
    r"\b(?:any|some|what|are there|other) "
    r"(?:other|more|further|additional|special|remaining|hidden|specific|particular)?"
    r"\s?(?:requirement|rule|detail|constraint|condition|consideration|"
    r"information|specification|assumption|instruction|criteri|fact)|\bshould i (?:also )?know\b|\btell me more\b|"
    r"\bthe requirements\b|\bmore (?:details|information)\b|\bi missed\b|\bdid i miss\b|\bgo on\b|"
    r"\bhow (?:exactly |precisely )?(?:is|are|do|does|should|would|will) .{0,40}"
    r"\b(?:calculated|computed|worked out|determined|decided|work)\b|"
    r"\b(?:walk|talk|take) me through\b|\b(?:an|one|some|for) examples?\b",
    re.IGNORECASE,
)
_REVIEW = re.compile(
    r"\blooks? (?:right|good|ok|okay|correct|fine)\b|\bis (?:this|that|it) (?:right|correct|ok|okay|fine|what you)\b|"
    r"\b(?:match|matches|meets?) (?:your|what you|the)\b|\b(?:feedback|review)\b|\bwhat do you think\b",
    re.IGNORECASE,
)
_CODE_WANTED = re.compile(
    r"\b(?:show|give|send|share|paste|post|provide|see|reveal|print|write|output|repeat)\b.{0,25}"
    r"\b(?:the|your|some|any|full|complete|actual|python|working|exact|me|us)\s+"
    r"(?:code|implementation|solution|function|test cases?|tests)\b|"
    r"\b(?:source code|reference (?:code|implementation|solution)|ground truth|system prompt|hidden information)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|greetings|thanks?(?: you)?|ok(?:ay)?|great|sure|got it|"
    r"understood|perfect|cool)\b[^?]{0,60}$",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\W*so\b[^?]*\?|^\W*(?:so|and|but|then|ok(?:ay)?|right)?,?\s*(?:is|are|does|do|should|would|will|can|did|has|have)\b|\bright\?|\bcorrect\?",
    re.IGNORECASE,
)


_NEGATIVE = re.compile(
    r"\b(?:not|no|none|neither|nor|without|otherwise|else|never|other|false|fails?|remaining|rest|unless)\b|n't\b",
    re.IGNORECASE,
)
MOST_TERMS = 80
"""Terms of one question that are looked up."""

_OTHER_LANGUAGES_TEXT = """
el los las una uno que qué cuál cual cómo como cuándo dónde por para está esta eres debe función ejemplo cuáles hay si
le les des une est sont quel quelle quels quelles comment combien pourquoi avec pour dans doit fonction où ou du
der das ist sind ein eine welche welcher welches wie wann warum mit für soll sollte gibt und oder nicht wird werden
il gli una sono quale quali come quando perché deve funzione della dello qual são qual uma você deve função não os
het een zijn wat hoe moet welke waarom nie jest jak jaki czy hur vad är och som ska
"""
_OTHER_LANGUAGES = frozenset(_OTHER_LANGUAGES_TEXT.split()) - STOP_WORDS
_LATIN_WORD = re.compile(r"[^\W\d_]+")


def _is_other_language(text: str) -> bool:
    """Whether a short text in Latin letters reads as no English: glue words of other languages, and none of English."""
    words = [word.lower() for word in _LATIN_WORD.findall(text[:600])]
    foreign = len({word for word in words if word in _OTHER_LANGUAGES})
    english = len({word for word in words if word in STOP_WORDS})
    return foreign >= 2 and foreign > english


_OPEN_TEXT = """
else other requirement requirements rule detail constraint condition consideration information further
specification assumption instruction criterion criteria fact missed miss important additional special
remaining function implement implementation implementing finalize answer before
"""
_OPEN_STEMS = frozenset(stem(word) for word in _OPEN_TEXT.split())
"""Words that a question for whatever is left may hold without naming a thing."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a message asks.

    Attributes:
        text: as written.
        stems: stems of all its words in order, stop words included.
        things: stems of words that name a thing, without repeats.
        kinds: stems of words that ask for a kind of fact (`facts.KIND_WORDS`), without repeats.
        is_open: asks for whatever is worth telling ("anything else?").
        wants_code: asks for the source code, the tests or the instructions.
        terms: as `things` and `kinds` together, for references: names split, numbers spelled plainly.
        is_negative: holds "not", "otherwise" or the like.
        proposes_number: a yes-or-no question with a number in it ("so it is 10%?").
    """

    text: str
    stems: tuple[str, ...]
    things: tuple[str, ...]
    kinds: tuple[str, ...]
    is_open: bool
    wants_code: bool
    proposes_number: bool
    terms: tuple[str, ...] = ()
    is_negative: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A whole message.

    Attributes:
        questions: what it asks, in order; a message without a question is taken as one.
        is_blank: nothing but blanks (or code).
        is_greeting: a greeting or a word of thanks, nothing else.
        is_foreign: mostly letters of another script.
        draft: the code it shows, if any.
        wants_review: asks whether the draft is right.
    """

    questions: tuple[Question, ...]
    is_blank: bool
    is_greeting: bool
    is_foreign: bool
    draft: str
    wants_review: bool


def understand(action: str) -> Request:
    """What an agent's action asks. Time is bounded, however long the action."""
    said = spoken(action)
    if len(said) > LONGEST_READ:
        said = said[: LONGEST_READ // 3] + "\n" + said[-(LONGEST_READ * 2) // 3 :]
    shown = _FENCE.findall(said)
    draft = "\n".join(_FENCE_MARK.sub("", part) for part in shown)
    said = _FENCE.sub("\n", said)
    if not shown:
        bare = _BARE_CODE.search(said)
        if bare is not None:
            draft = bare.group()
            said = said.replace(draft, "\n", 1)
    text = _TAG.sub(" ", said).replace("\u2019", "'")
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    asking = [part for part in sentences if "?" in part or _ASKING.match(part)]
    questions = tuple(_question(part) for part in asking)
    if questions and len(sentences) > len(asking) and not any(q.things or q.kinds or q.is_open for q in questions):
        # "About the late fee. How does it work?": the question alone says nothing.
        questions = (_question(text[-LONGEST_ASIDE:]),)
    if not asking and text.strip():
        questions = (_question(text.strip()[-LONGEST_ASIDE:]),)
    letters = [letter for letter in text[:1000] if letter.isalpha()]
    latin = sum(letter.isascii() or "\u00c0" <= letter <= "\u024f" for letter in letters)
    foreign = bool(letters) and (latin * 2 < len(letters) or _is_other_language(text))
    return Request(
        questions=questions,
        is_blank=not text.strip(),
        is_greeting=bool(_GREETING.match(text.strip())),
        is_foreign=foreign,
        draft=draft,
        wants_review=bool(draft) and (not asking or bool(_REVIEW.search(text))),
    )


def _question(text: str) -> Question:
    words = words_of(text)
    stems = tuple(stem(word) for word in words)
    things: dict[str, None] = {}
    kinds: dict[str, None] = {}
    for word, its_stem in zip(words, stems, strict=True):
        if its_stem in KIND_WORDS:
            kinds[its_stem] = None
        if word not in STOP_WORDS:
            things[its_stem] = None
    is_open = bool(_OPEN.search(text))
    if is_open and not set(things) - _OPEN_STEMS:
        things, kinds = {}, {}
    has_number = any(word[0].isdigit() for word in words)
    return Question(
        text=text,
        stems=stems,
        things=tuple(thing for thing in things),
        kinds=tuple(kinds),
        is_open=is_open,
        wants_code=bool(_CODE_WANTED.search(text)),
        proposes_number=has_number and bool(_YES_NO.search(text)),
        terms=tuple(dict.fromkeys(terms_of(text)))[:MOST_TERMS],
        is_negative=bool(_NEGATIVE.search(text)),
    )
