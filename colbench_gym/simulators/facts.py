"""Reads a Python reference's syntax tree into facts, each a sentence that the owner of the problem could say.

The reference is never run. `facts_of` accepts any text: what does not parse has no facts, and a construct that nobody
has words for yields a vague phrase or nothing.
"""

from __future__ import annotations

import ast
import math
import re
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from colbench_gym.simulators.plain_english import (
    VAGUE,
    NameUse,
    Speaker,
    is_truth,
    join,
    names_in,
    say_number,
    say_percent,
    say_text,
    singular,
)
from colbench_gym.simulators.words import STOP_WORDS, name_words, stem, words_of

LONGEST_SENTENCE = 390
"""Characters. A longer fact is told in its parts or cut at a word."""

LONGEST_GROUP = 320
"""Characters of a sentence that tells several neighbouring facts at once."""

LONGEST_PIECE = 165
"""Characters of a table that are told in one sentence, so that two pieces fit into one reply."""

_UNFINISHED = ", and so on"

MOST_FACTS = 1500
DEEPEST_BLOCK = 12

KINDS: dict[str, str] = {
    "input": "input argument parameter type format shape structure receive accept pass",
    "default": "default optional omit omitted",
    "rule": "condition rule criterion threshold limit cutoff boundary minimum maximum range require requirement "
    "qualify count check inclusive",
    "formula": "formula calculate calculation compute equation value math logic determine",
    "result": "return output result format type structure answer back",
    "otherwise": "otherwise else default other fallback unknown unrecognized invalid case match neither",
    "empty": "empty missing none null edge case invalid blank zero absent negative",
    "rounding": "round decimal precision digit place",
    "order": "sort order rank tie equal break sequence first same",
    "error": "error exception raise invalid fail",
    "table": "list value category option allow valid keyword entry support recognize possible available predefined",
    "case": "case sensitive insensitive capital upper lower",
    "text": "split separator delimiter parse format text string",
    "change": "add adjust increase decrease change bonus penalty update accumulate",
    "start": "start initial begin base",
    "category": "category categorize class classify classification label outcome verdict bucket possible value",
}
_KIND_STEMS = {kind: frozenset(stem(word) for word in words.split()) for kind, words in KINDS.items()}
KIND_WORDS = frozenset().union(*_KIND_STEMS.values())
"""Stems that ask for a kind of fact rather than for a thing."""


@dataclass(frozen=True)
class Fact:
    """One thing the reference says.

    Attributes:
        sentence: in plain English, with capital and full stop.
        topics: stem -> weight in (0, 2]: the words by which it is asked for.
        kinds: keys of `KINDS`.
        importance: larger is told earlier when nothing in particular is asked.
        group: facts of one group stand next to each other in the reference and may be told in one sentence.
    """

    sentence: str
    topics: dict[str, float]
    kinds: frozenset[str]
    importance: float
    group: int


@dataclass(frozen=True)
class FactBook:
    """All facts of one reference, indexed for questions.

    Attributes:
        facts: in the order of the reference.
        groups: index of a fact -> (one sentence for it and its neighbours, their indices).
        index: stem -> ((index of a fact, weight), ...).
        rarity: stem -> weight of a match; rare stems weigh more.
    """

    facts: tuple[Fact, ...] = ()
    groups: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    index: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    rarity: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Path:
    """Where a statement stands: inside which loops, under which conditions, in which function."""

    loops: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    subject: str = "the result"
    names: tuple[str, ...] = ()
    depth: int = 0

    def lead(self) -> str:
        parts = [f"for {loop}" if not loop.startswith("as long as") else loop for loop in self.loops[-2:]]
        if self.conditions:
            shown = list(self.conditions)[-3:]
            if len(shown) < len(self.conditions):
                parts.append("where the checks before it hold")
            parts.append(f"if {', and '.join(shown) if len(shown) > 1 else shown[0]}")
        return ", ".join(parts)

    def leads(self) -> list[str]:
        """`lead` and shorter ways to say it, none of which claims more than it."""
        return [
            self.lead(),
            replace(self, loops=()).lead(),
            *([f"where the checks before it hold, if {self.conditions[-1]}"] if len(self.conditions) > 1 else []),
        ]


_PARSING = threading.Lock()


