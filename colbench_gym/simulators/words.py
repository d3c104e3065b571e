"""Words, as people use them in questions: splitting names, stems, and everyday synonyms."""

from __future__ import annotations

import re
from functools import lru_cache

_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORD = re.compile(r"\w+(?:[.,]\d+)*", re.UNICODE)

_STOP_TEXT = """
a about above again also am an and any are as at be because been before being but by can could did do does
doing don down during each exactly exact few for from further get give gives given go going good got had has
have having he hello help her here hey hi him his how i if in into is it its just kind know let like likes ll
look looks made make makes many may me might mine more most much must my need needed needs no nor not of off
ok okay on once one only or other our ours out over own please precise precisely question re s same say see
shall she should so some something specific specifically such sure t tell than thank thanks that the their
them then there these they thing things this those through to too under until up use used uses using ve very
want was way we were what when where whether which while who why will with work works would yes you your yours
function python code write writing happen happens behave behavior clarify explain describe detail details
define defined mean means particular handle handled apply applies applied consider considered take takes
expected exist exists called part play plays role involve involved set whats anything else regarding
concerning actually
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
"""Words that ask, or glue a question together, without naming anything."""

_FUNCTION_TEXT = """
a about also am an and any are as at be because been being but by can could did do does doing for from had has
have having he hello her here hey hi him his how i if in into is it its just let ll me might my no nor not of ok
okay on or our ours please re s shall she should so some such t than thank thanks that the their them then there
these they this those to too ve was we were what when where whether which while who whom why will with would yes
you your yours each other one besides except apart from
"""
FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())
"""The narrower list: words that never name anything, whatever a reference calls its values."""

_IRREGULAR = {
    "tied": "tie",
    "ties": "tie",
    "tying": "tie",
    "prices": "price",
    "people": "person",
    "children": "child",
    "criteria": "criterion",
    "indices": "index",
    "sold": "sell",
    "taken": "take",
    "took": "take",
    "given": "give",
    "paid": "pay",
    "less": "less",
    "news": "news",
    "bonus": "bonus",
    "status": "status",
    "gas": "gas",
    "series": "series",
    "his": "his",
    "men": "man",
    "women": "woman",
    "dictionary": "dict",
    "dictionaries": "dict",
}

_BRITISH = re.compile(r"is(e|ed|es|ing|er|ation|ations)$")

# Each line: words that people use for one another. A question's word also asks, more weakly, for the rest of its line.
_SYNONYM_LINES = """
price cost charge fee rate
age old year
amount quantity qty number count num total
discount reduction rebate deduction
min minimum least lowest smallest lower
max maximum most highest largest cap upper
avg average mean
percent percentage pct rate share proportion ratio
msg message text
temp temperature
weight factor multiplier coefficient
score point rating mark grade
category class classification type kind level tier group label
list array collection sequence
dict map mapping record object table lookup
salary pay wage income earning
threshold limit cutoff boundary bound minimum maximum
missing absent unknown unlisted invalid unrecognized unrecognised unsupported
empty blank none null nothing
error exception fail failure raise invalid
return output result answer
input argument parameter param
sort order rank ranking sorted ordering
tie equal draw
round decimal precision digit
keyword word term phrase
split separator delimiter separate divide
case capital uppercase lowercase sensitive insensitive
date day time
duration length time long
distance far mile kilometer
duplicate repeat twice
formula calculation calculate compute equation
default optional omit
key field column attribute property
name title
begin start initial base
end stop final finish
speed velocity
gender sex male female
bonus extra additional
penalty fine deduction
user customer client person
""".strip().splitlines()


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A crude stem that maps a word's plural, -ing and -ed forms to one string. Not itself a word."""
    word = word.lower()
    word = _IRREGULAR.get(word, word)
    word = _BRITISH.sub(r"iz\1", word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return word


def name_words(name: str) -> list[str]:
    """The lower-case words of an identifier: split at underscores, digits and changes of case."""
    return [part.lower() for part in _CAMEL.findall(name)] or [name.strip("_").lower() or "it"]


def words_of(text: str) -> list[str]:
    """The words of running text in lower case; underscored names fall apart into their words."""
    return [part.lower() for word in _WORD.findall(text) for part in word.split("_") if part]


def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _SYNONYM_LINES:
        group = {stem(word) for word in line.split()}
        for member in group:
            table.setdefault(member, set()).update(group - {member})
    return {member: frozenset(others) for member, others in table.items()}


SYNONYMS: dict[str, frozenset[str]] = _synonyms()
"""Stem -> the stems of words that people use for the same thing."""


def term(word: str) -> str:
    """The stem of a word, or a number in its plainest spelling (`1,500.0` is `1500`)."""
    if not word[:1].isdigit():
        return stem(word)
    number = word.replace(",", "")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return number or "0"


_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?%|\w+(?:[.,]\d+)*|[^\w\s\x00-\xbf\u2000-\u206f]", re.UNICODE)


def terms_of(text: str) -> list[str]:
    """The terms of a question, in order: names fall apart into their words, and `15%` is `15` and `0.15`."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token.endswith("%"):
            number = term(token[:-1])
            found += [number, term(f"{float(number) / 100:.10f}")] if len(number) < 12 else [number]
            continue
        if token[0].isdigit():
            found.append(term(token.lower()))
            continue
        if len(token) == 1 and token.isalpha() and _is_value(text, match.start()):
            # A letter as a value ("grade A") is no article.
            found.append(f"letter {token.lower()}")
        whole = [part for part in token.split("_") if part]
        for part in whole:
            split = name_words(part)
            found += [term(one) for one in (split if len(split) > 1 else [part.lower()]) if one not in FUNCTION_WORDS]
    return found


_QUOTES = ('"', "'")


def _is_value(text: str, place: int) -> bool:
    """Whether a letter that stands alone is one, rather than an article, a pronoun or the end of "isn't"."""
    before, letter, after = text[place - 1 : place], text[place], text[place + 1 : place + 2]
    if before in _QUOTES and after in _QUOTES:
        return True
    return letter not in ("a", "i", "I") and before not in ("'", "\u2019")
