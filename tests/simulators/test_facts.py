"""Facts read from references."""

from __future__ import annotations

import ast
import re
import textwrap

import pytest

from colbench_gym.simulators.english import say_number, say_percent, say_text
from colbench_gym.simulators.facts import constants_in, facts_of, spoken_forms
from colbench_gym.simulators.words import name_words, stem
from own_references import REFERENCES


def told(source: str) -> str:
    return " ".join(fact.sentence for fact in facts_of(textwrap.dedent(source)).facts)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(price):\n    return price * 0.15", "15% of the price."),
        ("def f(price, tax):\n    return price * (1 + tax)", "the price times the sum of 1 and the tax"),
        (
            "def f(a_b, c_d, e_f):\n    return a_b * (c_d - e_f) ** 2",
            "the a b times X, where X is Y to the power of 2, and Y is the c d minus the e f.",
        ),
        (
            "def f(total_a, total_b):\n    return total_a - (total_b - 5)",
            "the total a, minus X, where X is the total b minus 5.",
        ),
        ("def f(size):\n    if size > 5000000:\n        return 'big'\n    return 'small'", "more than 5,000,000"),
        ("def f(size):\n    return 3 <= size <= 7", "between 3 and 7 (both included)"),
        ("def f(size):\n    return 3 < size <= 7", "more than 3 and at most 7"),
        ("def f(kind):\n    if kind in ('a', 'b'):\n        return 4", 'one of "a" or "b"'),
        ("def f(kind):\n    if kind == 'x' or kind == 'y':\n        return 4", 'the kind is "x" or "y"'),
        (
            "def f(words):\n    if not words:\n        return 'nobody'\n    return len(words)",
            "If the words are empty, ",
        ),
        (
            "def f(items):\n    if len(items) == 0:\n        return -3",
            "If the items are empty, ",
        ),
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
        ("def f(name):\n    return f'Dear {name}!'", 'the text "Dear (the name)!"'),
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
    assert re.search('If the score is at least 40 but less than 60, [a-z ]+ "fair"', text)
    assert re.search('If the score is at least 60, [a-z ]+ "good"', text)


def test_the_last_return_after_earlier_ones_is_not_told_as_if_it_always_held() -> None:
    text = told("def f(a_x):\n    for b in a_x:\n        if b > 4:\n            return 'yes'\n    return 'no'")
    assert re.search('If nothing before has settled it, [a-z ]+ "no"', text)
    assert not re.search(r'(?:^|\. )(?:The result is|The answer is|You get|It [a-z ]+) "no"', text)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(price):\n    price *= 0.85\n    return price", "drops to 85% of what it was, so 15% less"),
        ("def f(price):\n    price = price * 1.2\n    return price", "goes up by 20%, so we multiply it by 1.2"),
        ("def f(score):\n    score += 5\n    return score", "We add 5 to the score."),
        ("def f(x_y, z_z):\n    rate = 0.3\n    return x_y * rate", "the x y times the rate (0.3)"),
        ("def f(x_y, rate=0.3):\n    return x_y * rate + rate", "times the rate (0.3 by default), plus the rate"),
        ("def f(rows):\n    return sorted(rows, key=lambda r: (-r['pay'], r['name']))", "Ties are broken by"),
        ("def f(a_a, unused):\n    return a_a", "The unused makes no difference."),
        (
            "def f(rows):\n    if all([rows > 3, rows < 9]):\n        return 1\n    return 2",
            "rows are more than 3 and the rows are less than 9",
        ),
        (
            "import re\ndef f(t):\n    return bool(re.fullmatch(r'[A-Z]{2}\\d{4}', t))",
            "2 capital letters, then 4 digits",
        ),
        (
            "import re\ndef f(t):\n    return re.sub(r'\\s+', '-', t)",
            "every match of one or more blanks replaced by a hyphen",
        ),
        ("from datetime import datetime\ndef f(t):\n    return datetime.strptime(t, '%Y-%m-%d')", "year-month-day"),
        ("def f(a_a, b_b):\n    return len(set(a_a) & set(b_b))", "have in common"),
        ("def f(t):\n    return t.lower()[:20]", "the first 20 characters of"),
        ("def f(a_a, b_b):\n    return a_a / b_b, a_a % 7", "2 values as a tuple"),
        ("def f(n):\n    return '<p class=\"big\">' + n + '</p>'", 'an opening "p" tag with class "big"'),
        ("def f(n):\n    return f'{n:.1f} km of {n:,}'", 'the text "(n with 1 decimal) km of (n with thousands'),
        (
            "def f(t):\n    try:\n        return int(t)\n    except ValueError:\n        return -7",
            "fails with a value error, ",
        ),
        (
            "def f(k):\n    t = {'a': {'x': 3}, 'b': {'x': 5, 'y': 6, 'z': 1, 'u': 2, 'v': 9}}\n    return t[k]",
            '"b" and "v" the t is 9',
        ),
        ("def f(xs, pre_xs, post_xs):\n    return [x.k for x in pre_xs], [x.k for x in post_xs]", "in the post xs"),
    ],
)
def test_how_a_person_says_it(source: str, expected: str) -> None:
    assert expected in told(source)


def test_a_guard_that_raises_makes_what_follows_no_otherwise() -> None:
    text = told(REFERENCES["guards"])
    assert "Otherwise, if the age is less than 5" in text
    assert "yes-or-no" not in text


def test_a_later_case_of_a_match_holds_only_where_the_earlier_one_does_not() -> None:
    assert "Otherwise, if the kind is" in told(REFERENCES["match"])


def test_conditions_that_exclude_each_other_need_no_otherwise() -> None:
    text = told(
        "def f(k, n):\n    if k == 'a' and n > 2:\n        return 5\n    elif k == 'b' and n > 4:\n        return 6"
    )
    assert 'If the k is "b"' in text or 'If k is "b"' in text
    assert "therwise, if" not in text


def test_values_after_a_cap_are_not_told_as_otherwise() -> None:
    assert "In all other cases" not in told(REFERENCES["try_except"])


def test_letters_for_brackets_avoid_the_names_of_the_reference() -> None:
    text = told("def f(x, y_y):\n    return y_y * (x - 3)")
    assert "times Y, where Y is x minus 3" in text


def test_numbers_on_a_ladder_find_their_branch() -> None:
    (ladder,) = facts_of("def f(n_n):\n    if n_n < 3:\n        return 5\n    elif n_n <= 7:\n        return 6").ladders
    effects = [rung.effect if (rung := ladder.at(value)) else None for value in (2, 3, 7, 8)]
    assert effects == ["the result is 5", "the result is 6", "the result is 6", None]


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_every_constant_of_our_own_references_is_told(name: str) -> None:
    source = REFERENCES[name]
    text = told(source)
    missing = [
        constant.value
        for constant in constants_in(ast.parse(source))
        if not any(form in text for form in spoken_forms(constant.value))
    ]
    # Patterns are told in words.
    assert [value for value in missing if value not in {"[A-Z]{2}\\d{4}", "^TX", "[^A-Z0-9]"}] == []


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
