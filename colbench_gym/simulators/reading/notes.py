"""Collecting facts: wording, topics, index."""

from __future__ import annotations

import ast
import math
import re
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from colbench_gym.simulators.english import VAGUE, Speaker, singular
from colbench_gym.simulators.english.wording import names_in, with_asides
from colbench_gym.simulators.reading.exclusion import Ladder
from colbench_gym.simulators.reading.model import (
    LONGEST_SENTENCE,
    MOST_FACTS,
    PART,
    RESULT_MARK,
    UNFINISHED,
    Answer,
    Fact,
    FactBook,
    Path,
    capital,
    cut,
)
from colbench_gym.simulators.reading.shapes import (
    fixed_values,
    literal_tables,
    name_uses,
)
from colbench_gym.simulators.words import FUNCTION_WORDS, name_words, term, terms_of

NAMED = 0.9
"""Weight of a topic from which on a fact is about it, rather than mentioning it."""


_CONCEPT_LINES = """
less: discount reduction off cheaper cut reduce deduction
goes up by: increase surcharge extra rise raise more bonus markup
goes down by: decrease deduction penalty reduce subtract
we take: decrease deduction penalty reduce subtract minus
we add: increase bonus plus extra
skipped: ignore skip filter exclude leave drop
it is an error: error raise invalid exception reject
fails with: error missing invalid malformed absent exception catch
weekday: weekend saturday sunday workday
a comma: separator thousand
less than 0: negative below
sorted: order sort rank ordering
highest first: descending largest top ranking
lowest first: ascending smallest alphabetical
the first: top limit only long length maximum
in capitals: uppercase capital upper
in lower case: lowercase case insensitive
without repeats: duplicate unique distinct
rounded: round decimal precision
divisible by: multiple even odd remainder
read as a date: date parse format
matches: pattern regex valid format
unless something else is given: default optional omit
can be left out: default optional omit none
percent: rate share
""".strip().splitlines()
CONCEPTS = tuple(
    (phrase, tuple(term(word) for word in words.split()))
    for phrase, words in (line.split(": ") for line in _CONCEPT_LINES)
)
"""Phrases that sentences hold, and the words by which people ask for what they say."""


def _fills_in(nodes: Iterable[ast.AST | str]) -> bool:
    """Whether these nodes make up a text: what does not fit into one sentence of it is still worth telling."""
    trees = [node for node in nodes if isinstance(node, ast.AST)]
    return any(isinstance(part, ast.JoinedStr) for tree in trees for part in ast.walk(tree))