@lru_cache(maxsize=2048)
def facts_of(reference: str) -> FactBook:
    """The facts of a Python reference (cached; safe to call from several threads)."""
    try:
        # A stray backslash in somebody's reference is no news to whoever runs this, nor an error under -W error. The
        # lock keeps two readers from restoring each other's filters.
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(reference)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FactBook()
    reader = _Reader(tree)
    reader.read()
    return reader.book()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return text[: characters + 1].rsplit(" ", 1)[0].rstrip(" ,;:")


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.tables = _literal_tables(tree)
        self.uses = _name_uses(tree)
        self.speaker = Speaker(self.uses, self.tables)
        self.plurals = _plural_pattern(self.speaker, tree)
        self.facts: list[Fact] = []
        self.group = 0

    # -- collecting

    def add(
        self,
        sentence: str,
        nodes: Iterable[ast.AST | str],
        kinds: Iterable[str],
        importance: float,
        context: Iterable[str] = (),
        emphasis: Iterable[str] = (),
    ) -> None:
        """Notes a fact. Topic weights: names in `nodes` 1, words said 0.6, names around it 0.3, `emphasis` 1.6."""
        if len(self.facts) >= MOST_FACTS or sentence.count(VAGUE) > 1:
            return
        sentence = _once_underscored(self.agree(" ".join(sentence.split())))
        sentence = _capital(sentence).rstrip(".")
        if len(sentence) >= LONGEST_SENTENCE:
            sentence = _cut(sentence, LONGEST_SENTENCE - len(_UNFINISHED)) + _UNFINISHED
        sentence += "."
        topics: dict[str, float] = {}

        def note(words: Iterable[str], weight: float) -> None:
            for word in words:
                if word not in STOP_WORDS:
                    key = stem(word)
                    topics[key] = max(weight, topics.get(key, 0.0))

        note(emphasis, 1.6)
        for node in nodes:
            names = [node] if isinstance(node, str) else names_in([node])
            note((word for name in names for word in name_words(name)), 1.0)
        note(words_of(sentence), 0.6)
        note((word for name in context for word in name_words(name)), 0.3)
        self.facts.append(Fact(sentence, topics, frozenset(kinds), importance, self.group))

    def agree(self, sentence: str) -> str:
        """`the ratings are`: verbs after names that are plurals."""

        def plural(match: re.Match[str]) -> str:
            before, noun, verb = match.groups()
            return f"{before}the {noun} {_PLURAL_VERBS[verb]}"

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
        return FactBook(tuple(facts), _groups(facts), {topic: tuple(found) for topic, found in entries.items()}, rarity)

    # -- reading

    def read(self) -> None:
        for node in self.tree.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.block([node], _Path())
        for position, function in enumerate(self.functions):
            main = position == 0 if len(self.functions) == 1 else function is self.main()
            subject = "the result" if main else f"the result of the helper {' '.join(name_words(function.name))}"
            self.function(function, subject)
        self.general()
        self.cover_constants()

    def main(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """The function that no other one calls; the first of several."""
        called = {
            node.func.id
            for function in self.functions
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id != function.name
        }
        return next((function for function in self.functions if function.name not in called), self.functions[0])

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, subject: str, depth: int = 0) -> None:
        self.parameters(node)
        self.group += 1
        self.block(node.body, _Path(subject=subject, depth=depth))

    def parameters(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: dict[str, ast.expr] = {}
        for argument, default in zip(reversed(positional), reversed(arguments.defaults), strict=False):
            defaults[argument.arg] = default
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False):
            if default is not None:
                defaults[argument.arg] = default
        for argument in [*positional, *arguments.kwonlyargs]:
            name = argument.arg
            if name in ("self", "cls"):
                continue
            shape = self.shape(function, name, defaults.get(name))
            the = self.speaker.the(name)
            if shape:
                self.group += 1
                self.add(f"{the} is {shape}", [name], ["input"], 0.2 if shape == "a number" else 0.9)
            if name in defaults:
                self.group += 1
                default = defaults[name]
                empty = isinstance(default, ast.Constant) and default.value is None
                said = "can be left out" if empty else f"is {self.speaker.say(default)} unless something else is given"
                self.add(f"{the} {said}", [name], ["default", "input", "empty"], 1.6, emphasis=("default",))

    def shape(self, function: ast.AST, name: str, default: ast.expr | None) -> str | None:
        """What the uses of a parameter say about its form, as `a list of records, each with ...`."""
        use = self.uses.get(name, NameUse())
        items = _item_uses(function, name, self.uses)
        if items is not None:
            kind, element, value = items
            if kind == "items":
                inside = (
                    f", where each {self.speaker.noun(value)} {_record(value_use)}"
                    if (value and (value_use := self.uses.get(value)) and value_use.keys)
                    else ""
                )
                return (
                    f"a dictionary from {_plain(self.speaker, element, 'key')} to "
                    f"{_plain(self.speaker, value, 'value')}{inside}"
                )
            element_use = self.uses.get(element or "")
            if element_use and element_use.keys:
                one = _plain(self.speaker, element, "one")
                return f"a list of records (dictionaries), and each {one} {_record(element_use)}"
            if element and (element_use is None or not element_use.texts):
                noun = _plain(self.speaker, element, "item")
                return f"a collection that I go through {noun} by {noun}" if len(noun) > 2 else "a collection of items"
            return "a collection of items"
        if use.keys:
            return f"a record (a dictionary) that {_record(use).removeprefix('has ') and _record(use)}"
        if {"items", "keys", "values"} & use.methods:
            return "a dictionary"
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            return "a yes-or-no flag (true or false)"
        if use.texts:
            known = list(dict.fromkeys(use.texts))
            if len(known) == 1:
                return f"a text, and the value I look for is {say_text(known[0])}"
            return f"a text, and the values I look for are {_cut(join([say_text(text) for text in known[:12]]), 250)}"
        if use.methods & {"lower", "upper", "split", "strip", "startswith", "endswith", "replace", "splitlines"}:
            return "a text"
        if use.in_arithmetic or use.compared_with_number:
            return "a number" if not use.iterated and not use.length_taken else None
        if use.is_flag:
            return "a yes-or-no flag (true or false)"
        if use.length_taken or use.iterated:
            return "a collection (a list or the like)"
        return None

    def block(self, body: Sequence[ast.stmt], path: _Path) -> None:
        """Facts of a run of statements."""
        if path.depth > DEEPEST_BLOCK:
            return
        path = replace(path, depth=path.depth + 1)
        self.group += 1
        returned = False
        for position, statement in enumerate(body):
            here = path
            if returned and isinstance(statement, ast.Return):
                here = replace(path, conditions=(*path.conditions, "none of the earlier cases applies"))
            if isinstance(statement, ast.If):
                self.chain(statement, here)
                if position + 1 < len(body) and not isinstance(body[position + 1], ast.If | ast.Return):
                    self.group += 1
            else:
                self.statement(statement, here)
            returned = returned or _may_return(statement)

    def statement(self, node: ast.stmt, path: _Path) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.function(node, f"the {' '.join(name_words(node.name))}", path.depth)
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                    self.function(item, f"the {' '.join(name_words(item.name))} of the {node.name}", path.depth)
                else:
                    self.statement(item, path)
        elif isinstance(node, ast.For | ast.AsyncFor):
            phrase = self.speaker.iteration(node.target, node.iter)
            names = names_in([node.iter, node.target])
            inner = replace(path, loops=(*path.loops, phrase), names=(*path.names, *names))
            self.block(node.body, inner)
            if node.orelse:
                self.block(node.orelse, path)
        elif isinstance(node, ast.While):
            phrase = f"as long as {self.speaker.condition(node.test)}"
            self.add(f"{phrase}, the steps are repeated", [node.test], ["rule"], 0.8, path.names)
            self.block(node.body, replace(path, loops=(*path.loops, phrase)))
        elif isinstance(node, ast.With | ast.AsyncWith):
            self.block(node.body, path)
        elif isinstance(node, ast.Try | ast.TryStar):
            self.block(node.body, path)
            for handler in node.handlers:
                named = join(
                    [" ".join(name_words(name)) for name in names_in([handler.type] if handler.type else [])], "or"
                )
                condition = f"that fails with a {named}" if named else "that fails"
                self.block(handler.body, replace(path, conditions=(*path.conditions, condition)))
            self.block(node.orelse, path)
            self.block(node.finalbody, path)
        elif isinstance(node, ast.Match):
            subject = self.speaker.say(node.subject)
            for case in node.cases:
                values = [value.value for value in ast.walk(case.pattern) if isinstance(value, ast.MatchValue)]
                text = f"{subject} is {self.speaker.listing(values, 0, 'or')}" if values else "nothing else applies"
                if case.guard is not None:
                    text += f" and {self.speaker.condition(case.guard)}"
                inner = replace(
                    path, conditions=(*path.conditions, text), names=(*path.names, *names_in([node.subject]))
                )
                self.block(case.body, inner)
        elif isinstance(node, ast.If):
            self.chain(node, path)
        else:
            self.simple(node, path)

    # -- branches

    def chain(self, node: ast.If, path: _Path) -> None:
        """Facts of an if ... elif ... else."""
        branches: list[tuple[ast.expr | None, list[ast.stmt]]] = []
        current: ast.If | None = node
        while current is not None:
            branches.append((current.test, current.body))
            rest = current.orelse
            if len(rest) == 1 and isinstance(rest[0], ast.If):
                current = rest[0]
            else:
                if rest:
                    branches.append((None, rest))
                current = None
        conditions = self.branch_conditions([test for test, _ in branches])
        if not path.conditions:
            self.ladder(branches, conditions, path)
        for (test, body), condition in zip(branches, conditions, strict=True):
            names = tuple(names_in([test])) if test is not None else tuple(names_in([node.test]))[:4]
            inner = replace(path, conditions=(*path.conditions, condition), names=(*path.names, *names))
            simple = [statement for statement in body if _is_simple(statement)]
            if len(simple) == len(body) and 0 < len(body) <= 3:
                self.branch(test, simple, inner)
            else:
                group = self.group
                self.block(body, inner)
                self.group = max(group, self.group)

    def ladder(
        self, branches: Sequence[tuple[ast.expr | None, list[ast.stmt]]], conditions: Sequence[str], path: _Path
    ) -> None:
        """All of a chain in short, where its branches ask about one value and each gives one fixed result."""
        tests = [test for test, _ in branches if test is not None]
        first = tests[0]
        if len(tests) < 3 or not isinstance(first, ast.Compare):
            return
        if not all(isinstance(test, ast.Compare) and len(test.ops) == 1 for test in tests):
            return
        if len({ast.dump(test.left) for test in tests if isinstance(test, ast.Compare)}) > 1:
            return
        outcomes: list[tuple[str, str]] = []
        for (_, body), condition in zip(branches, conditions, strict=True):
            statement = body[0]
            if len(body) != 1 or not isinstance(statement, ast.Return | ast.Assign):
                return
            if not isinstance(statement.value, ast.Constant):
                return
            target = path.subject
            if isinstance(statement, ast.Assign):
                target = self.speaker.say(statement.targets[0])
            outcomes.append((target, f"{self.speaker.say(statement.value)} if {condition}"))
        if len({target for target, _ in outcomes}) > 1:
            return
        subject = self.speaker.say(first.left)
        short = [
            text.replace(f" if {subject} is ", " for ").replace(f" if {subject} ", " for ") for _, text in outcomes
        ]
        names = names_in(tests)
        lead = path.lead()
        start = f"{lead}, by {subject}, {outcomes[0][0]}" if lead else f"by {subject}, {outcomes[0][0]}"
        for position, chunk in enumerate(_chunks(short, LONGEST_PIECE, "; ")):
            opening = f"{start} is" if position == 0 else f"{start} is also"
            self.group += 1
            self.add(f"{opening} {'; '.join(chunk)}", names, ["rule", "result", "otherwise", "table"], 2.6, path.names)
        self.group += 1

    def branch(self, test: ast.expr | None, body: Sequence[ast.stmt], path: _Path) -> None:
        """One sentence for a branch whose body is a few simple statements."""
        effects = [effect for statement in body if (effect := self.effect(statement, path.subject))]
        if not effects:
            return
        nodes: list[ast.AST] = [*body] if test is None else [test, *body]
        kinds = {"otherwise"} if test is None else {"rule"}
        for statement in body:
            kinds |= self.kinds_of(statement)
        if test is not None:
            kinds |= _test_kinds(test)
        importance = 2.0 if "empty" in kinds or "error" in kinds else 1.8 if test is None else 2.2
        for said in ([join(effects)], effects):
            for lead in path.leads():
                sentences = [f"{lead}, {effect}" for effect in said]
                if max(map(len, sentences)) < LONGEST_SENTENCE:
                    for sentence in sentences:
                        self.add(sentence, nodes, kinds, importance, path.names)
                    return
        self.add(f"{path.leads()[-1]}, {effects[0]}", nodes, kinds, importance, path.names)

    def branch_conditions(self, tests: Sequence[ast.expr | None]) -> list[str]:
        """The condition of each branch, so worded that it is true on its own."""
        subjects = {
            ast.dump(test.left) if isinstance(test, ast.Compare) and len(test.ops) == 1 else None
            for test in tests
            if test
        }
        same_subject = len(subjects) == 1 and None not in subjects
        said = []
        for position, test in enumerate(tests):
            before = tests[position - 1] if position else None
            if test is None:
                only = tests[0]
                if (len(tests) == 2 and isinstance(only, ast.Compare) and len(only.ops) == 1) or (
                    len(tests) == 2 and isinstance(only, ast.Name | ast.UnaryOp)
                ):
                    said.append(self.speaker.condition(only, negated=True))
                else:
                    ladder = self.step(before, None) if same_subject else None
                    said.append(ladder or "nothing else applies")
                continue
            text = self.speaker.condition(test)
            if position == 0:
                said.append(text)
                continue
            ladder = self.step(before, test) if same_subject else None
            if ladder:
                said.append(ladder)
            elif same_subject and all(
                isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq) for one in tests if one
            ):
                said.append(text)
            else:
                said.append(f"nothing earlier applies and {text}")
        return said

    def step(self, before: ast.expr | None, test: ast.expr | None) -> str | None:
        """`at least 40 but less than 60`: a rung of a ladder of comparisons in one direction."""
        if not isinstance(before, ast.Compare) or not isinstance(before.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            return None
        left = self.speaker.say(before.left)
        past = self.speaker.condition(before, negated=True)
        if test is None:
            return past
        if not isinstance(test, ast.Compare):
            return None
        rising = isinstance(before.ops[0], ast.Lt | ast.LtE)
        if isinstance(test.ops[0], ast.Lt | ast.LtE) != rising or not isinstance(
            test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE
        ):
            return None
        here = self.speaker.condition(test)
        lower, upper = (past, here) if rising else (here, past)
        return f"{lower} but {upper.removeprefix(left).strip().removeprefix('is ')}"

    # -- simple statements

    def simple(self, node: ast.stmt, path: _Path) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and self.table(targets[0].id, node.value):
                return
        if isinstance(node, ast.Return) and node.value is not None:
            self.returned(node.value, path)
            return
        effect = self.effect(node, path.subject)
        if not effect:
            return
        lead = path.lead()
        kinds = self.kinds_of(node)
        importance = 1.5 if not isinstance(node, ast.Assign) else 1.4
        if " starts at 0" in effect or "starts empty" in effect or effect[-5:] == " is 1":
            importance = 0.3
        self.add(f"{lead}, {effect}" if lead else effect, [node], kinds, importance, path.names)
        self.inner_dictionaries(node)

    def returned(self, value: ast.expr, path: _Path) -> None:
        lead = path.lead()
        start = f"{lead}, " if lead else ""
        kinds = {"result"} | self.kinds_of_value(value)
        if path.conditions and "none of the earlier" in path.conditions[-1]:
            kinds.add("otherwise")
        if isinstance(value, ast.Dict) and value.keys and all(isinstance(key, ast.Constant) for key in value.keys):
            keys = self.speaker.listing([key for key in value.keys if key is not None], 0)
            self.add(f"{start}{path.subject} is a dictionary with the keys {keys}", [value], kinds, 2.0, path.names)
            for key, entry in zip(value.keys, value.values, strict=True):
                self.add(
                    f"{start}the {self.speaker.say(key)} in {path.subject} is {self.speaker.say(entry)}",
                    [entry],
                    kinds | self.kinds_of_value(entry),
                    1.5,
                    path.names,
                    emphasis=words_of(str(getattr(key, "value", ""))),
                )
            return
        if isinstance(value, ast.Name):
            shape = self.local_shape(value.id)
            if not shape:
                self.add(f"{start}{path.subject} is {self.speaker.say(value)}", [value], kinds, 0.7, path.names)
                return
            self.add(f"{start}{path.subject} is {self.speaker.say(value)}, {shape}", [value], kinds, 1.7, path.names)
            return
        if isinstance(value, ast.Tuple) and len(value.elts) > 1:
            for position, element in enumerate(value.elts):
                place = ("first", "second", "third", "fourth", "fifth", "sixth")[min(position, 5)]
                self.add(
                    f"{start}{path.subject} has {len(value.elts)} parts, "
                    f"and the {place} is {self.speaker.say(element)}",
                    [element],
                    kinds,
                    1.6,
                    path.names,
                )
            return
        self.add(f"{start}{self.result(value, path.subject)}", [value], kinds, 2.4, path.names)
        self.inner_dictionaries(value)

    def local_shape(self, name: str) -> str | None:
        """How a local collection is built: `keyed by ...`, `a list of ...`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target = node.targets[0]
                if isinstance(target.value, ast.Name) and target.value.id == name:
                    return f"a dictionary keyed by {self.speaker.say(target.slice)}"
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "append"
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == name
                and node.args
            ):
                return (
                    f"a list of {self.speaker.say(node.args[0])} entries"
                    if isinstance(node.args[0], ast.Name)
                    else "a list"
                )
        return None

    def result(self, value: ast.expr, subject: str) -> str:
        """`the result is ...`."""
        if is_truth(value) and not isinstance(value, ast.Constant):
            return f"{subject} is true when {self.speaker.condition(value)}, and false otherwise"
        return f"{subject} is {self.speaker.say(value)}"

    def effect(self, node: ast.stmt, subject: str) -> str | None:
        """What a simple statement does, as a clause."""
        say = self.speaker.say
        if isinstance(node, ast.Return):
            return self.result(node.value, subject) if node.value is not None else f"{subject} is nothing"
        if isinstance(node, ast.Raise):
            return self.raised(node)
        if isinstance(node, ast.AugAssign):
            return self.augmented(node)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            value = node.value
            if value is None:
                return None
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            target = targets[0]
            if isinstance(target, ast.Tuple | ast.List):
                names = join([say(element) for element in target.elts])
                if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                    return f"{names} are {self.speaker.listing(value.elts, 0)}"
                return f"{names} are the parts of {say(value)}"
            if isinstance(target, ast.Name) and _is_empty(value):
                return f"{say(target)} starts {'empty' if not isinstance(value, ast.Constant) else 'at 0'}"
            verb = "is" if not isinstance(target, ast.Subscript) else "becomes"
            if is_truth(value) and not isinstance(value, ast.Constant):
                return f"{say(target)} is true when {self.speaker.condition(value)}, and false otherwise"
            if isinstance(value, ast.Lambda):
                return f"{say(target)} is {say(value.body)}"
            return f"{say(target)} {verb} {say(value)}"
        if isinstance(node, ast.Expr):
            return self.performed(node.value, subject)
        if isinstance(node, ast.Assert):
            return f"it must hold that {self.speaker.condition(node.test)}"
        if isinstance(node, ast.Delete):
            return f"{join([say(target) for target in node.targets])} is removed"
        if isinstance(node, ast.Continue):
            return "it is skipped"
        if isinstance(node, ast.Break):
            return "the search stops there"
        return None

    def augmented(self, node: ast.AugAssign) -> str:
        target, value = self.speaker.say(node.target), self.speaker.say(node.value)
        if isinstance(node.op, ast.Add):
            return f"{value} is added to {target}"
        if isinstance(node.op, ast.Sub):
            return f"{value} is taken off {target}"
        if isinstance(node.op, ast.Mult):
            return f"{target} is multiplied by {value}"
        if isinstance(node.op, ast.Div):
            return f"{target} is divided by {value}"
        if isinstance(node.op, ast.FloorDiv):
            return f"{target} is divided by {value} and rounded down"
        if isinstance(node.op, ast.Mod):
            return f"{target} becomes what remains after dividing it by {value}"
        return f"{target} is combined with {value}"

    def raised(self, node: ast.Raise) -> str:
        error = node.exc
        if isinstance(error, ast.Call):
            kind = " ".join(name_words(names_in([error.func])[-1])) if names_in([error.func]) else "error"
            message = f" saying {self.speaker.say(error.args[0])}" if error.args else ""
            return f"it is an error (a {kind}){message}"
        return "it is an error"

    def performed(self, value: ast.expr, subject: str) -> str | None:
        """A statement that is only a call."""
        if isinstance(value, ast.Yield | ast.YieldFrom):
            return f"{self.speaker.say(value)} is handed out next"
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        owner, arguments = self.speaker.say(value.func.value), value.args
        said = [self.speaker.say(argument) for argument in arguments]
        method = value.func.attr
        if method in ("append", "add", "appendleft", "push") and said:
            return f"{said[0]} is added to {owner}"
        if method == "extend" and said:
            return f"everything in {said[0]} is added to {owner}"
        if method == "insert" and len(said) > 1:
            return f"{said[1]} is put into {owner} at position {said[0]}"
        if method == "update" and said:
            return f"{owner} is updated with {said[0]}"
        if method in ("remove", "discard", "pop") and said:
            return f"{said[0]} is removed from {owner}"
        if method == "sort":
            options = {word.arg: word.value for word in value.keywords if word.arg}
            return f"{owner} is {self.speaker.sorting(value.func.value, options)}"
        if method == "reverse":
            return f"{owner} is put in reverse order"
        if method == "setdefault" and len(said) > 1:
            return f"the entry for {said[0]} in {owner} starts as {said[1]} if there is none"
        return None

    def kinds_of(self, node: ast.stmt) -> set[str]:
        kinds: set[str] = set()
        if isinstance(node, ast.Return):
            kinds.add("result")
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                kinds.add("category")
        if isinstance(node, ast.Raise):
            kinds |= {"error", "empty"}
        if isinstance(node, ast.AugAssign):
            kinds.add("change")
        if (
            isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr)
            and node.value is not None
        ):
            kinds |= self.kinds_of_value(node.value)
        return kinds

    def kinds_of_value(self, value: ast.AST) -> set[str]:
        kinds: set[str] = set()
        for node in ast.walk(value):
            if isinstance(node, ast.BinOp):
                kinds.add("formula")
            elif isinstance(node, ast.Call):
                names = names_in([node.func])
                name = names[0] if isinstance(node.func, ast.Name) and names else getattr(node.func, "attr", "")
                if name in ("round", "floor", "ceil", "int"):
                    kinds.add("rounding")
                elif name in ("sorted", "sort", "max", "min", "reversed"):
                    kinds.add("order")
                elif name in ("split", "strip", "replace", "join", "format"):
                    kinds.add("text")
                elif name in ("lower", "upper", "casefold"):
                    kinds.add("case")
                elif name == "get":
                    kinds.add("empty")
                elif name in ("sum", "len", "mean"):
                    kinds.add("formula")
            elif isinstance(node, ast.Compare | ast.IfExp):
                kinds.add("rule")
                kinds |= _test_kinds(node) if isinstance(node, ast.Compare) else set()
        return kinds

    # -- tables

    def inner_dictionaries(self, node: ast.AST) -> None:
        """Literal dictionaries inside an expression, as in `{...}.get(kind, 0)`."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Dict) and len(inner.keys) > 1:
                self.table("value", inner)
            elif (
                isinstance(inner, ast.List | ast.Tuple | ast.Set)
                and len(inner.elts) > 4
                and all(isinstance(element, ast.Constant) for element in inner.elts)
            ):
                self.table("listed values", inner)

    def table(self, name: str, value: ast.expr) -> bool:
        """Facts of a literal collection; False if `value` is none that could be told entry by entry."""
        if isinstance(value, ast.Dict) and value.keys and all(isinstance(key, ast.Constant) for key in value.keys):
            self.group += 1
            keyed = [(key, entry) for key, entry in zip(value.keys, value.values, strict=True) if key is not None]
            self.dictionary(name, keyed)
            self.group += 1
            return True
        if isinstance(value, ast.List | ast.Set | ast.Tuple) and len(value.elts) > 1:
            self.group += 1
            self.sequence(name, value.elts)
            self.group += 1
            return True
        return False

    def dictionary(self, name: str, entries: Sequence[tuple[ast.expr, ast.expr]]) -> None:
        noun = self.speaker.noun(name)
        one = singular(noun)
        if all(isinstance(entry, ast.Constant) for _, entry in entries):
            values = {self.speaker.say(entry) for _, entry in entries}
            if values == {"0"} and len(entries) > 1:
                keys = [self.speaker.say(key) for key, _ in entries]
                for position, chunk in enumerate(_chunks(keys, LONGEST_PIECE)):
                    start = (
                        f"the {noun} {'hold' if noun.endswith('s') else 'holds'}"
                        if position == 0
                        else f"the {noun} also hold"
                    )
                    self.add(
                        f"{start} one figure each for {join(chunk)}, starting at 0",
                        [name],
                        ["table", "start", "result"],
                        1.2,
                    )
                return
            by_value: dict[str, list[str]] = {}
            for key, entry in entries:
                by_value.setdefault(self.speaker.say(entry), []).append(self.speaker.say(key))
            pieces = [
                f"{said} for {join(keys)}"
                for said, every in by_value.items()
                for keys in _chunks(every, LONGEST_PIECE - 30)
            ]
            self.pieces(name, noun, pieces)
            if len(entries) > 1:
                self.group += 1
                for key, entry in entries:
                    self.entry(name, key, f"for {self.speaker.say(key)} the {one} is {self.speaker.say(entry)}", entry)
            return
        collections = [
            (self.speaker.say(key), [self.speaker.say(element) for element in entry.elts])
            for key, entry in entries
            if isinstance(entry, ast.List | ast.Tuple | ast.Set) and entry.elts
        ]
        if len(collections) == len(entries):
            self.pieces(name, noun, [f"{join(elements)} for {key}" for key, elements in collections])
        else:
            keys = [self.speaker.say(key) for key, _ in entries]
            for position, chunk in enumerate(_chunks(keys, LONGEST_PIECE)):
                start = f"the {noun} cover" if position == 0 else f"the {noun} also cover"
                self.add(f"{start} {join(chunk)}", [name], ["table", "result"], 1.5)
        self.group += 1
        for key, entry in entries:
            said = self.speaker.say(key)
            if isinstance(entry, ast.List | ast.Tuple | ast.Set) and entry.elts:
                for chunk in _chunks([self.speaker.say(element) for element in entry.elts], LONGEST_PIECE):
                    self.entry(name, key, f"the {noun} for {said} are {join(chunk)}", entry)
            elif isinstance(entry, ast.Dict) and entry.keys:
                for chunk in _chunks(
                    [
                        f"{self.speaker.say(inner)} {self.speaker.say(value)}"
                        for inner, value in zip(entry.keys, entry.values, strict=True)
                    ],
                    LONGEST_PIECE,
                ):
                    self.entry(name, key, f"for {said} the {noun} are {join(chunk)}", entry)
            else:
                self.entry(name, key, f"the {said} in the {noun} is {self.speaker.say(entry)}", entry)

    def pieces(self, name: str, noun: str, pieces: Sequence[str]) -> None:
        """A table in as many sentences as it takes; the first one is the most important."""
        for position, chunk in enumerate(_chunks(pieces, LONGEST_PIECE, "; ")):
            start = f"the {noun} is" if position == 0 else f"more of the {noun}:"
            importance = 1.9 - min(position, 8) * 0.05
            self.group += 1
            self.add(f"{start} {'; '.join(chunk)}", [name], ["table", "formula", "rule"], importance)

    def entry(self, name: str, key: ast.expr, sentence: str, value: ast.expr) -> None:
        words = words_of(str(key.value)) if isinstance(key, ast.Constant) else []
        self.add(sentence, [name, value], ["table"], 0.8, emphasis=words)

    def sequence(self, name: str, elements: Sequence[ast.expr]) -> None:
        noun = self.speaker.noun(name)
        if all(not isinstance(element, ast.Dict | ast.List | ast.Tuple) for element in elements):
            for position, chunk in enumerate(
                _chunks([self.speaker.say(element) for element in elements], LONGEST_PIECE)
            ):
                start = f"the {noun} are" if position == 0 else f"further {noun} are"
                if not noun.endswith("s"):
                    start = f"the {noun} is made up of" if position == 0 else f"the {noun} also has"
                self.add(f"{start} {join(chunk)}", [name], ["table", "rule"], 1.9 - min(position, 5) * 0.05)
            return
        shown = [self.element(element) for element in elements]
        self.pieces(name, f"list of {noun}", shown)
        self.group += 1
        for element, said in zip(elements, shown, strict=True):
            words = [
                word
                for constant in ast.walk(element)
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
                for word in words_of(constant.value)
            ]
            verb = "has" if isinstance(element, ast.Dict) else "is"
            self.add(f"one of the {noun} {verb} {said}", [name, element], ["table"], 0.8, emphasis=words)

    def element(self, node: ast.expr) -> str:
        """A record or tuple of a fixed list, without the word for what it is."""
        if isinstance(node, ast.Dict):
            parts = []
            for key, value in zip(node.keys, node.values, strict=True):
                inner = isinstance(value, ast.List | ast.Tuple) and value.elts
                text = self.speaker.listing(value.elts, 0) if inner else self.speaker.say(value)  # type: ignore[union-attr]
                parts.append(f"{self.speaker.say(key)} {text}" if key is not None else text)
            return join(parts)
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            return " with ".join(
                [self.speaker.say(node.elts[0]), *([self.speaker.listing(node.elts[1:], 0)][: len(node.elts) - 1])]
            )
        return self.speaker.say(node)

    # -- the whole

    def general(self) -> None:
        """Answers to questions of a kind that the reference answers by what it does not do."""
        self.group += 1
        nodes = list(ast.walk(self.tree))
        called = {
            node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            for node in nodes
            if isinstance(node, ast.Call)
        }
        arithmetic = any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Mult) for node in nodes)
        formats = any(isinstance(node, ast.FormattedValue) and node.format_spec is not None for node in nodes)
        whole = any(isinstance(node, ast.FloorDiv | ast.RShift) for node in nodes)

        def say(sentence: str, kind: str, words: str) -> None:
            self.group += 1
            self.facts.append(
                Fact(sentence, {stem(word): 1.2 for word in words.split()}, frozenset([kind]), 0.2, self.group)
            )

        if (
            arithmetic
            and not formats
            and not whole
            and not called & {"round", "floor", "ceil", "int", "trunc", "quantize", "format"}
        ):
            say("Nothing gets rounded, I take the number as it comes out.", "rounding", "round decimal precision place")
        if not called & {"sorted", "sort", "reversed", "nlargest", "nsmallest", "most_common", "reverse"}:
            say("There is no special sorting.", "order", "sort order rank sorting")
        unordered = "set" in called or any(isinstance(node, ast.Set | ast.SetComp) for node in nodes)
        if called & {"sorted", "sort"} and not unordered:
            say("Ties stay in the order in which they come in.", "order", "tie equal draw same break")
        elif called & {"max", "min"} and not unordered and self.picks_by_key():
            say("If several are tied, the first one counts.", "order", "tie equal draw same break several")
        if not any(isinstance(node, ast.Raise | ast.Assert | ast.Try) for node in nodes):
            say("I have no special error handling in mind.", "error", "error exception raise validate validation")
        if not any("empty" in fact.kinds for fact in self.facts):
            say(
                "I have nothing special in mind for empty or missing input.",
                "empty",
                "empty missing none null edge blank",
            )
        texts = any(
            isinstance(node, ast.Compare) and any(_holds_text(part) for part in [node.left, *node.comparators])
            for node in nodes
        )
        if texts and not called & {
            "lower",
            "upper",
            "casefold",
            "match",
            "search",
            "fullmatch",
            "compile",
            "title",
            "capitalize",
        }:
            say(
                "Texts are compared exactly as written, so capitals matter.",
                "case",
                "case sensitive insensitive capital upper lower uppercase lowercase",
            )

    def picks_by_key(self) -> bool:
        """Whether every highest or lowest is picked by something else than itself, so that ties can show."""
        calls = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min")
        ]
        return bool(calls) and all(any(word.arg == "key" for word in call.keywords) for call in calls)

    def cover_constants(self) -> None:
        """A fact of its own for each constant that no sentence so far holds."""
        told = " ".join(fact.sentence for fact in self.facts)
        parents: dict[ast.AST, ast.AST] = {}
        for parent in ast.walk(self.tree):
            for child in ast.iter_child_nodes(parent):
                parents[child] = parent
        for constant in constants_in(self.tree):
            if any(form in told for form in spoken_forms(constant.value)):
                continue
            if self.cover(constant, parents):
                told += self.facts[-1].sentence

    def cover(self, constant: ast.Constant, parents: dict[ast.AST, ast.AST]) -> bool:
        """Tells the smallest part around a constant that reads as something; whether that worked."""
        forms = spoken_forms(constant.value)
        node: ast.AST = constant
        around: list[str] = []
        statement: ast.AST | None = parents.get(constant)
        while statement is not None and not isinstance(statement, ast.stmt):
            statement = parents.get(statement)
        if statement is not None:
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            around = names_in([target for target in targets if target is not None])
        candidates: list[str] = []
        while node in parents:
            node = parents[node]
            if isinstance(node, ast.stmt | ast.Module):
                break
            if isinstance(node, ast.Compare):
                candidates.append(f"one check is whether {self.speaker.condition(node)}")
            elif isinstance(
                node, ast.BinOp | ast.Call | ast.JoinedStr | ast.Dict | ast.IfExp | ast.Subscript | ast.List
            ):
                candidates.append(f"one part of it is {self.speaker.say(node)}")
        candidates.append(f"one value that matters is {self.speaker.say(constant)}")
        for sentence in candidates:
            if len(sentence) < 300 and any(form in sentence for form in forms):
                before = len(self.facts)
                self.group += 1
                self.add(
                    sentence, [statement] if isinstance(statement, ast.stmt) else [], ["rule", "formula"], 0.7, around
                )
                return len(self.facts) > before
        return False


