"""Facts read from references."""

from __future__ import annotations

import ast
import textwrap

import pytest

from colbench_gym.simulators.facts import facts_of
from colbench_gym.simulators.plain_english import say_number, say_percent, say_text
from colbench_gym.simulators.words import name_words, stem


def told(source: str) -> str:
    return " ".join(fact.sentence for fact in facts_of(textwrap.dedent(source)).facts)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(price):\n    return price * 0.15", "The result is 15% of the price."),
        ("def f(price, tax):\n    return price * (1 + tax)", "the price times the sum of 1 and the tax"),
        (
            "def f(a_b, c_d, e_f):\n    return a_b * (c_d - e_f) ** 2",
            "the quantity the c d minus the e f, to the power of 2",
        ),
        ("def f(total_a, total_b):\n    return total_a - (total_b - 5)", "minus the quantity the total b minus 5"),
        ("def f(size):\n    if size > 5000000:\n        return 'big'\n    return 'small'", "more than 5,000,000"),
        ("def f(size):\n    return 3 <= size <= 7", "between 3 and 7 (both included)"),
        ("def f(size):\n    return 3 < size <= 7", "more than 3 and at most 7"),
        ("def f(kind):\n    if kind in ('a', 'b'):\n        return 4", 'one of "a" or "b"'),
        ("def f(kind):\n    if kind == 'x' or kind == 'y':\n        return 4", 'the kind is "x" or "y"'),
        (
            "def f(words):\n    if not words:\n        return 'nobody'\n    return len(words)",
            'If the words are empty, the result is "nobody".',
        ),
        ("def f(items):\n    if len(items) == 0:\n        return -3", "If the items are empty, the result is minus 3."),
        ("def f(items):\n    return sorted(items, key=lambda r: r['age'], reverse=True)", "highest first"),
        ("def f(items):\n    return sorted(items)", "Ties stay in the order in which they come in."),
        ("def f(cost):\n    return round(cost / 3, 2)", "rounded to 2 decimals"),
        ("def f(cost):\n    return cost / 3", "Nothing gets rounded"),
        (
            "def f(n_days):\n    if n_days < 0:\n        raise ValueError('no time travel')",
            '(a value error) saying "no time travel"',
        ),
        ("def f(rate=0.07):\n    return rate", "The rate is 0.07 unless something else is given."),
        ("def f(n):\n    return n % 3 == 0", "n is divisible by 3"),
        ("def f(name):\n    return f'Dear {name}!'", '"Dear ", then the name'),
        ("def f(rows):\n    return [row['id'] for row in rows if row['age'] > 30]", "is more than 30"),
        ("def f(rows):\n    return sum(row['net_pay'] for row in rows)", '"net pay" (with underscores)'),
        ("def f(m):\n    table = {'red': 5, 'blue': 7}\n    return table[m]", 'For "blue" the table is 7.'),
    ],
)
def test_what_a_reference_says(source: str, expected: str) -> None:
    assert expected in told(source)


def test_a_ladder_of_comparisons_is_true_rung_by_rung() -> None:
    text = told(
        """
        def f(score):
            if score < 40:
                return "bad"
            elif score < 60:
                return "fair"
            else:
                return "good"
        """
    )
    assert 'If the score is at least 40 but less than 60, the result is "fair".' in text
    assert 'If the score is at least 60, the result is "good".' in text


def test_the_last_return_after_earlier_ones_is_not_told_as_if_it_always_held() -> None:
    text = told("def f(a_x):\n    for b in a_x:\n        if b > 4:\n            return 'yes'\n    return 'no'")
    assert 'If none of the earlier cases applies, the result is "no".' in text
    assert 'The result is "no".' not in text


def test_records_are_described_by_their_keys() -> None:
    text = told("def f(songs):\n    return [song['title'] for song in songs if song['length'] > 3]")
    assert "a list of records" in text
    assert '"title"' in text


def test_long_tables_are_told_in_pieces_and_by_entry() -> None:
    entries = {f"city {number}": number * 17 + 1000 for number in range(60)}
    facts = facts_of(f"def f(city):\n    tolls = {entries!r}\n    return tolls.get(city, 55)").facts
    assert all(len(fact.sentence) <= 400 for fact in facts)
    assert any(fact.sentence == 'For "city 41" the toll is 1697.' for fact in facts)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", '"a"'), (", ", "a comma and a blank"), ("net_pay", '"net pay" (with underscores)'), ("", "an empty text")],
)
def test_texts_are_said_without_code(value: str, expected: str) -> None:
    assert say_text(value) == expected


def test_numbers_are_exact() -> None:
    assert say_number(6e6) == "6,000,000"
    assert say_number(1988) == "1988"
    assert say_number(1e-5) == "0.00001"
    assert say_number(-2.5) == "minus 2.5"
    assert say_number(float("inf")) == "infinity"
    assert say_percent(0.2456) == "24.56%"


def test_words() -> None:
    assert name_words("maxRetryCount2_x") == ["max", "retry", "count", "2", "x"]
    assert stem("ties") == stem("tied") == stem("tie")
    assert stem("rounding") == stem("rounded") == stem("round")
    assert stem("categorised") == stem("categorize")


ODD = """
import re, functools
async def g(x, /, y, *args, z=(1, 2), **kw):
    async with x as y:
        async for a in y:
            await a
    return [i async for i in y]
class A(dict, metaclass=type):
    limit: int = 40
    def m(self):
        yield from self
        global q
        q: int
        nonsense = lambda *a, **k: (a, k)
        del q
@functools.cache
def f(x):
    try:
        with open(x) as h, h as k:
            x @= 3; x |= 1; x >>= 2; x //= 9
    except* (ValueError, KeyError) as e:
        raise e from None
    match x:
        case {"a": 1, **rest} if rest: return 7
        case [1, *others] | A(limit=4): return 8
        case None: return 9
        case _: pass
    while (n := x) and not x is ...: break
    else: assert x, "no"
    print(f"{x!r:>{n}} {x:.2f}", *x, **x, sep=b"1")
    return {**x, 1: {2, 3}, None: x[1:2, ...], (1, 2): ~x, "k": 1j} if x < 3 < 4 != 5 else -x ** +x
"""


def test_any_construct_is_accepted() -> None:
    ast.parse(ODD.replace("except*", "except"))
    facts = facts_of(ODD.replace("except*", "except")).facts
    assert facts
    assert all(fact.sentence.endswith(".") for fact in facts)


@pytest.mark.parametrize("source", ["", "x", "def (", "\x00", "pass", "'doc'", "1/0", "(" * 3000, "x" + "+x" * 500])
def test_no_text_raises(source: str) -> None:
    facts_of(source)


def test_a_stray_backslash_is_read_silently() -> None:
    assert "45" in told("def f(x):\n    if x == '\\q':\n        return 45")


def test_deep_nesting_is_bounded() -> None:
    deep = "def f(x):\n" + "".join("    " * level + f"if x > {level}:\n" for level in range(1, 60))
    facts_of(deep + "    " * 60 + "return 5")
    facts_of("def f(x):\n    return " + "-" * 80 + "x")
    facts_of("def f(x):\n    return " + "[" * 60 + "3" + "]" * 60)
