"""What a language model's reply has to be before it counts as the person's words: pure functions over text.

Nothing here ever adds a word. A reply is cleaned of what is no speech (reasoning, labels, broken characters), cut to
the protocol's size, and then accepted or found faulty; what to do about a fault is the caller's business. Cleaning and
cutting serve both domains; the faults here are those of Backend (Frontend: `page_replies`).
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from colbench_gym import foreign_code
from colbench_gym.protocol import ANSWER_MARKER, OUTPUT_MARKER, USER_CHARACTERS, USER_SENTENCES
from colbench_gym.simulators.words import STOP_WORDS, stem
from colbench_gym.types import Detail, Domain, Message, Task

FAULTS: Mapping[str, str] = {
    "empty": "it held no words",
    "unfinished": "it was cut off before its first sentence ended",
    "only reasoning": "it held thoughts but nothing said aloud",
    "tool call": "it called a tool instead of speaking",
    "content filter": "the server's content filter held it back",
    "refusal": "it refused to answer, which the person would not do",
    "cannot see": "it claimed that it could not see what it was given",
    "role confusion": "it did not speak as the person, but as an assistant or for somebody else",
    "prompt echo": "it repeated or mentioned its instructions",
    "reference echo": "it read the hidden function out",
    "code": "it held code, operators or names of inner variables",
}
"""Name of a fault -> what was wrong with the reply, as a reminder may say it."""

_ECHO_WORDS = 5
"""So many words in a row that also stand in the prompt are no accident."""

# -- cleaning

_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_OPEN = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_REASONING_END = re.compile(r"</(think|thinking|reasoning)>", re.IGNORECASE)
_END_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|<(start|end)_of_turn>", re.IGNORECASE)
_OWN_LABEL = re.compile(r"^\W{0,2}(user|human|person|me|answer|reply|response)\W{0,2}:\W{0,2}\s+", re.IGNORECASE)
_NEXT_SPEAKER = re.compile(r"\n\s*\W{0,2}(?:assistant|agent|user|human|programmer)\W{0,2}:\s", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022\u2013]|\d{1,2}[.)])\s+")
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_EMPHASIS = re.compile(r"(\*\*|\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1(?!\w)")
_QUOTED_WHOLE = re.compile(r"^[\"\u201c](?P<inner>[^\"\u201c\u201d]+)[\"\u201d]$")
_UNSEEN = frozenset("\ufeff\u200b\ufffd")


def without_reasoning(content: str) -> str | None:
    """What follows a reasoning model's thoughts; None if the thoughts never end.

    Thoughts that a server leaves in the reply are its set-up's fault and not the person's: they are dropped, as the
    protocol drops an agent's. Some chat templates open the thoughts in the prompt, so that only their end is seen.
    """
    content = _REASONING.sub("", content)
    ends = list(_REASONING_END.finditer(content))
    if ends:
        content = content[ends[-1].end() :]
    return None if _REASONING_OPEN.search(content) else content


def clean(content: str) -> str:
    """The words of a reply on one line: no own label, emphasis, list marks, broken or unseen characters.

    A stop token, or a line in which somebody else begins to speak, ends it.
    """
    content = content.strip()
    for end in (_END_TOKEN, _NEXT_SPEAKER):
        found = end.search(content)
        content = content[: found.start()] if found else content
    content = "".join(one for one in content if one.isspace() or not _is_broken(one)).strip().rstrip("\u200d")
    content = _OWN_LABEL.sub("", content)
    text, blank_before = "", False
    for line in content.splitlines():
        words = " ".join(_BULLET.sub("", _HEADING.sub("", line)).split())
        if not words:
            blank_before = True
            continue
        if text and text[-1].isalnum():
            # A list stays one sentence, as when it is read out; a paragraph's end is a sentence's.
            text += ";" if _BULLET.match(line) else "." if blank_before else ""
        text, blank_before = f"{text} {words}" if text else words, False
    text = _EMPHASIS.sub(r"\2", text)
    quoted = _QUOTED_WHOLE.match(text)
    return (quoted["inner"] if quoted else text).strip()


def _is_broken(character: str) -> bool:
    """Control characters, halves of characters beyond the first plane, and the mark of undecodable bytes."""
    return character in _UNSEEN or unicodedata.category(character) in ("Cc", "Cs")


# -- cutting

_SENTENCE_END = re.compile(r"(?:[.!?]+[\"'\u201d\u2019)\]]*(?=\s|$))|[\u3002\uff01\uff1f]+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|etc|no|nos|incl|excl|max|min|mr|mrs|ms|dr|st))\.$", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"[,;:](?=\s)|\s(?=[(\u2013\u2014])")


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of a text end (offsets behind the full stop, question or exclamation mark)."""
    ends = []
    for match in _SENTENCE_END.finditer(text):
        abbreviated = _ABBREVIATION.search(text[: match.end()]) and text[match.end() :].lstrip()[:1].islower()
        if not abbreviated:
            ends.append(match.end())
    return ends