# -- helpers


def kinds_named_by(stems: Iterable[str]) -> frozenset[str]:
    """The kinds of fact (keys of `KINDS`) that these stems ask for."""
    asked = set(stems)
    return frozenset(kind for kind, words in _KIND_STEMS.items() if words & asked)


def constants_in_sentence(sentence: str) -> list[str]:
    """The numbers and quoted texts that a fact's sentence holds, as a draft in code would spell them."""
    quoted = re.findall(r'"([^"]+)"', sentence)
    numbers = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w%])", re.sub(r'"[^"]*"', "", sentence))
    return [*quoted, *(number.replace(",", "") for number in numbers)]


def constants_in(tree: ast.AST) -> Iterator[ast.Constant]:
    """Numbers and texts of a tree, docstrings, 0, 1 and blank texts aside."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, bool) or not isinstance(node.value, int | float | str):
            continue
        if node.value in (0, 1) or (isinstance(node.value, str) and not node.value.strip()):
            continue
        yield node


def spoken_forms(value: object) -> list[str]:
    """The ways in which a sentence may hold a constant."""
    if isinstance(value, str):
        plain = " ".join(value.replace("_", " ").split())
        return [say_text(value), plain, value] if plain else [say_text(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        forms = [say_number(value), repr(value)]
        if isinstance(value, float) and 0 < value < 1:
            forms.append(say_percent(value))
        return forms
    return [repr(value)]


def _groups(facts: Sequence[Fact]) -> dict[int, tuple[str, tuple[int, ...]]]:
    """Neighbouring facts of one group, joined by semicolons as far as they fit: fact -> (sentence, facts in it)."""
    members: dict[int, list[int]] = defaultdict(list)
    for position, fact in enumerate(facts):
        members[fact.group].append(position)
    groups = {}
    for positions in members.values():
        start = 0
        for run in _chunks([facts[position].sentence for position in positions], LONGEST_GROUP, "; "):
            told = tuple(positions[start : start + len(run)])
            start += len(run)
            if len(told) > 1:
                texts = [text.rstrip(".") for text in run]
                sentence = "; ".join([texts[0], *(text[:1].lower() + text[1:] for text in texts[1:])]) + "."
                groups.update(dict.fromkeys(told, (sentence, told)))
    return groups


def _chunks(pieces: Sequence[str], characters: int, separator: str = ", ") -> Iterator[list[str]]:
    """Runs of `pieces` whose joined length stays under `characters` (at least one piece each)."""
    run: list[str] = []
    length = 0
    for piece in pieces:
        if run and length + len(piece) + len(separator) > characters:
            yield run
            run, length = [], 0
        run.append(piece)
        length += len(piece) + len(separator)
    if run:
        yield run


def _literal_tables(tree: ast.AST) -> dict[str, ast.expr]:
    assigned: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    assigned[target.id].append(node.value)
    return {
        name: values[0]
        for name, values in assigned.items()
        if len(values) == 1
        and (
            (isinstance(values[0], ast.List | ast.Set | ast.Tuple) and values[0].elts)
            or (isinstance(values[0], ast.Dict) and values[0].keys)
        )
    }


def _holds_text(node: ast.AST) -> bool:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return any(_holds_text(element) for element in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _test_kinds(test: ast.AST) -> set[str]:
    """`empty` if a condition asks whether something is there at all."""
    kinds: set[str] = set()
    for node in ast.walk(test):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
            kinds.add("empty")
        if isinstance(node, ast.Compare):
            values = [part.value for part in node.comparators if isinstance(part, ast.Constant)]
            if any(value is None or value == 0 or value == "" for value in values) and not isinstance(values[0], bool):
                kinds.add("empty")
            if any(isinstance(op, ast.NotIn) for op in node.ops):
                kinds.add("empty")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("lower", "upper"):
            kinds.add("case")
    return kinds


def _is_simple(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict | ast.Tuple):
        return len(ast.dump(node.value)) < 400
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict | ast.List):
        return not (node.value.keys if isinstance(node.value, ast.Dict) else node.value.elts)
    return isinstance(
        node,
        ast.Return
        | ast.Raise
        | ast.Assign
        | ast.AnnAssign
        | ast.AugAssign
        | ast.Expr
        | ast.Continue
        | ast.Break
        | ast.Delete
        | ast.Pass
        | ast.Assert,
    )


_PLURAL_VERBS = {
    "is": "are",
    "starts": "start",
    "ends": "end",
    "contains": "contain",
    "has": "have",
    "differs": "differ",
    "does": "do",
    "becomes": "become",
    "holds": "hold",
}


def _plural_pattern(speaker: Speaker, tree: ast.AST) -> re.Pattern[str] | None:
    """Matches a plural name as the subject of a singular verb (not `the number of ratings is`)."""
    nouns = {" ".join(name_words(name)) for name in names_in([tree])}
    plurals = sorted(
        (re.escape(noun) for noun in nouns if len(noun) > 3 and singular(noun) != noun), key=len, reverse=True
    )
    if not plurals:
        return None
    return re.compile(
        rf"(^|, |; |if |when |and |or |either |both |that )[Tt]he ({'|'.join(plurals)}) ({'|'.join(_PLURAL_VERBS)})\b"
    )


def _once_underscored(sentence: str) -> str:
    """Says of each text only once that it has underscores."""
    seen: set[str] = set()

    def first_time(match: re.Match[str]) -> str:
        known = match.group(1) in seen
        seen.add(match.group(1))
        return match.group(1) if known else match.group(0)

    return re.sub(r'("[^"]*") \(with underscores\)', first_time, sentence)


def _may_return(statement: ast.stmt) -> bool:
    """Whether a statement can end the function; definitions inside it do not count."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == 0 and not isinstance(node.value, bool)
    if isinstance(node, ast.List | ast.Set):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "dict", "set", "defaultdict", "Counter", "OrderedDict")
        and (not node.args or node.func.id == "defaultdict")
    )


