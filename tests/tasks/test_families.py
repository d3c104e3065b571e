"""What every family of embedded backend tasks must hold to, whoever wrote it."""

from __future__ import annotations

import ast
import copy
import itertools
from random import Random

import pytest

from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.tasks.backend import TESTS, choose_calls
from colbench_gym.tasks.families import all_families, family_called
from colbench_gym.tasks.family import Family, expand

SEEDS = range(60)
families = pytest.mark.parametrize("family", all_families(), ids=lambda family: family.name)


def drawn(family: Family, seed: int):
    rng = Random(f"{family.name}/{seed}")
    values = family.draw(rng)
    return values, choose_calls(family, values, rng)


def run(source: str, name: str, call: tuple):
    scope: dict = {}
    exec(source, scope)
    return scope[name](*copy.deepcopy(call))


def test_there_are_enough():
    held_out = [family for family in all_families() if family.held_out]
    assert len(all_families()) - len(held_out) >= 24
    assert len(held_out) >= 6


def test_names_tell_families_apart():
    names = [name for family in all_families() for name in family.names]
    assert len(names) == len(set(names))
    assert all(family_called(family.names[0]) is family for family in all_families())


@families
def test_shape(family: Family):
    assert 4 <= len(family.details) <= 8
    assert len(family.names) >= 3
    assert len(family.requests) >= 5
    rng = Random(0)
    texts = {expand(request, rng) for request in family.requests for _ in range(20)}
    assert len(texts) >= 8, "more alternatives, please: tasks of one family should not share their text"
    assert not [text for text in texts if "[" in text or "]" in text or "|" in text]
    assert not [text for text in texts if len(text) > 700 or "def " in text]


@families
def test_sentences_say_one_thing(family: Family):
    """A sentence belongs to one value of one detail, is none's part, and fits into a reply."""
    owners = {
        sentence: (spec.name, repr(value))
        for spec in family.details
        for value in spec.options
        for sentence in spec.sentences(value)
    }
    total = sum(len(spec.sentences(value)) for spec in family.details for value in spec.options)
    assert len(owners) == total, "two values share a sentence"
    for one, other in itertools.permutations(owners, 2):
        assert owners[one] == owners[other] or one not in other
    for sentence in owners:
        assert len(sentence) <= 180 < USER_CHARACTERS["backend"] // 2
        assert sentence[0].isupper() or not sentence[0].isalpha()
        assert sentence[-1] in ".!"
        assert not any(
            mark in sentence for mark in ("==", ">=", "<=", "_", "`", "{", "}", "[", "]", " = ", " > ", " < ")
        )
        assert sum(sentence.count(mark) for mark in (". ", "! ", "? ")) == 0, "one sentence, please"


@families
def test_topics_tell_details_apart(family: Family):
    owners: dict[str, str] = {}
    for spec in family.details:
        assert len(spec.topics) >= 3
        for topic in spec.topics:
            assert topic == topic.lower()
            assert owners.setdefault(topic, spec.name) == spec.name, f"{topic!r} asks for two details"


@families
def test_requests_give_no_value_away(family: Family):
    rng = Random(1)
    for request in family.requests:
        for _ in range(20):
            text = expand(request, rng)
            assert not [
                sentence
                for spec in family.details
                for value in spec.options
                for sentence in spec.sentences(value)
                if sentence.rstrip(".!").lower() in text.lower()
            ]


@families
def test_source_is_the_function(family: Family):
    for seed in SEEDS:
        values, calls = drawn(family, seed)
        source = family.source(values, family.names[0])
        assert "DETAIL_" not in source
        assert not {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)} & set(values)
        for call in calls:
            before = repr(call)
            expected = family.function(*call, **values)
            assert repr(call) == before, "the function changes its arguments"
            assert run(source, family.names[0], call) == expected
            assert expected is not None


@families
def test_every_wrong_guess_fails_a_test(family: Family):
    for seed in SEEDS:
        values, calls = drawn(family, seed)
        assert len({repr(call) for call in calls}) == TESTS
        expected = [family.function(*call, **values) for call in calls]
        assert len({repr(result) for result in expected}) >= 3, "a constant would pass most tests"
        for wrong, guess in family.wrong_guesses(values):
            source = family.source(guess, family.names[0])
            assert any(
                fails(source, family.names[0], call, result) for call, result in zip(calls, expected, strict=True)
            ), f"{wrong}={guess[wrong]!r} instead of {values[wrong]!r} passes all tests"


def fails(source: str, name: str, call: tuple, expected) -> bool:
    try:
        return run(source, name, call) != expected
    except Exception:
        return True


@families
def test_careless_values_alone_are_never_right(family: Family):
    for seed in SEEDS:
        values, calls = drawn(family, seed)
        careless = {spec.name: spec.careless for spec in family.details}
        assert any(family.function(*call, **values) != family.function(*call, **careless) for call in calls)
