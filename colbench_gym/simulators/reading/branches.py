"""Facts of branches: if ... elif ... else."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from colbench_gym.simulators.english import join
from colbench_gym.simulators.english.wording import OPEN_ASIDE, names_in
from colbench_gym.simulators.reading.exclusion import Ladder, Rung, exclude_each_other, number_in, subject_of
from colbench_gym.simulators.reading.model import (
    LONGEST_CONDITIONS,
    LONGEST_PIECE,
    LONGEST_SENTENCE,
    NOTHING_EARLIER,
    NOTHING_ELSE,
    PART,
    RESULT_MARK,
    Path,
    chunks,
)
from colbench_gym.simulators.reading.notes import Notes
from colbench_gym.simulators.reading.shapes import (
    is_simple,
    test_kinds,
)
from colbench_gym.simulators.words import name_words, stem, words_of

_LONGEST_COMPARED = 60
"""Branches further down a chain are not compared with all before them, which takes the square of their number: "if
nothing earlier applies" is true of any of them."""


class Branches(Notes):
    """Chains of conditions."""

    def chain(self, branches: Sequence[tuple[ast.expr | None, list[ast.stmt]]], path: Path) -> None:
        """Facts of an if ... elif ... else: its tests (None for the else) with what follows from each."""
        tests = [test for test, _ in branches]
        conditions = self.branch_conditions(tests)
        if not path.conditions:
            self.ladder(branches, conditions, path)
        told: list[Rung] = []
        for test in tests:
            if test is not None:
                self.inner_dictionaries(test)
        self.new_group()
        group = self.group
        for (test, body), condition in zip(branches, conditions, strict=True):
            first = branches[0][0]
            names = tuple(names_in([test])) if test is not None else tuple(names_in([first] if first else []))[:4]
            inner = replace(path, conditions=(*path.conditions, condition), names=(*path.names, *names))
            simple = [statement for statement in body if is_simple(statement)]
            before = len(self.facts)
            if len(simple) == len(body) and 0 < len(body) <= 3:
                self.branch(test, simple, inner, tests[0] if len(tests) == 2 else None)
                effects = [effect for statement in simple if (effect := self.effect(statement, path.subject))]
                told += [
                    Rung(test, fact.sentence, join(effects).replace(RESULT_MARK, ""))
                    for fact in self.facts[before : before + 1]
                ]
            else:
                if test is not None and (path.conditions or len(condition) > LONGEST_CONDITIONS):
                    said = self.speaker.condition(test)
                    self.add(f"one check on the way is whether {said}", [test], ["rule"], 0.8, path.names)
                self.block(body, inner)
                self.group = group
        self.new_group()
        if len(told) == len(branches):
            self.note_ladder(told, path)

    def note_ladder(self, rungs: Sequence[Rung], path: Path) -> None:
        """Remembers a chain about one number, so that it can be asked about any value of it."""
        for start in range(len(rungs)):
            if rungs[start].test is not None and self.note_run(rungs[start:], path, not start):
                return

    def note_run(self, rungs: Sequence[Rung], path: Path, is_whole: bool) -> bool:
        """The same for the end of a chain; False if it is not about one number."""
        fixed = {name: value for name, node in self.speaker.fixed.items() if (value := number_in(node)) is not None}
        subject = subject_of([rung.test for rung in rungs if rung.test is not None], fixed)
        if subject is not None and not path.loops:
            stems = frozenset(stem(word) for name in names_in([subject]) for word in name_words(name))
            said = self.speaker.say(subject)
            if OPEN_ASIDE not in said and len(said) < 80:
                lead = path.lead().replace(PART, "")
                if not is_whole:
                    lead = f"{lead}, unless an earlier case applies" if lead else "unless an earlier case applies"
                taken = frozenset(name for name in self.uses if len(name) == 1)
                opening = self.agree(f"if {said} is")
                ladder = Ladder(opening, ast.dump(subject), stems, lead, tuple(rungs), fixed, taken)
                self.ladders.append(ladder)
                return True
        return False

    def ladder(
        self, branches: Sequence[tuple[ast.expr | None, list[ast.stmt]]], conditions: Sequence[str], path: Path
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
        for position, chunk in enumerate(chunks(short, LONGEST_PIECE, "; ")):
            opening = f"{start} is" if position == 0 else f"by {subject}, there is also"
            self.new_group()
            self.add(f"{opening} {'; '.join(chunk)}", names, ["rule", "result", "otherwise", "table"], 2.6, path.names)
        self.new_group()

    def branch(
        self, test: ast.expr | None, body: Sequence[ast.stmt], path: Path, opposite: ast.expr | None = None
    ) -> None:
        """One sentence for a branch whose body is a few simple statements. `opposite`: the test an else denies."""
        effects = [effect for statement in body if (effect := self.effect(statement, path.subject))]
        if not effects:
            return
        nodes: list[ast.AST] = [*body] if test is None else [test, *body]
        asked = [node.value for node in ast.walk(test) if isinstance(node, ast.Constant)] if test else []
        words = words_of(" ".join(value for value in asked if isinstance(value, str)))
        kinds = {"otherwise"} if test is None else {"rule"}
        for statement in body:
            kinds |= self.kinds_of(statement)
        asked_for = test if test is not None else opposite
        if asked_for is not None:
            kinds |= test_kinds(asked_for)
        importance = 2.0 if "empty" in kinds or "error" in kinds else 1.8 if test is None else 2.2
        for said in ([join(effects)], effects):
            for lead in path.leads():
                sentences = [f"{lead}, {effect}" for effect in said]
                if max(map(len, sentences)) < LONGEST_SENTENCE:
                    for sentence in sentences:
                        self.add(sentence, nodes, kinds, importance, path.names, words)
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
                alone = len(tests) == 2 and not isinstance(_bare(tests[0]), ast.BoolOp)
                if alone and isinstance(_bare(tests[0]), ast.Compare | ast.Name):
                    said.append(self.speaker.condition(tests[0] or ast.Constant(True), negated=True))
                else:
                    ladder = self.step(before, None) if same_subject else None
                    said.append(ladder or NOTHING_ELSE)
                continue
            text = self.speaker.condition(test)
            earlier = [one for one in tests[:position] if one is not None]
            ladder = self.step(before, test) if same_subject and position else None
            if ladder:
                said.append(ladder)
            elif position <= _LONGEST_COMPARED and all(exclude_each_other(one, test) for one in earlier):
                said.append(text)
            else:
                said.append(f"{NOTHING_EARLIER}{text}")
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


def _bare(test: ast.expr | None) -> ast.expr | None:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Compare) and len(test.ops) > 1:
        return None
    return test