def _plain(speaker: Speaker, name: str | None, otherwise: str) -> str:
    return speaker.noun(name) if name and len(name) > 2 else otherwise


def _record(use: NameUse) -> str:
    keys = list(dict.fromkeys(use.keys))
    said = [say_text(key) for key in keys[:12]]
    if sum(text.endswith(" (with underscores)") for text in said) > 1:
        text = join([one.removesuffix(" (with underscores)") for one in said])
        return f"has the entries {text} (with underscores where names have blanks)"
    return f"has the {'entry' if len(said) == 1 else 'entries'} {join(said)}"


def _item_uses(function: ast.AST, name: str, uses: dict[str, NameUse]) -> tuple[str, str | None, str | None] | None:
    """How a parameter is looped over: ("items", key name, value name) or ("each", element name, None)."""
    for node in ast.walk(function):
        if not isinstance(node, ast.For | ast.comprehension):
            continue
        source, target = node.iter, node.target
        if (
            isinstance(source, ast.Call)
            and isinstance(source.func, ast.Attribute)
            and source.func.attr == "items"
            and isinstance(source.func.value, ast.Name)
            and source.func.value.id == name
            and isinstance(target, ast.Tuple)
            and len(target.elts) == 2
        ):
            key, value = target.elts
            return (
                "items",
                key.id if isinstance(key, ast.Name) else None,
                value.id if isinstance(value, ast.Name) else None,
            )
        if (
            isinstance(source, ast.Call)
            and isinstance(source.func, ast.Name)
            and source.func.id == "enumerate"
            and source.args
            and isinstance(target, ast.Tuple)
        ):
            source, target = source.args[0], target.elts[-1]
        if isinstance(source, ast.Name) and source.id == name:
            return ("each", target.id if isinstance(target, ast.Name) else None, None)
    return None


