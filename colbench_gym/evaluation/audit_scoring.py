"""What a reply of a simulated user holds: values, wrong numbers, pieces of code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from colbench_gym import foreign_code
from colbench_gym.types import Detail, Task

LONG_TEXT = 6
"""Words from which on a text counts as said when most of its words are."""

MOST_OF = 0.8

_UNITS_TEXT = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS_TEXT = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_UNITS_TEXT.split())} | {
    word: 10 * value for value, word in enumerate(_TENS_TEXT.split(), start=2)
}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_SUFFIXES = {"k": 1000, "m": 10**6, "bn": 10**9} | _LARGE
_PARTS = {
    "half": Fraction(1, 2),
    "halves": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
    "fourth": Fraction(1, 4),
    "fifth": Fraction(1, 5),
    "sixth": Fraction(1, 6),
    "seventh": Fraction(1, 7),
    "eighth": Fraction(1, 8),
    "ninth": Fraction(1, 9),
    "tenth": Fraction(1, 10),
    "twelfth": Fraction(1, 12),
    "hundredth": Fraction(1, 100),
    "thousandth": Fraction(1, 1000),
}
_ORDINALS = {"first": 1, "second": 2} | {
    word: int(1 / part) for word, part in _PARTS.items() if word not in ("half", "halves", "quarter")
}
_TIMES = {"once": 1, "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "thrice": 3, "triple": 3, "tripled": 3}
_PAIRS = {"pair": 2, "couple": 2, "both": 2, "halved": 2}
_VAGUE = frozenset(_PARTS) | frozenset(_ORDINALS) | frozenset(_TIMES) | frozenset(_PAIRS) | {"zero", "one", "two"}
"""Words that often stand for no number of the rules ("one of them"); they never count as a wrong number."""

_DIGITS = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?P<exponent>e[+-]?\d+)?"
    r"(?:\s*/\s*(?P<below>\d+(?:\.\d+)?))?"
    r"(?P<half>\s+and\s+a\s+half\b)?"
    r"(?:\s*(?P<scale>hundred|thousand|million|billion|trillion|dozen|k|m|bn)s?\b)?",
    re.IGNORECASE,
)
_PER_CENT = re.compile(r"\s*(?:%|per ?cent\b|percent)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")

_DONT_KNOW = re.compile(
    r"\b(?:do not|don'?t|dont|can'?t|cannot|wouldn'?t) (?:really |actually |exactly )?"
    r"(?:know|say|tell|answer|recall|remember)\b|\bno idea\b|\bnot (?:sure|certain|specified|mentioned)\b|"
    r"\b(?:do not|don'?t) have (?:any |that |this |the |enough |further |more )*(?:information|details?|idea|answer)|"
    r"\bunable to\b|\bbeats me\b",
    re.IGNORECASE,
)
_CODE = {
    "backticks": re.compile(r"`"),
    "operator": re.compile(r"==|!=|>=|<=|\+=|-=|\*=|->|\*\*|//|(?<=\s)[*%=<>](?=\s)|(?<=\w)=(?=[\w\"'])"),
    "def": re.compile(r"\bdef\s+\w+\s*\("),
    "lambda": re.compile(r"\blambda\b[^.,]{0,30}:"),
    "return": re.compile(r"\breturn\s+(?:[\[({\"']|\w+\s*[-+*/\[(=])"),
    "bracket": re.compile(r"[\[\]{}]|\w\(\)|\b\w+\.\w+\(|\b(?:len|sum|max|min|round|sorted|int|float|str|range|abs)\("),
}
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|no|incl|max|min|St|Mr|Mrs|Dr)\.(?=\s)")


@dataclass(frozen=True, slots=True)
class SaidNumber:
    """A number in a reply.

    Attributes:
        values: what it may stand for ("15%" is 15, 0.15, 1.15 and 0.85).
        token: as written.
        is_vague: a word that often stands for no number.
    """

    values: tuple[float, ...]
    token: str
    is_vague: bool = False


def numbers_in(text: str) -> list[SaidNumber]:
    """The numbers of a text, in digits or in words."""
    return [*_in_digits(text), *_in_words(text)]


def _in_digits(text: str) -> Iterator[SaidNumber]:
    for match in _DIGITS.finditer(text):
        value = float(match["digits"].replace(",", "") + (match["exponent"] or ""))
        values = [value]
        if match["half"]:
            values = [value, value + 0.5]
        if match["below"]:
            below = float(match["below"])
            values = [value, below, *([value / below] if below else [])]
        if match["scale"]:
            values += [one * _SUFFIXES[match["scale"].lower()] for one in values]
        per_cent = _PER_CENT.match(text, match.end())
        yield SaidNumber(tuple(values + (_as_shares(values) if per_cent else [])), match[0].strip())


def _as_shares(values: Iterable[float]) -> list[float]:
    """What a rise or a cut by so many per cent multiplies by, and the share itself."""
    shares = [value / 100 for value in values]
    return [*shares, *(1 + share for share in shares), *(1 - share for share in shares)]


def _in_words(text: str) -> Iterator[SaidNumber]:
    words = _WORD.findall(text.casefold())
    place = 0
    while place < len(words):
        start = place
        total, current, fraction, is_number = Fraction(0), Fraction(0), Fraction(0), False
        while place < len(words):
            word = words[place]
            after = words[place + 1] if place + 1 < len(words) else ""
            is_new_unit = word in _SMALL and is_number and current % 10 and _SMALL[word] < 20
            if is_new_unit:
                break
            if word in _SMALL:
                current += _SMALL[word]
            elif word in _LARGE and (is_number or start == place):
                current = (current or 1) * _LARGE[word]
                if _LARGE[word] >= 1000:
                    total, current = total + current, Fraction(0)
            elif word.rstrip("s") in _PARTS and is_number and current and start < place:
                current *= _PARTS[word.rstrip("s")]  # "two thirds"
                place += 1
                break
            elif word == "and" and is_number and (after in _SMALL or after in ("a", "half")):
                if after == "half" or words[place + 1 : place + 3] == ["a", "half"]:
                    fraction = Fraction(1, 2)
                    place += 2 if after == "half" else 3
                    break
                if not (total or current >= 100):
                    break
                place += 1
                continue
            else:
                break
            is_number = True
            place += 1
        if is_number:
            token = " ".join(words[start:place])
            value = float(total + current + fraction)
            per_cent = words[place : place + 1] == ["percent"] or words[place : place + 2] == ["per", "cent"]
            values = (value, *(_as_shares([value]) if per_cent else []))
            yield SaidNumber(values, token, token in _VAGUE or (place - start == 1 and token in _LARGE))
            place = max(place, start + 1)
            continue
        word = words[place]
        single = word if word in _PARTS else word.removesuffix("s")
        values = [float(table[single]) for table in (_PARTS, _ORDINALS, _TIMES, _PAIRS) if single in table]
        if values:
            yield SaidNumber(tuple(values), word, True)
        place += 1


def holds_number(reply: str, value: int | float, relation: str = "") -> bool:
    """Whether a reply says a number: in digits, per cent or words, or as `relation` lets it be said ("squared")."""
    size = abs(value)
    targets = [size]
    if relation == "divisor" and size:
        targets.append(1 / size)
    if relation == "position":
        targets.append(size + 1)
    said = [(abs(one), number.is_vague) for number in numbers_in(reply) for one in number.values]
    for target in targets:
        for one, is_vague in said:
            if abs(one - target) <= (0.011 if is_vague else 1e-9) * max(abs(target), 1e-12):
                return True
    words = {
        ("power", 2): r"\bsquare[ds]?\b",
        ("power", 3): r"\bcube[ds]?\b",
        ("power", 0.5): r"\bsquare root",
        ("remainder", 2): r"\b(?:even|odd)\b",
        ("decimals", 2): r"\b(?:cents?|penny|pence|hundredths?)\b",
        ("decimals", 3): r"\bthousandths?\b",
        ("divisor", 2): r"\bhal(?:f|ve[ds]?)\b|\bmiddle\b",
    }.get((relation, size))
    return bool(words and re.search(words, reply, re.IGNORECASE))


# -- texts

_SYMBOLS = {
    " ": "blank|space",
    "": "empty|blank|nothing",
    ",": "comma",
    ", ": "comma",
    ".": "dot|full stop|period|point",
    ";": "semicolon",
    ":": "colon",
    "-": "dash|hyphen|minus",
    "_": "underscore",
    "/": "slash",
    "\\": "backslash",
    "\n": "line|newline",
    "\t": "tab",
    "|": "pipe|bar",
    "@": "at sign|at-sign",
    "#": "hash|pound|number sign",
    "$": "dollar",
    "%": "per ?cent",
    "&": "ampersand|and sign",
    "*": "asterisk|star|times|multipl",
    "+": "plus|add",
    "=": "equals?",
    "(": "bracket|parenthes",
    ")": "bracket|parenthes",
    "'": "apostrophe|quote",
    '"': "quot",
    "!": "exclamation",
    "?": "question mark",
    "<": "less|angle",
    ">": "greater|more|angle",
    "^": "caret|power",
}
_DATE_PARTS = {
    "Y": "year|yyyy",
    "y": "year|yy",
    "m": "month|mm",
    "d": "day|dd",
    "H": "hour|hh",
    "I": "hour|hh",
    "M": "minute|mm",
    "S": "second|ss",
    "B": "month",
    "b": "month",
    "A": "weekday|day",
    "p": "am|pm",
}


def normal(text: str) -> str:
    """A text in lower case with underscores, camel case, punctuation and runs of blanks levelled."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.sub(r"[^\w%$€£+#&']|_", " ", parted).casefold().split())


def holds_text(reply: str, value: str) -> bool:
    """Whether a reply says a text. Of a long one most of the words will do; a symbol may be named."""
    directives = re.findall(r"%([a-zA-Z])", value)
    if directives and all(one in _DATE_PARTS for one in directives):
        return value in reply or all(re.search(_DATE_PARTS[one], reply, re.IGNORECASE) for one in directives)
    if not any(letter.isalnum() for letter in value):
        named = _SYMBOLS.get(value, _SYMBOLS.get(value.strip()))
        quoted = bool(value.strip()) and value.strip() in reply
        return quoted or bool(named and re.search(named, reply, re.IGNORECASE))
    target = normal(value).strip("' ")
    for spoken in (normal(reply), " ".join(re.sub(r"[\W_]+", " ", reply.casefold()).split())):
        if f" {target} " in f" {spoken} " or f" {target} " in f" {spoken.replace(chr(39), ' ')} ":
            return True
    squeezed = target.replace(" ", "")
    if len(squeezed) > 3 and squeezed in normal(reply).split():
        return True
    if value.strip() and not value.strip().isalnum() and value.strip().casefold() in reply.casefold():
        return True
    words = [word for word in target.split() if len(word) > 2]
    if len(target.split()) < LONG_TEXT or not words:
        return False
    spoken_words = set(normal(reply).split())
    return sum(word in spoken_words for word in words) >= MOST_OF * len(words)


def says_dont_know(reply: str) -> bool:
    """Whether a reply pleads ignorance."""
    return bool(_DONT_KNOW.search(reply.replace("\u2019", "'")))


def says_detail(reply: str, detail: Detail) -> bool:
    """Whether a reply gives a detail away: its sentence, or all its numbers with some of its words, or most words."""
    said, sentence = normal(reply), normal(detail.sentence)
    if sentence in said:
        return True
    words = {word for word in sentence.split() if len(word) > 3 and not word[0].isdigit()}
    shared = len(words & set(said.split())) / len(words) if words else 1.0
    numbers = [number for number in numbers_in(detail.sentence) if not number.is_vague]
    if not numbers:
        return shared >= 0.6
    return shared >= 0.3 and all(holds_number(reply, number.values[0]) for number in numbers)


# -- what a task lets one say


@dataclass(frozen=True)
class Ground:
    """What may be said about a task without being wrong, and what would be code.

    Attributes:
        numbers: that stand in the reference or follow from it (percentages, counts, neighbours of limits).
        texts: its string constants and parameters, longest first: they may be quoted as they are.
        identifiers: its names with an underscore that are no parameters.
    """

    numbers: frozenset[float]
    texts: tuple[str, ...]
    identifiers: frozenset[str]

    def wrong_numbers(self, reply: str, question: str) -> list[str]:
        """Numbers of a reply that stand neither in the reference nor in the question, and do not follow from it.

        Per cent forms, neighbours of whole numbers ("under 18" for at most 17) and counts of what is listed follow. A
        number of the reference said of the wrong thing is not noticed.
        """
        allowed = self.numbers | {abs(value) for number in numbers_in(question) for value in number.values}
        wrong: list[str] = []
        for number in numbers_in(self._without_texts(reply)):
            if number.is_vague:
                continue
            if not any(_near(abs(value), allowed) for value in number.values):
                wrong.append(number.token)
        return wrong

    def code_leaks(self, reply: str) -> list[str]:
        """Kinds of code that a reply holds, with what betrays it. Quoted texts of the reference are no code."""
        leaks: list[str] = []
        said = self._without_texts(reply)
        for kind, pattern in _CODE.items():
            match = pattern.search(said)
            if match is not None:
                leaks.append(f"{kind}: {match[0].strip()}")
        leaks += [f"identifier: {name}" for name in sorted(set(re.findall(r"\w+", said)) & self.identifiers)]
        return leaks

    def sentences(self, reply: str) -> int:
        """Sentences of a reply, those inside quoted texts of the reference aside."""
        said = _ABBREVIATION.sub("abbreviation", self._without_texts(reply))
        return len(_SENTENCE_END.findall(said)) or bool(said.strip())

    def _without_texts(self, reply: str) -> str:
        for text in self.texts:
            if text in reply:
                reply = reply.replace(text, "\u2026" if text[-1] not in ".!?" else "\u2026 ")
        return reply


def _near(value: float, allowed: frozenset[float]) -> bool:
    return value in allowed or any(abs(value - one) <= 1e-6 * max(abs(one), 1e-9) for one in allowed)


def ground_of(task: Task) -> Ground:
    """The ground that replies about a task stand on."""
    tree = foreign_code.parse(task.reference)
    numbers: set[float] = {0.0, 1.0}
    texts: set[str] = set()
    parameters: set[str] = set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, str):
                # Short ones ("-", "a") stand in any reply by chance.
                texts |= {value.strip()} if len(value.strip()) > 2 else set()
                numbers |= {abs(one) for number in numbers_in(value) for one in number.values}
            elif isinstance(value, int | float) and not isinstance(value, bool):
                numbers.add(abs(float(value)))
        elif isinstance(node, ast.arg):
            parameters.add(node.arg)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.BinOp | ast.UnaryOp):
            folded = _folded(node)
            if folded is not None:
                numbers.add(abs(folded))
        numbers |= {float(count) for count in _counts(node)}
    for name in names | parameters:
        numbers |= {float(digits) for digits in re.findall(r"\d+", name)[:4]}
    for text in (task.description, *(detail.sentence for detail in task.details)):
        numbers |= {abs(one) for number in numbers_in(text) for one in number.values}
    derived = set(numbers)
    for value in numbers:
        derived |= {value * 100, value / 100, abs(1 - value), 1 + value, abs(value - 1) * 100, (value + 1) * 100}
        if value:
            derived |= {1 / value, 100 / value}
        if value == int(value):
            derived |= {value + 1, abs(value - 1)}
    return Ground(
        frozenset(derived),
        tuple(sorted({*texts, *(one for one in parameters if "_" in one)}, key=len, reverse=True)),
        frozenset(name for name in names - parameters - texts if "_" in name.strip("_")),
    )


def _counts(node: ast.AST) -> Iterator[int]:
    """How many things are listed in one place: "three colours", "the other five"."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        yield from range(2, len(node.elts) + 1)
    elif isinstance(node, ast.Dict):
        yield from range(2, len(node.keys) + 1)
    elif isinstance(node, ast.BoolOp):
        yield from range(2, len(node.values) + 1)
    elif isinstance(node, ast.arguments):
        yield from range(2, len(node.args) + len(node.kwonlyargs) + 1)
    elif isinstance(node, ast.If):
        count, step = 1, node
        while len(step.orelse) == 1 and isinstance(step.orelse[0], ast.If):
            count, step = count + 1, step.orelse[0]
        yield from range(2, count + 2)


def _folded(node: ast.AST) -> float | None:
    """The value of arithmetic between literal numbers; None if there is anything else in it, or it has no value."""
    if isinstance(node, ast.Constant):
        return float(node.value) if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _folded(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _folded(node.left), _folded(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Div) and right:
        return left / right
    if isinstance(node.op, ast.Pow) and 0 <= right <= 64 and abs(left) <= 1000:
        return float(left**right)
    return None
