"""Text patterns (regular expressions), said in words."""

from __future__ import annotations

import re

from colbench_gym.simulators.english.wording import join, say_text

_CLASSES = {
    "d": "digit",
    "w": "letter, digit or underscore",
    "s": "blank",
    "D": "character that is no digit",
    "W": "character that is no letter, digit or underscore",
    "S": "character that is no blank",
}
_PARTS = re.compile(
    r"(?P<escape>\\(?:[dwsDWSbB]|.))|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<open>\((?:\?(?::|P<\w+>|i\)))?)|(?P<close>\))"
    r"|(?P<either>\|)|(?P<start>\^)|(?P<end>\$)|(?P<any>\.)|(?P<repeat>[*+?]\??|\{\d*,?\d*\}\??)|(?P<text>[^\\\[\]().|^$*+?{}]+)"
    r"|(?P<odd>.)",
    re.DOTALL,
)
_RANGE_NAMES = {"a-z": "small letters", "A-Z": "capital letters", "0-9": "digits", r"\d": "digits", r"\s": "blanks"}
_RANGE_NAMES |= {r"\w": "letters, digits and underscores"}
MOST_PARTS = 24


def say_pattern(pattern: str) -> str:
    """What a pattern lets through, as `2 capital letters, then 4 digits`; vague where it has no words for it."""
    said: list[str] = []
    whole_start = whole_end = False
    for count, match in enumerate(_PARTS.finditer(pattern)):
        if count >= MOST_PARTS or match["odd"]:
            return "a text pattern"
        if match["start"]:
            whole_start = True
        elif match["end"]:
            whole_end = True
        elif match["open"] or match["close"]:
            continue
        elif match["either"]:
            said.append("or")
        elif match["repeat"]:
            if not said or said[-1] == "or":
                return "a text pattern"
            said[-1] = _repeated(said[-1], match["repeat"].rstrip("?") or "?")
        else:
            part = _part(match)
            if part:
                said.append(part)
    if not said:
        return "an empty text" if whole_start and whole_end else "a text pattern"
    text = ", then ".join(said).replace(", then or, then ", ", or ")
    if whole_start and whole_end:
        return f"{text}, and nothing else"
    if whole_start:
        return f"{text}, at the start"
    return f"{text}, at the end" if whole_end else text


def _part(match: re.Match[str]) -> str:
    if match["escape"]:
        letter = match["escape"][1:]
        if letter in "bB":
            return ""
        return f"one {_CLASSES[letter]}" if letter in _CLASSES else say_text(letter)
    if match["set"]:
        return _set(match["set"][1:-1])
    if match["any"]:
        return "any character"
    return say_text(match["text"])


def _set(inside: str) -> str:
    negated = inside.startswith("^")
    inside = inside.removeprefix("^")
    names: list[str] = []
    while inside:
        known = next((key for key in _RANGE_NAMES if inside.startswith(key)), None)
        if known is not None:
            names.append(_RANGE_NAMES[known])
            inside = inside[len(known) :]
        elif len(inside) > 2 and inside[1] == "-":
            names.append(f"{say_text(inside[0])} to {say_text(inside[2])}")
            inside = inside[3:]
        else:
            size = 2 if inside[0] == "\\" and len(inside) > 1 else 1
            names.append(say_text(inside[size - 1]))
            inside = inside[size:]
    if len(names) == 1 and not negated and names[0].endswith("s"):
        return f"one {names[0].removesuffix('s')}"
    return f"one character other than {join(names, 'or')}" if negated else f"one of {join(names, 'or')}"


def _repeated(part: str, how: str) -> str:
    many = part.removeprefix("one ")
    plural = f"{many}s" if part.startswith("one ") and "," not in many and " of " not in f" {many}" else many
    if how == "*":
        return f"any number of {plural}"
    if how == "+":
        return f"one or more of {plural}" if plural == many else f"one or more {plural}"
    if how == "?":
        return f"perhaps {part}"
    low, _, high = how.strip("{}").partition(",")
    if "," not in how:
        return f"{low} {plural}"
    return f"{low or 0} to {high} {plural}" if high else f"at least {low} {plural}"