def _name_uses(tree: ast.AST) -> dict[str, NameUse]:
    uses: dict[str, NameUse] = defaultdict(NameUse)

    def base(node: ast.AST) -> str | None:
        """The name a comparison is about: `x`, `x.lower()`, `x.strip().lower()`."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        return node.id if isinstance(node, ast.Name) else None

    def condition(node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            uses[node.id].as_condition = True
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            condition(node.operand)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                condition(value)

    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            condition(node.test)
        elif isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            condition(node)
        elif isinstance(node, ast.For | ast.comprehension):
            if isinstance(node, ast.comprehension):
                for test in node.ifs:
                    condition(test)
            source = node.iter
            sources = source.args if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else [source]
            for part in sources:
                if isinstance(part, ast.Name) and not (
                    isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range"
                ):
                    uses[part.id].iterated = True
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                use = uses[node.func.value.id]
                use.methods.add(node.func.attr)
                first = node.args[0] if node.args else None
                if node.func.attr == "get" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                    use.keys.append(first.value)
            if isinstance(node.func, ast.Name):
                for argument in node.args:
                    if isinstance(argument, ast.Name):
                        if node.func.id in ("len", "sum", "sorted", "set", "any", "all"):
                            uses[argument.id].length_taken = True
                        else:
                            uses[argument.id].other_use = True
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                uses[node.value.id].keys.append(node.slice.value)
            else:
                uses[node.value.id].indexed = True
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            operands = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
            for operand in operands:
                if isinstance(operand, ast.Name):
                    uses[operand.id].in_arithmetic = True
        elif isinstance(node, ast.Compare):
            _note_comparison(node, uses, base)
    return dict(uses)


def _note_comparison(node: ast.Compare, uses: dict[str, NameUse], base: Callable[[ast.AST], str | None]) -> None:
    parts = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, parts, parts[1:], strict=False):
        for one, other in ((left, right), (right, left)):
            name = base(one)
            if name is None:
                continue
            use = uses[name]
            if isinstance(op, ast.In | ast.NotIn):
                if one is right:
                    # `"key" in record` and `"word" in text` look alike; neither tells a flag.
                    use.other_use = True
                elif isinstance(other, ast.List | ast.Tuple | ast.Set):
                    use.texts += [
                        element.value
                        for element in other.elts
                        if isinstance(element, ast.Constant) and isinstance(element.value, str)
                    ]
                else:
                    use.other_use = True
            elif isinstance(other, ast.Constant) and isinstance(other.value, str):
                use.texts.append(other.value)
            elif isinstance(other, ast.Constant) and isinstance(other.value, bool):
                use.as_condition = True
            elif isinstance(other, ast.Constant) and other.value is None:
                continue
            elif isinstance(op, ast.Eq | ast.NotEq):
                use.other_use = True
            else:
                use.compared_with_number = True