class Notes:
    """The facts of one reference as they are found."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.tables = literal_tables(tree)
        self.uses = name_uses(tree)
        self.speaker = Speaker(self.uses, self.tables, fixed_values(tree))
        self.speaker.functions = frozenset(
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        self.speaker.modules = frozenset(
            (alias.asname or alias.name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        )
        self.plurals = plural_pattern(self.speaker, tree)
        self.facts: list[Fact] = []
        self.ladders: list[Ladder] = []
        self.answers: list[Answer] = []
        self.group = 0
        self.last_group = 0

    # -- the parts of a reader that other parts call

    def block(self, body: Sequence[ast.stmt], path: Path) -> None:
        """Facts of a run of statements."""
        raise NotImplementedError

    def effect(self, node: ast.stmt, subject: str) -> str | None:
        """What a simple statement does, as a clause."""
        raise NotImplementedError

    def kinds_of(self, node: ast.stmt) -> set[str]:
        """The kinds of question that a statement answers."""
        raise NotImplementedError

    def table(self, name: str, value: ast.expr, around: Sequence[str] = (), label: str = "") -> bool:
        """Facts of a literal collection; False if `value` is none that could be told entry by entry."""
        raise NotImplementedError

    def inner_dictionaries(self, node: ast.AST) -> None:
        """Facts of literal collections inside an expression."""
        raise NotImplementedError

    # -- collecting

    def new_group(self) -> None:
        """What is noted from here on is told by itself."""
        self.last_group += 1
        self.group = self.last_group

    def add(
        self,
        sentence: str,
        nodes: Sequence[ast.AST | str],
        kinds: Collection[str],
        importance: float,
        context: Sequence[str] = (),
        emphasis: Sequence[str] = (),
    ) -> None:
        """Notes a fact. Topic weights: names in `nodes` 1, words said 0.6, names around it 0.3, `emphasis` 1.6."""
        if len(self.facts) >= MOST_FACTS or sentence.count(VAGUE) > 1:
            return
        sentence = with_asides(self.agree(" ".join(sentence.split())), self.uses)
        for glossed, bare in self.speaker.glosses.items():
            if sentence.count(glossed) > 1:
                first, rest = sentence.split(glossed, 1)
                sentence = f"{first}{glossed}{rest.replace(glossed, bare)}"
        plain = once_underscored(sentence)
        sentence = capital(vary(plain)).rstrip(".")
        rest = ""
        if len(sentence) >= LONGEST_SENTENCE:
            whole = sentence.replace(PART, "")
            sentence = cut(whole, LONGEST_SENTENCE - len(UNFINISHED))
            rest = whole[len(sentence) :].lstrip(" ,;:")
            sentence += UNFINISHED
        parts = tuple(part.removeprefix(", ") for part in f"{sentence}.".split(PART))
        sentence = ", ".join(parts)
        topics: dict[str, float] = {}

        def note(words: Iterable[str], weight: float) -> None:
            for word in words:
                if word not in FUNCTION_WORDS:
                    key = term(word)
                    topics[key] = max(weight, topics.get(key, 0.0))

        for key in terms_of(" ".join(f'"{word}"' for word in emphasis)):
            topics[key] = 1.6
        for node in nodes:
            names = [node] if isinstance(node, str) else names_in([node])
            note((word for name in names for word in name_words(name)), 1.0)
        for key in terms_of(plain):
            topics[key] = max(0.6, topics.get(key, 0.0))
        for phrase, words in CONCEPTS:
            if phrase in plain:
                for key in words:
                    topics[key] = max(0.6, topics.get(key, 0.0))
        note((word for name in context for word in name_words(name)), 0.3)
        self.facts.append(Fact(sentence, topics, frozenset(kinds), importance, self.group, parts))
        if len(rest) > 3 and _fills_in(nodes):
            self.add(f"it goes on: {rest}", nodes, kinds, min(importance, 0.6), context, emphasis)

    def agree(self, sentence: str) -> str:
        """`the ratings are`: verbs after names that are plurals."""

        def plural(match: re.Match[str]) -> str:
            before, noun, gloss, verb = match.groups()
            return f"{before}the {noun}{gloss or ''} {PLURAL_VERBS[verb]}"

        return self.plurals.sub(plural, sentence) if self.plurals is not None else sentence

    def book(self) -> FactBook:
        """The facts so far, without repeats, with their index."""
        seen: set[str] = set()
        facts = []
        for fact in self.facts:
            if fact.sentence not in seen:
                seen.add(fact.sentence)
                facts.append(fact)
        entries: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, fact in enumerate(facts):
            for topic, weight in fact.topics.items():
                entries[topic].append((position, weight))
        # A name in the function's own title is in nearly every question and tells facts apart no better than "the".
        rarity = {
            topic: 0.25 + math.log(1 + len(facts) / (1 + sum(weight for _, weight in found)))
            for topic, found in entries.items()
        }
        index = {topic: tuple(found) for topic, found in entries.items()}
        mass = tuple(sum(weight for weight in fact.topics.values() if weight >= NAMED) for fact in facts)
        return FactBook(tuple(facts), mass, index, rarity, tuple(self.ladders), tuple(self.answers))


_OUTCOMES = ("the result is", "the answer is", "it comes out as", "you get", "it should give")
_RESULT = re.compile(rf"\b([Tt])he result{RESULT_MARK} is ")


def vary(sentence: str) -> str:
    """The same outcome in one of several wordings, chosen by the sentence itself."""
    wording = _OUTCOMES[zlib.crc32(sentence.encode("utf-8", "replace")) % len(_OUTCOMES)]
    sentence = sentence.replace(f"the result{RESULT_MARK} is true when ", "it is true when ")
    # "The result is the result" is no news.
    sentence = sentence.replace(f"the result{RESULT_MARK} is the result", "you get the result")
    said = _RESULT.sub(lambda match: f"{capital(wording) if match.group(1) == 'T' else wording} ", sentence)
    return said.replace(RESULT_MARK, "")


PLURAL_VERBS = {
    "is": "are",
    "starts": "start",
    "ends": "end",
    "contains": "contain",
    "has": "have",
    "differs": "differ",
    "does": "do",
    "becomes": "become",
    "holds": "hold",
    "makes": "make",
    "drops": "drop",
    "goes": "go",
}


def plural_pattern(speaker: Speaker, tree: ast.AST) -> re.Pattern[str] | None:
    """Matches a plural name as the subject of a singular verb (not `the number of ratings is`)."""
    nouns = {" ".join(name_words(name)) for name in names_in([tree])}
    many = [noun for noun in nouns if len(noun.split()[-1]) > 3 and singular(noun) != noun]
    plurals = sorted(map(re.escape, many), key=len, reverse=True)
    if not plurals:
        return None
    before, verbs = "^|, |; |if |when |and |or |either |both |that |whether |than ", "|".join(PLURAL_VERBS)
    return re.compile(rf"({before})[Tt]he ({'|'.join(plurals)})( \([^()]*\))? ({verbs})\b")


def once_underscored(sentence: str) -> str:
    """Says of each text only once that it has underscores."""
    seen: set[str] = set()

    def first_time(match: re.Match[str]) -> str:
        known = match.group(1) in seen
        seen.add(match.group(1))
        return match.group(1) if known else match.group(0)

    return re.sub(r'("[^"]*") \(with underscores\)', first_time, sentence)