def finished(text: str) -> str:
    """The finished sentences of a text that its server cut off: "the fee is 1" may have been on its way to 15."""
    ends = [end for end in sentence_ends(text) if end < len(text.rstrip())]
    return text[: ends[-1]] if ends else ""


def fit(text: str, domain: Domain = "backend") -> str:
    """A reply of the protocol's size, cut at a sentence's end, else a clause's, else a word's.

    Backend: at most two sentences and 400 characters. Frontend: at most 1000 characters, at a sentence's end only if
    that leaves more than half of them: a list read out is one long sentence.

    A sentence said several times in a row is said once. A cut inside a sentence leaves no figure without its unit at
    the end and shows as `...`. A word longer than the whole reply is cut between two visible characters, never inside
    one (an emoji may be many code points).
    """
    most, characters = (USER_SENTENCES if domain == "backend" else None), USER_CHARACTERS[domain]
    kept: list[str] = []
    for start, end in pairwise([0, *sentence_ends(text), len(text)]):
        sentence = text[start:end].strip()
        if sentence and not (kept and sentence.casefold() == kept[-1].casefold()):
            kept.append(sentence)
        if len(kept) == most:
            break
    text = " ".join(kept)
    if len(text) <= characters:
        return text
    whole = [end for end in sentence_ends(text) if end <= characters]
    if whole and (domain == "backend" or whole[-1] > characters // 2):
        return text[: whole[-1]]
    head = text[: characters - 3]
    clauses = [match.start() for match in _CLAUSE_END.finditer(head)]
    if clauses and clauses[-1] > characters // 2:
        return head[: clauses[-1]] + "..."
    words = head.split(" ")[:-1]
    while words and any(character.isdigit() for character in words[-1]):
        words.pop()
    if sum(map(len, words)) > characters // 4:
        return " ".join(words).rstrip(" ,;:") + "..."
    return head[: visible_end(text, len(head))] + "..."


def visible_end(text: str, limit: int) -> int:
    """The greatest offset up to `limit` that lies between two visible characters of `text`."""
    end = min(limit, len(text))
    while 0 < end < len(text) and _joins(text, end):
        end -= 1
    return end


def _joins(text: str, offset: int) -> bool:
    """Whether the characters before and after an offset belong to one visible character."""
    before, after = text[offset - 1], text[offset]
    if after in "\u200d\ufe0e\ufe0f" or before == "\u200d" or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if _is_flag_half(before) and _is_flag_half(after):
        # Flags are pairs: inside one if an odd number of halves comes before.
        run = offset
        while run > 0 and _is_flag_half(text[run - 1]):
            run -= 1
        return (offset - run) % 2 == 1
    return False


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


# -- faults

_NO_CODE = r"(?![^.!?]*\b(?:code|source|function|implementation|program|python|snippet|formula)\b)"
_APOSTROPHE = r"(?:'|\u2019)"
_I_AM = rf"\bI(?:{_APOSTROPHE}m| am)"
_CANNOT = (
    rf"(?:\bI (?:can{_APOSTROPHE}?t|cannot|can not|won{_APOSTROPHE}t)"
    rf"|{_I_AM} (?:unable to|not able to))\s+"
)
_REFUSAL = re.compile(
    rf"{_CANNOT}{_NO_CODE}(?:help (?:you|with)|assist|comply|fulfil|answer (?:that|this|your|the|any)|discuss|do that"
    r"|provide (?:that|this|an answer|specific|any (?:more |further |additional )?(?:information|details|help)))\b"
    rf"|{_I_AM} sorry,? but (?:I (?:can{_APOSTROPHE}?t|cannot)|{_I_AM} (?:unable|not able))\b{_NO_CODE}"
    r"|\b(?:against|violates?) (?:my|our|the) (?:guidelines|policy|policies|programming)\b",
    re.IGNORECASE,
)
_ONLY_SORRY = re.compile(rf"\W*(?:(?:{_I_AM} (?:so |very |really )?sorry|sorry|my apologies)\W*)+", re.IGNORECASE)
_CANNOT_SEE = re.compile(
    # "I can't read code, I'm no programmer" is what the person would say.
    rf"{_CANNOT}(?:see|view|access|open|read)\b"
    r"(?! (?:any |the |your )?code\b| (?:why|how|any reason|a reason|that (?:being|mattering|happening)))"
    rf"|\bI (?:don{_APOSTROPHE}t|do not) have (?:any )?(?:access|visibility)\b"
    r"|(?<!if )(?<!when )\bno (?:information|context) (?:was|were|has been) (?:provided|given|included)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    rf"(?:\bas|{_I_AM}) an? (?:\w+ )?(?:AI|artificial intelligence|language model|LLM|chatbot)\b"
    r"|\b(?:AI|virtual) assistant\b|\b(?:AI|large|my) language model\b"
    r"|\bhow (?:can|may) I (?:help|assist) you\b|\b(?:here|ready) to (?:help|assist) (?:you|with)\b"
    rf"|{_I_AM} (?:the |an? )?(?:agent|assistant|programmer|user)\b|\b(?:agent|user|programmer) is you\b"
    r"|(?:^|[.!?]\s*)\W{0,2}(?:the )?(?:assistant|agent|AI|programmer)\W{0,2}:\s",
    re.IGNORECASE,
)
_MENTIONS_PROMPT = re.compile(
    r"\b(?:hidden information|what only (?:you|I) know|system prompt|dialogue history|ground truth|my instructions"
    r"|(?:provided|given) (?:function|reference|instructions)"
    r"|reference (?:code|function|implementation|solution))\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|~~~"
    r"|[=<>]|\*\*|(?<!:)//|&&|\|\||\w\s\+\s\w|\w\s*\*\s*\w"
    r"|\b[A-Za-z_][\w.]*\((?!e?s\)|ies\))"
    r"|\w\[[\"'\w:-]"
    r"|\bdef\s+\w+\b|\belif\b|\blambda\s+\w+\s*[:,]|\bfrom\s+\w+\s+import\b|\{\s*[\"']\w+[\"']\s*:",
)
_CODE_LINE = re.compile(
    r"^\s*(?:return\s+\S+|import\s+\w+|for\s+\w+\s+in\s+\S+:|while\s.*:|else:|try:)\s*$", re.MULTILINE
)
_BLANK_TO_FILL = re.compile(r"<[A-Za-z][A-Za-z ]*>")
"""How people write a form: <last name>, <first name>."""

_UNDERSCORED = re.compile(r"\b(?:[A-Za-z]\w*_\w+|_+[A-Za-z]\w*)\b")
_WORD = re.compile(r"\w+")
_STRING = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'")
_QUOTES = "\"'`\u2018\u2019\u201c\u201d"


def shingles(text: str, length: int = _ECHO_WORDS) -> frozenset[tuple[str, ...]]:
    """Every run of `length` words in a text."""
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[place : place + length]) for place in range(len(words) - length + 1))


