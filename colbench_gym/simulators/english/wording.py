"""Numbers, texts and names, said as a person would say them; and what an expression is, seen from outside."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeGuard

DEEPEST = 14
"""Levels of nesting that are still put into words."""

VAGUE = "something worked out from the rest"
LONGEST_LISTING = 14

_SYMBOLS = {
    "`": "a backtick",
    "{": "an opening brace",
    "}": "a closing brace",
    "[": "an opening bracket",
    "]": "a closing bracket",
    "<": "a less-than sign",
    ">": "a greater-than sign",
    "=": "an equals sign",
    "\\": "a backslash",
    "|": "a vertical bar",
    "\n": "a line break",
    "\t": "a tab",
    "\r": "a carriage return",
    '"': "a double quote",
    "\x00": "a null character",
    "^": "a caret",
}
_LONE_SYMBOLS = {
    "$": "a dollar sign",
    "$ ": "a dollar sign and a blank",
    " $": "a blank and a dollar sign",
    " ": "a blank",
    "": "an empty text",
    ",": "a comma",
    ", ": "a comma and a blank",
    ".": "a full stop",
    ". ": "a full stop and a blank",
    ";": "a semicolon",
    "; ": "a semicolon and a blank",
    ":": "a colon",
    ": ": "a colon and a blank",
    "-": "a hyphen",
    " - ": "a hyphen with blanks around it",
    "_": "an underscore",
    "/": "a slash",
    "'": "an apostrophe",
    "!": "an exclamation mark",
    "?": "a question mark",
    "+": "a plus sign",
    "*": "an asterisk",
    "#": "a hash sign",
    "@": "an at sign",
    "&": "an ampersand",
    "%": "a percent sign",
    "(": "an opening parenthesis",
    ")": "a closing parenthesis",
    "\n\n": "an empty line",
}
_UNSAFE = re.compile("([" + re.escape("".join(_SYMBOLS)) + "])")
_CALL = re.compile(r"\b(\w+)\((?=[^)]*\))")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
TYPES = {
    "int": "a whole number",
    "float": "a decimal number",
    "str": "a text",
    "list": "a list",
    "dict": "a dictionary",
    "tuple": "a tuple",
    "set": "a set",
    "bool": "true or false",
    "complex": "a complex number",
}
TEXT_TESTS = {
    "isdigit": "consists of digits only",
    "isnumeric": "is numeric",
    "isdecimal": "consists of decimal digits only",
    "isalpha": "consists of letters only",
    "isalnum": "consists of letters and digits only",
    "isupper": "is in capitals",
    "islower": "is in lower case",
    "isspace": "is blank",
    "istitle": "is in title case",
}


def join(parts: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


_NOTE = " (with underscores)"


def join_texts(said: Sequence[str], word: str = "and") -> str:
    """`join` for texts that were said: that they have underscores is noted once, if it holds for all with blanks."""
    noted = [text for text in said if text.endswith(_NOTE)]
    blanks = [text for text in said if " " in text and text[:1] == '"']
    if len(noted) < 2 or len(noted) != len(blanks):
        return join(said, word)
    return f"{join([text.removesuffix(_NOTE) for text in said], word)} (with underscores where names have blanks)"


def say_number(value: int | float) -> str:
    """A number in full digits, with thousands separators from 10,000 on; never in exponent form unless enormous."""
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return "not-a-number"
        return "infinity" if value > 0 else "minus infinity"
    if abs(value) >= 1e18:
        return f"about 10 to the power of {len(f'{abs(value):.0f}') - 1}" if isinstance(value, float) else VAGUE
    exact = Decimal(repr(value))
    text = f"{exact:,f}" if abs(value) >= 10_000 else f"{exact:f}"
    return text.removesuffix(".0").replace("-", "minus ", 1) if text.startswith("-") else text.removesuffix(".0")


def say_percent(value: float) -> str:
    """`0.15` as `15%`."""
    exact = (Decimal(repr(value)) * 100).normalize()
    return f"{exact:f}%"


def say_text(value: str) -> str:
    """A string constant: quoted where it reads as text, spelled out where it is punctuation or looks like code."""
    if value in _LONE_SYMBOLS:
        return _LONE_SYMBOLS[value]
    markup = _say_markup(value) if "<" in value or ">" in value else None
    if markup is not None:
        return markup
    runs = [run for run in _UNSAFE.split(value) if run]
    if len(runs) > 11 or len(value) > 330:
        readable = " ".join(re.findall(r"[A-Za-z0-9][A-Za-z0-9'-]*", value)[:40])
        return f'a text with the words "{readable}"' if readable else "a text that is hard to spell out"
    said = []
    for run in runs:
        if run in _SYMBOLS:
            said.append(_SYMBOLS[run])
        elif run in _LONE_SYMBOLS:
            said.append(_LONE_SYMBOLS[run])
        else:
            said.append(_quoted(run))
    return said[0] if len(said) == 1 else f"{' followed by '.join(said)}"


_DATE_WORDS = {"Y": "year", "m": "month", "d": "day", "H": "hour", "M": "minute", "S": "second", "y": "short year"}
_DATE_WORDS |= {"B": "month name", "b": "short month name", "A": "weekday", "a": "short weekday", "p": "AM or PM"}


def say_date_form(form: str) -> str:
    """`%Y-%m-%d` as `year-month-day`."""
    return re.sub(r"%-?(\w)", lambda match: _DATE_WORDS.get(match[1], "something"), form)


def is_plain_text(value: str) -> bool:
    """Whether a text can stand in quotes as it is, without reading as code."""
    return not _UNSAFE.search(value) and "_" not in value and not _CALL.search(value) and '"' not in value


_ATTRIBUTES = r"((?:\s+[\w-]+(?:=(?:\"[^\"<>]*\"|'[^'<>]*'))?)*)"
_MARKUP = re.compile(
    rf"(?P<closing></(\w+)\s*>)|(?P<opening><(\w+){_ATTRIBUTES}\s*/?>)"
    rf"|(?P<begun><(\w+){_ATTRIBUTES}\s+([\w-]+)=[\"']([^\"'<>]*)\Z)|(?P<ended>\A([^<>\"']*)[\"']\s*/?>)"
)
_ATTRIBUTE = re.compile(r"([\w-]+)(?:=[\"']([^\"'<>]*)[\"'])?")


def _say_markup(value: str) -> str | None:
    """HTML by its tags: `an opening "p" tag with class "big", then "Hello", then a closing "p" tag`."""
    said: list[str] = []
    place = 0
    for match in _MARKUP.finditer(value):
        between = value[place : match.start()]
        if between.strip():
            said.append(say_text(" ".join(between.split())))
        place = match.end()
        if match["closing"]:
            said.append(f'a closing "{match[2]}" tag')
        elif match["opening"]:
            said.append(f'an opening "{match[4]}" tag{_say_attributes(match[5])}')
        elif match["begun"]:
            begins = f" that begins with {say_text(match[10].strip())}" if match[10].strip() else ""
            said.append(f'an opening "{match[7]}" tag{_say_attributes(match[8])} with a {match[9]}{begins}')
        else:
            before = f"{say_text(match[12].strip())} and " if match[12].strip() else ""
            said.append(f"{before}the end of the tag")
    if not place:
        return None
    if value[place:].strip():
        said.append(say_text(" ".join(value[place:].split())))
    return ", then ".join(said)


def _say_attributes(text: str) -> str:
    found = [f'{name} "{value}"' if value else name for name, value in _ATTRIBUTE.findall(text or "")]
    return f" with {join(found)}".replace("_", " ") if found else ""


def _quoted(run: str) -> str:
    readable = _CALL.sub(r"\1 (", run)
    if "_" not in readable.strip("_") and readable.strip("_") == readable:
        return f'"{readable}"'
    blanks = " ".join(readable.replace("_", " ").split())
    if not blanks:
        return "underscores"
    return f'"{blanks}" (with underscores)'


def singular(phrase: str) -> str:
    """The last word of `phrase` without its plural ending."""
    if phrase.endswith("ies") and len(phrase) > 4:
        return phrase[:-3] + "y"
    if phrase.endswith(("sses", "xes", "ches", "shes")):
        return phrase[:-2]
    if phrase.endswith("s") and not phrase.endswith(("ss", "us", "is")):
        return phrase[:-1]
    return phrase


OPEN_ASIDE, CLOSE_ASIDE = "\x01", "\x02"
_ASIDE = re.compile(f"{OPEN_ASIDE}([^{OPEN_ASIDE}{CLOSE_ASIDE}]*){CLOSE_ASIDE}")
_LETTERS = "XYZPQRSTUVW"
_MARK = "\x05"
_MARKED = re.compile(f"{_MARK}(\\d+){_MARK}")


def aside(phrase: str) -> str:
    """Marks a phrase that gets a letter of its own in the finished sentence (see `with_asides`)."""
    return f"{OPEN_ASIDE}{phrase}{CLOSE_ASIDE}"


def with_asides(sentence: str, taken: Iterable[str] = ()) -> str:
    """`the price times X, where X is 1 minus the discount`: brackets that can be read out loud.

    Args:
        sentence: may hold phrases marked by `aside`, one inside another.
        taken: names (in any case) that are no letters to use.
    """
    if OPEN_ASIDE not in sentence:
        return sentence
    used = {name.upper() for name in taken}
    letters = [letter for letter in _LETTERS if letter not in used]
    phrases: list[str] = []

    def marked(match: re.Match[str]) -> str:
        phrase = match.group(1)
        if phrase not in phrases:
            phrases.append(phrase)
        return f"{_MARK}{phrases.index(phrase)}{_MARK}"

    while _ASIDE.search(sentence):
        sentence = _ASIDE.sub(marked, sentence)
    sentence = sentence.replace(OPEN_ASIDE, "").replace(CLOSE_ASIDE, "")
    # Letters in the order in which they are read.
    order: list[int] = []
    pending = [sentence]
    while pending:
        for number in _MARKED.findall(pending.pop(0)):
            if int(number) not in order:
                order.append(int(number))
                pending.append(phrases[int(number)])
    names = {number: letters[place] if place < len(letters) else "the rest" for place, number in enumerate(order)}
    meanings = [f"{_MARK}{number}{_MARK} is {phrases[number]}" for number in order]
    whole = f"{sentence}, where {', and '.join(meanings)}"
    return _MARKED.sub(lambda match: names[int(match.group(1))], whole)


def an(phrase: str) -> str:
    """A phrase with its indefinite article."""
    return f"{'an' if phrase[:1].lower() in tuple('aeiou') else 'a'} {phrase}"


def possessive(owner: str) -> str:
    """`the song's`."""
    return f"{owner}'" if owner.endswith("s") else f"{owner}'s"


def strip_article(phrase: str) -> str:
    for article in ("the ", "a ", "an "):
        if phrase.startswith(article):
            return phrase[len(article) :]
    return phrase


def strip_each(phrase: str) -> str:
    return phrase.removeprefix("each ")


def ordinal(index: int) -> str:
    return ORDINALS[index] if index < len(ORDINALS) else f"entry number {index + 1}"


def integer(node: ast.AST | None) -> int | None:
    """The value of an integer literal, with or without a minus sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


def length_of(node: ast.AST) -> ast.expr | None:
    """`x` in `len(x)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0]
    return None


def is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "str"
    return isinstance(node, ast.JoinedStr)


def is_mask(node: ast.AST) -> TypeGuard[ast.BinOp]:
    """Whether a node is an `&` or an `|`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr)


def is_truth(node: ast.AST) -> bool:
    """Whether an expression reads as a yes-or-no condition."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.BoolOp):
        return all(is_truth(value) for value in node.values)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id in ("any", "all", "isinstance", "bool")
        return isinstance(node.func, ast.Attribute) and (
            node.func.attr in TEXT_TESTS or node.func.attr in ("startswith", "endswith")
        )
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))


def names_in(nodes: Iterable[ast.AST]) -> list[str]:
    """The identifiers and attribute names in these trees, in order of `ast.walk`."""
    found: list[str] = []
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name):
                found.append(node.id)
            elif isinstance(node, ast.Attribute):
                found.append(node.attr)
            elif isinstance(node, ast.arg | ast.keyword) and node.arg:
                found.append(node.arg)
    return found