@dataclass(frozen=True, slots=True)
class Reference:
    """The hidden function as far as replies are checked against it.

    Attributes:
        sayable: fixed texts that stand in it (results, keys, formats), and the names of its parameters and of its
            inputs' attributes; the person may say them whatever they look like.
        code: runs of words of its code, fixed texts and comments left out.
    """

    sayable: tuple[str, ...]
    code: frozenset[tuple[str, ...]]


@lru_cache(maxsize=2048)
def read_reference(reference: str) -> Reference:
    """Takes the hidden function apart. One that Python cannot parse is read as text."""
    try:
        tree = foreign_code.parse(reference)
    except SyntaxError:
        found = {one or other for one, other in _STRING.findall(reference)}
        return Reference(_longest_first(found), shingles(_STRING.sub(" ", reference)))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
            node.value = ""
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found |= {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
    return Reference(_longest_first(found), shingles(ast.unparse(tree)))


def _longest_first(texts: Iterable[str]) -> tuple[str, ...]:
    odd = (text.strip() for text in texts if text.strip() and not text.strip().isalpha())
    return tuple(sorted(set(odd), key=lambda text: (-len(text), text)))


def fault_in(
    text: str, task: Task, messages: Sequence[Message], prompt: frozenset[tuple[str, ...]], raw: str = ""
) -> str | None:
    """The first fault (a key of `FAULTS`) of a cleaned and fitted reply; None if it may be said.

    Args:
        text: the reply.
        task: whose description and fixed texts the reply may quote.
        messages: the dialogue; names that were used in it may be used again.
        prompt: `shingles` of the prompt's own text.
        raw: the reply before `clean`, for what shows only in its lines.
    """
    if says_nothing(text):
        return "empty"
    reference = read_reference(task.reference)
    said = _without(text, reference.sayable)
    if ANSWER_MARKER in text or OUTPUT_MARKER in text:
        return "role confusion"
    description = task.description.casefold()
    for fault, pattern in (
        ("role confusion", _ROLE),
        ("cannot see", _CANNOT_SEE),
        ("refusal", _REFUSAL),
        ("prompt echo", _MENTIONS_PROMPT),
    ):
        # A task may be about assistants, or about prompts.
        if any(match.group().strip(" .!?").casefold() not in description for match in pattern.finditer(said)):
            return fault
    if _ONLY_SORRY.fullmatch(said):
        return "refusal"
    known = shingles(task.description)
    if (shingles(said) - known) & prompt:
        return "prompt echo"
    if (shingles(said) - known) & reference.code:
        return "reference echo"
    if _CODE.search(_BLANK_TO_FILL.sub(" ", said)) or _CODE_LINE.search(raw):
        return "code"
    names = set(_UNDERSCORED.findall(said))
    if names:
        used = " ".join([task.description, *(message["content"] for message in messages)])
        if names - set(_UNDERSCORED.findall(used)):
            return "code"
    return None


def says_nothing(text: str) -> bool:
    """Whether a text has neither letters nor digits nor a sign that speaks: a thumbs-up does, an ellipsis does not."""
    return not any(character.isalnum() or unicodedata.category(character) == "So" for character in text)


def _without(text: str, sayable: Iterable[str]) -> str:
    """`text` without the fixed texts it quotes. Short ones ("=", "->") count as quoted only inside quotation marks."""
    for fixed in sayable:
        if fixed not in text:
            continue
        if len(fixed) > 3 or "_" in fixed:
            text = text.replace(fixed, " ")
        else:
            text = re.sub(rf"[{_QUOTES}]\s*{re.escape(fixed)}\s*[{_QUOTES}]", " ", text)
    return text


# -- what a reply gave away

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_COUNTED = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_NUMBER_WORDS = {
    **{word: str(number) for number, word in enumerate(_COUNTED.split())},
    "half": "0.5",
    "twice": "2",
    "double": "2",
    "doubled": "2",
    "triple": "3",
    "thirty": "30",
    "fifty": "50",
}
_NEGATION = re.compile(r"\b(?:not?|never|nothing|none|without|nor)\b|n['\u2019]t\b", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)['\"\u2018\u201c]([^'\"\u2019\u201d]+)['\"\u2019\u201d](?!\w)")


@dataclass(frozen=True, slots=True)
class _Content:
    """What a sentence says, as far as it can be compared: figures, fixed texts, telling words, all words, denial."""

    figures: frozenset[str]
    stems: frozenset[str]
    words: frozenset[str]
    denies: bool


@lru_cache(maxsize=8192)
def _content(text: str) -> _Content:
    figures = {figure.replace(",", "").rstrip(".:") for figure in _FIGURE.findall(text)}
    figures |= {quoted.casefold() for quoted in _QUOTED.findall(text)}
    words = [word.casefold() for word in _WORD.findall(text)]
    figures |= {_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS and word != "one"}
    stems = frozenset(stem(word) for word in words if word not in STOP_WORDS and word.isalpha())
    return _Content(frozenset(figures), stems, frozenset(map(stem, words)), _NEGATION.search(text) is not None)


def disclosed(text: str, details: Sequence[Detail]) -> tuple[str, ...]:
    """Names of the details whose values evidently stand in a reply, in the details' order.

    Conservative, so that a learned critic is measured against what was certainly said: a detail counts if its sentence
    stands in the reply, or if one sentence of the reply holds all its figures and fixed texts and at least two fifths
    of its telling words (a detail without figures: two thirds of all its words), denies as it does, resembles no other
    detail as much, and is no question. A paraphrase with other words or other units ("a quarter" for 25%) is missed.
    """
    whole = " ".join(text.casefold().split())
    ends = [0, *sentence_ends(text), len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(ends)]
    parts = [_content(sentence) for sentence in sentences if sentence and not sentence.endswith("?")]
    verbatim = {detail.name for detail in details if _holds(whole, " ".join(detail.sentence.casefold().split()))}
    close: set[str] = set()
    for part in parts:
        likeness = {detail.name: _likeness(part, _content(detail.sentence)) for detail in details}
        best = max(likeness.values(), default=0.0)
        candidates = [name for name, value in likeness.items() if value == best > 0.0]
        # Where two details fit equally well, neither is evident.
        close |= set(candidates) if len(candidates) == 1 else set()
    return tuple(detail.name for detail in details if detail.name in verbatim | close)


def _holds(whole: str, sentence: str) -> bool:
    """Whether a sentence stands in a text as such: "it costs $4" does not stand in "it costs $4.50"."""
    core = sentence.rstrip(".!?")
    return bool(core) and re.search(rf"(?<!\w){re.escape(core)}(?![\w%]|[.,]\d)", whole) is not None


def _likeness(said: _Content, detail: _Content) -> float:
    """Share of a detail's telling words in a sentence; 0 if the sentence does not evidently say it."""
    if said.denies != detail.denies or not detail.figures <= said.figures or not detail.stems:
        return 0.0
    share = len(said.stems & detail.stems) / len(detail.stems)
    enough = share >= 0.4 if detail.figures else len(said.words & detail.words) >= 2 / 3 * len(detail.words)
    return share if enough else 0.0
