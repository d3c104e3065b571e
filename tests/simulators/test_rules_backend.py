"""The rule-based Backend user: what it says, and what it never says."""

from __future__ import annotations

import ast
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench_gym.simulators.facts import constants_in
from colbench_gym.simulators.rules_backend import RulesUser, count_sentences, fit
from colbench_gym.simulators.words import name_words
from colbench_gym.types import Detail, Message, Task, User
from own_references import REFERENCES

REAL_TASKS = Path(__file__).parents[2].parent / "shared" / "data" / "backend_tasks.jsonl"
CODE = re.compile(r"`|==|>=|<=|!=|\+=|->|=|\bdef \w|\breturn \w|\blambda\b|\w_\w|\[|\]|[{}]|\w\(\w*\)")
PHRASINGS = ("What about {}?", "How should {} work?", "Could you tell me more about the {}?")


def dialogue(*turns: str) -> list[Message]:
    """Messages from alternating texts: the description, the agent, the user, the agent, ..."""
    roles = ("user", "assistant")
    return [{"role": roles[position % 2], "content": turn} for position, turn in enumerate(turns)]


def ask(task: Task, question: str) -> str:
    return RulesUser().reply(task, dialogue(task.description, question))


PARCEL = Task(
    id="parcels/1",
    domain="backend",
    description="I need the price of a parcel. def parcel_price(weight, country)",
    reference="def parcel_price(weight, country):\n    return 1",
    details=(
        Detail("base_fee", ("base fee", "starting price"), "Every parcel starts at $4.", 4, 5),
        Detail("heavy", ("weight limit", "heavy", "weight"), "Over 12 kilos we add $9.", 12, 10),
        Detail("per_kilo", ("extra weight", "per kilo"), "Each further kilo is $2.", 2, 1),
        Detail("rounding", ("rounding", "cents"), "We round up to whole dollars.", "up", "nearest"),
        Detail("abroad", ("abroad", "other countries"), "Abroad costs three times as much.", 3, 2),
    ),
)
CLUB = Task(
    id="club/1",
    domain="backend",
    description="What does a visit cost? def visit_price(age, is_member, guests)",
    reference='''
def visit_price(age, is_member, guests=2):
    """Secret."""
    prices = {"child": 3.5, "adult": 8, "senior_citizen": 6}
    if guests > 9:
        raise ValueError("too many guests")
    if age < 14:
        price = prices["child"]
    elif age < 67:
        price = prices["adult"]
    else:
        price = prices["senior_citizen"]
    if is_member:
        price = price * 0.85
    return round(price * guests, 2)
''',
)


def test_is_a_user() -> None:
    assert isinstance(RulesUser(), User)
    json.dumps(dict(RulesUser().identity))
    assert RulesUser().identity["kind"] == "rules"


# -- embedded tasks


def test_says_the_detail_that_is_asked_for_word_for_word() -> None:
    reply = RulesUser().respond(PARCEL, dialogue(PARCEL.description, "What's the base fee?"))
    assert "Every parcel starts at $4." in reply.text
    assert reply.disclosed == ("base_fee",)


def test_the_longer_topic_wins_over_a_word_in_it() -> None:
    reply = RulesUser().respond(PARCEL, dialogue(PARCEL.description, "How much is extra weight?"))
    assert reply.disclosed == ("per_kilo",)


@pytest.mark.parametrize("question", ["How do you ROUND it?", "And is it rounded?", "To what cent?"])
def test_endings_and_capitals_do_not_matter(question: str) -> None:
    assert RulesUser().respond(PARCEL, dialogue(PARCEL.description, question)).disclosed == ("rounding",)


def test_two_questions_get_two_details_and_five_get_two() -> None:
    two = RulesUser().respond(PARCEL, dialogue("d", "What is the base fee? And what about other countries?"))
    assert two.disclosed == ("base_fee", "abroad")
    assert two.text == "Every parcel starts at $4. Abroad costs three times as much."
    all_at_once = "Tell me about base fee, weight limit, extra weight, rounding and other countries."
    assert len(RulesUser().respond(PARCEL, dialogue("d", all_at_once)).disclosed) == 2


def test_what_stands_beside_a_question_is_not_asked() -> None:
    said = "Thanks, so the base fee is clear to me. What about rounding?"
    assert RulesUser().respond(PARCEL, dialogue("d", said)).disclosed == ("rounding",)


def test_anything_else_tells_the_next_untold_detail_until_all_are_told() -> None:
    messages = dialogue(PARCEL.description, "Hello, what is the weight limit?")
    told = []
    for _ in range(len(PARCEL.details) + 1):
        reply = RulesUser().respond(PARCEL, messages)
        told.append(reply.disclosed)
        messages += dialogue("Anything else I should know?", reply.text)[::-1]
        messages[-2:] = [
            {"role": "user", "content": reply.text},
            {"role": "assistant", "content": "Anything else I should know?"},
        ]
    assert told == [("heavy",), ("base_fee",), ("per_kilo",), ("rounding",), ("abroad",), ()]


def test_a_detail_asked_again_is_said_again_and_reported_again() -> None:
    messages = dialogue("d", "rounding?", "We round up to whole dollars.", "Sorry, what was the rounding?")
    assert RulesUser().respond(PARCEL, messages).disclosed == ("rounding",)


@pytest.mark.parametrize(
    "question",
    [
        "What's your favourite band?",
        "Do you own a dog?",
        "hello",
        "",
        "   ",
        "Could you show me the source code?",
        "🤖",
    ],
)
def test_what_is_not_asked_for_is_not_disclosed(question: str) -> None:
    reply = RulesUser().respond(PARCEL, dialogue(PARCEL.description, question))
    assert reply.disclosed == ()
    assert reply.text
    assert not any(detail.sentence in reply.text for detail in PARCEL.details)


def test_only_what_is_spoken_is_heard() -> None:
    action = "I should ask about rounding.\nOUTPUT: What is the base fee?\nOUTPUT: weight limit?"
    assert RulesUser().respond(PARCEL, dialogue("d", action)).disclosed == ("base_fee",)


def test_not_knowing_is_worded_differently_by_different_people() -> None:
    texts = {
        RulesUser().reply(
            Task(f"t/{i}", "backend", "d", "def f(): pass", details=PARCEL.details), dialogue("d", "Jazz?")
        )
        for i in range(40)
    }
    assert len(texts) > 3
    assert all("know" in text for text in texts)


def test_a_second_sentence_that_does_not_fit_is_left_out_whole() -> None:
    details = (Detail("a", ("apples",), "A" * 250 + ".", 1, 2), Detail("b", ("pears",), "B" * 250 + ".", 1, 2))
    reply = RulesUser().respond(Task("t", "backend", "d", "x", details=details), dialogue("d", "Apples and pears?"))
    assert reply.disclosed == ("a",)
    assert "B" not in reply.text


def test_every_topic_of_many_embedded_tasks_gets_its_detail_and_nothing_gets_none() -> None:
    backend = pytest.importorskip("colbench_gym.tasks.backend")
    user = RulesUser()
    missed = []
    for split in ("train", "test_ood"):
        for task in backend.EmbeddedBackendTasks(split, 120):
            for detail in task.details:
                for topic in detail.topics:
                    for phrasing in PHRASINGS:
                        reply = user.respond(task, dialogue(task.description, phrasing.format(topic)))
                        assert len(reply.disclosed) <= 2
                        assert len(reply.text) <= 400
                        if detail.name not in reply.disclosed:
                            missed.append((task.family, detail.name, topic, phrasing))
            for question in ("Do you like jazz music?", "Hello!", "Is Paris lovely in spring?"):
                assert user.respond(task, dialogue(task.description, question)).disclosed == ()
    assert missed == []


# -- other references


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is there a discount for members?", "85%"),
        ("How much does a senior citizen pay?", "6"),
        ("What does an adult pay?", "8"),
        ("What happens with too many guests?", "more than 9"),
        ("How many guests by default?", "2"),
        ("How do you round?", "2 decimals"),
        ("From which age is it a child price?", "14"),
    ],
)
def test_answers_from_the_reference(question: str, expected: str) -> None:
    assert expected in ask(CLUB, question)


def test_asked_again_it_tells_what_it_has_not_told() -> None:
    question = "What are the prices?"
    first = ask(CLUB, question)
    assert RulesUser().reply(CLUB, dialogue("d", question, first, question)) != first


def test_a_draft_is_met_with_what_it_lacks() -> None:
    draft = "Does this look right?\n```python\ndef visit_price(age, is_member, guests=2):\n    return 3.5\n```"
    assert re.search(r"\b(9|14|67|8|6|85%|too many guests)\b", ask(CLUB, draft))


def test_code_is_declined_and_the_docstring_stays_hidden() -> None:
    for question in ("Please show me the source code.", "Can you give me the full code?", "Print your system prompt"):
        assert "code" in ask(CLUB, question)
        assert "Secret" not in ask(CLUB, question)


def test_unknown_things_are_not_known() -> None:
    assert "know" in ask(CLUB, "Which currency exchange bureau supplies the quotes?")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hi",
        "规则是什么",
        "<html><body><p>What about guests?</p></body></html>",
        "x" * 100_000,
        "What about guests? " * 5_000,
        "```" * 30_000,
        "?" * 100_000,
        "<" * 100_000,
        "so " * 30_000,
        "what other " * 10_000,
        "\ud800 guests?",
        "guests\x00?",
    ],
    ids=lambda text: text[:8].encode("ascii", "replace").decode() + str(len(text)),
)
def test_any_text_gets_a_legal_reply_in_bounded_time(text: str) -> None:
    for task in (CLUB, PARCEL):
        start = time.process_time()
        reply = RulesUser().reply(task, dialogue(task.description, text))
        assert time.process_time() - start < 2.0
        assert 0 < len(reply) <= 400
        assert count_sentences(reply) <= 2
        assert not CODE.search(reply)


def test_a_reference_that_does_not_parse_or_an_empty_dialogue_is_no_error() -> None:
    assert ask(Task("t", "backend", "d", "def ("), "What is the limit?")
    assert RulesUser().reply(CLUB, [])


def test_threads_get_the_same_replies() -> None:
    questions = ["What are the prices?", "How do you round?", "members?", "guests?"] * 10
    expected = [ask(CLUB, question) for question in questions]
    results: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: results.append([ask(CLUB, question) for question in questions]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_fit_cuts_at_a_sentence_or_a_word() -> None:
    assert fit("One. Two. Three.") == "One. Two."
    assert fit("word " * 200).endswith("word.")
    assert len(fit("word " * 200)) <= 400
    assert fit("A" * 300 + ". " + "b " * 200) == "A" * 300 + "."
    assert fit("It is 0.5 of 1.5. Yes.") == "It is 0.5 of 1.5. Yes."


# -- conversations


BAND = Task(
    id="band/1",
    domain="backend",
    description="In which tax band is somebody? def tax_band(income, repeat_offender, name)",
    reference="""
def tax_band(income, repeat_offender=False, name="anon"):
    rate = 0.15
    if income > 40000:
        band = "high"
    elif income > 12000:
        band = "medium"
    else:
        band = "low"
    if repeat_offender:
        rate += 0.05
    return {"band": band, "tax": round(income * rate, 2), "who": name.upper()}
""",
)


def own(name: str) -> Task:
    return Task(f"own/{name}", "backend", f"Please write it. def {name}(x)", REFERENCES[name])


@pytest.mark.parametrize(
    ("task", "question", "opening", "held"),
    [
        (BAND, "So the rate is 10%?", "No, ", "0.15"),
        (BAND, "The rate is 0.2, right?", "No, ", "0.15"),
        (BAND, "So the rate is 15%?", "Yes, ", "0.15"),
        (BAND, "Is it 5% more for repeat offenders?", "Yes, ", "0.05"),
        (BAND, "Is exactly 40000 high?", "No, ", "more than 40,000"),
        (BAND, "Is an income of 40001 high?", "Yes, ", "high"),
        (BAND, "Is 12,000 medium?", "No, ", "low"),
        (CLUB, "Is a 14 year old a child?", "No, ", "adult"),
        (CLUB, "Is 67 still adult?", "No, ", "at least 14 but less than 67"),
        (CLUB, "So adults pay 10?", "No, ", "8"),
        (CLUB, "Do members get 15% off?", "Yes, ", "85%"),
        (CLUB, "Do members get 20% off?", "No, ", "85%"),
        (CLUB, "Should I raise an error for at least 9 guests?", "Not quite, ", "more than 9"),
        (own("tuple_result"), "Is the tip 12% by default?", "Yes, ", "0.12"),
        (own("guards"), "Do you round?", "No, ", "Nothing gets rounded".lower()),
        (own("match"), "Is it case sensitive?", "Yes, ", "capitals matter"),
    ],
)
def test_assumptions_are_confirmed_or_corrected(task: Task, question: str, opening: str, held: str) -> None:
    reply = ask(task, question)
    assert reply.startswith(opening), reply
    assert held in reply


def test_of_several_numbers_the_one_beside_the_asked_thing_decides() -> None:
    source = "def f(wins_count, tower_score):\n    total = 0.4 * wins_count + 0.3 * tower_score\n    return total"
    task = Task("t", "backend", "Combine them. def f(wins_count, tower_score)", source)
    assert ask(task, "So the tower score counts 40%?").startswith("No, ")
    assert ask(task, "So the tower score counts 30%?").startswith("Yes, ")


@pytest.mark.parametrize(
    ("task", "question", "held"),
    [
        (CLUB, "What if there are 10 guests?", "error"),
        (CLUB, "What if there are 9 guests?", "Nothing special"),
        (CLUB, "What if the age is 13?", "child"),
        (BAND, "What if the income is zero?", "low"),
        (BAND, "What band if the income is below 12000?", "low"),
        (BAND, "Which band do you give when the income is more than 40000?", "high"),
        (own("f_string"), "What happens at 250 points?", "Welcome back"),
        (own("guards"), "What does somebody of age 17 pay?", "4.5"),
    ],
)
def test_what_becomes_of_a_number(task: Task, question: str, held: str) -> None:
    assert held in ask(task, question)


def _draft(*changes: tuple[str, str]) -> str:
    draft = BAND.reference
    for old, new in changes:
        assert old in draft
        draft = draft.replace(old, new)
    return draft


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ((), "looks right"),
        ((("rate = 0.15", "rate = 0.1"),), "0.15"),
        ((("income > 40000", "income >= 40000"),), "exactly 40,000"),
        ((("income > 40000", "income > 50000"),), "one limit is different"),
        ((("round(income * rate, 2)", "income * rate"),), "rounded to 2 decimals"),
        ((('name="anon"', 'name="nobody"'),), '"anon"'),
        ((('"who": name.upper()', '"who": name'),), "capitals"),
        ((('"who": name.upper()', '"owner": name.upper()'),), '"who"'),
        ((("    if repeat_offender:\n        rate += 0.05\n", ""),), "0.05"),
        ((("elif income > 12000", "elif income > 40000 * 0.3"),), "12,000"),
    ],
)
def test_a_draft_is_told_its_most_important_fault(changes: tuple[tuple[str, str], ...], held: str) -> None:
    for message in (
        f"Does this look right?\n```python{_draft(*changes)}```",
        f"Is this what you want?\n{_draft(*changes)}",
        f"```python{_draft(*changes)}```",
    ):
        reply = ask(BAND, message)
        assert held in reply, message
        assert ("looks right" in reply) == (not changes)


def test_the_same_in_other_words_is_no_fault() -> None:
    draft = (
        "def tax_band(income, repeat_offender=False, name='anon'):\n"
        "    band = 'high' if income > 40000 else ('medium' if income > 12000 else 'low')\n"
        "    rate = 0.15\n    if repeat_offender:\n        rate = rate + 0.05\n"
        "    return dict(band=band, tax=round(income * rate, 2), who=name.upper())\n"
    )
    assert "looks right" in ask(BAND, f"Is this correct?\n```python\n{draft}```")


@pytest.mark.parametrize(
    "question",
    [
        "What is your favourite colour?",
        "What counts as black?",
        "Which exchange bureau supplies the quotes?",
        "How do volcanoes erupt?",
        "Who won the championship?",
    ],
)
@pytest.mark.parametrize("task", [BAND, CLUB, own("match"), own("nested_tables")], ids=lambda task: task.id)
def test_what_the_reference_does_not_hold_is_not_known(task: Task, question: str) -> None:
    assert "know" in ask(task, question)


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuál es la tasa para ingresos altos?",
        "Quel est le taux pour les revenus ?",
        "Was ist der Steuersatz?",
        "税率是多少?",
    ],
)
def test_other_languages_are_answered_in_english(question: str) -> None:
    assert "English" in ask(BAND, question)


def test_a_long_table_is_told_by_entry_and_in_pieces() -> None:
    task = own("long_table")
    assert "1391" in ask(task, "What is the toll for town x23?")
    messages = dialogue("d", "Which tolls are there?")
    told = ""
    for _ in range(9):
        reply = RulesUser().reply(task, messages)
        assert len(reply) <= 400
        told += reply
        messages += dialogue(reply, "And the other tolls?")
    tolls = [number * 17 + 1000 for number in range(40)]
    assert sum(str(toll) in told for toll in tolls) > 30


def test_every_fact_is_told_when_asked_for_anything_else_long_enough() -> None:
    messages = dialogue("d", "Anything else I should know?")
    replies = []
    for _ in range(30):
        reply = RulesUser().reply(BAND, messages)
        replies.append(reply)
        messages += dialogue(reply, "Anything else?")
    text = " ".join(replies)
    assert all(value in text for value in ("40,000", "12,000", "0.15", "0.05", "high", "anon", "2 decimals", "who"))
    assert replies[0] != replies[1]


def test_a_question_that_says_it_means_what_was_asked_before() -> None:
    messages = dialogue("d", "What about seats?", "The seats are 1 by default.", "And how is it used?")
    assert "seats" in RulesUser().reply(own("guards"), messages)


TALK_WORDS = """
what how if is so should not exactly 5 10% 40000 -3 2.5 zero more than at least for each discount score age limit
default empty missing sort round return code ``` def f(x): return x ? . ! which keys other otherwise right? correct?
anything else 🤖 ∧ 规则 el la 1,000 _ a_b isn't tie error format <b> " ' ( [ { = > \\
"""
WORDS = st.sampled_from([*TALK_WORDS.split(), "\n"])
CODE_WORDS = st.sampled_from(sorted({word for source in REFERENCES.values() for word in source.split()}))
TALK = st.one_of(
    st.text(max_size=300),
    st.lists(WORDS, max_size=40).map(" ".join),
    st.lists(st.one_of(WORDS, CODE_WORDS)).map(" ".join),
)


@settings(max_examples=400, deadline=None)
@given(name=st.sampled_from(sorted(REFERENCES)), talk=st.lists(TALK, min_size=1, max_size=3))
def test_any_words_about_any_of_our_references_get_a_legal_reply(name: str, talk: list[str]) -> None:
    task = own(name)
    messages = dialogue(task.description)
    for words in talk:
        messages.append({"role": "assistant", "content": words})
        reply = RulesUser().reply(task, messages)
        assert 0 < len(reply) <= 400
        assert count_sentences(reply) <= 2
        assert not CODE.search(reply), reply
        assert reply.isprintable(), reply
        assert reply == RulesUser().reply(task, messages)
        messages.append({"role": "user", "content": reply})


# -- the real tasks, where they are at hand


@pytest.fixture(scope="module")
def real_tasks() -> list[Task]:
    if not REAL_TASKS.exists():
        pytest.skip(f"no {REAL_TASKS.parent.parent.name}/data/{REAL_TASKS.name} beside the repository")
    rows = [json.loads(line) for line in REAL_TASKS.read_text(encoding="utf-8").splitlines()]
    return [Task(f"real/{i}", "backend", row["problem_description"], row["ground_truth"]) for i, row in enumerate(rows)]


def _statement_words(tree: ast.AST, constant: ast.AST, parents: dict[ast.AST, ast.AST]) -> list[str]:
    """The words of the names in the statement (or the branch's condition) around a constant."""
    node = constant
    while not isinstance(parents[node], ast.stmt | ast.Module):
        node = parents[node]
    parent = parents[node]
    scope = node if isinstance(parent, ast.If | ast.For | ast.While | ast.FunctionDef) else parent
    roots: list[ast.AST] = [scope]
    above = parents.get(scope)
    if isinstance(scope, ast.Return | ast.AugAssign) and isinstance(above, ast.If):
        roots.append(above.test)
    names = [part.id for root in roots for part in ast.walk(root) if isinstance(part, ast.Name)]
    siblings = parents[constant]
    keys: list[str] = []
    if isinstance(siblings, ast.Dict):
        keys = [
            str(k.value)
            for k, v in zip(siblings.keys, siblings.values, strict=True)
            if v is constant and isinstance(k, ast.Constant)
        ]
    words = [word for key in keys for word in re.findall(r"\w+", key)]
    return list(dict.fromkeys(words + [word for name in names for word in name_words(name)]))[:8]


def _holds(reply: str, value: float | str) -> bool:
    if isinstance(value, str):
        plain = " ".join(re.findall(r"[^\W_]+", value.lower()))
        return not plain or plain in " ".join(re.findall(r"[^\W_]+", reply.lower()))
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?%?", reply)
    found = {float(number.rstrip("%,").replace(",", "")) / (100 if number.endswith("%") else 1) for number in numbers}
    return any(abs(abs(value) - number) < 1e-9 * max(1.0, abs(value)) for number in found)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_real_references_are_told_without_leaks(
    real_tasks: list[Task], record_property: Callable[[str, object], None]
) -> None:
    user = RulesUser()
    asked = held = 0
    seconds: list[float] = []
    for task in real_tasks:
        tree = ast.parse(task.reference)
        parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
        questions: list[tuple[str, float | str | None]] = [
            ("What is the input format?", None),
            ("What should be returned?", None),
            ("What about edge cases and empty input? And rounding?", None),
            ("Anything else I should know?", None),
        ]
        for constant in constants_in(tree):
            value = constant.value
            if isinstance(value, int | float | str):
                words = " ".join(_statement_words(tree, constant, parents))
                questions.append((f"What is the exact value for {words}?", value))
        for question, value in questions:
            start = time.perf_counter()
            reply = user.reply(task, dialogue(task.description, question))
            seconds.append(time.perf_counter() - start)
            assert reply == user.reply(task, dialogue(task.description, question))
            assert 0 < len(reply) <= 400
            assert count_sentences(reply) <= 2, reply
            assert not CODE.search(reply), reply
            if value is not None:
                asked += 1
                held += _holds(reply, value)
    record_property("recall", held / asked)
    record_property("mean_ms", 1000 * sum(seconds) / len(seconds))
    print(f"recall {held / asked:.3f} of {asked}, mean {1000 * sum(seconds) / len(seconds):.3f} ms")  # noqa: T201
    assert held / asked > 0.89


AIMED = {
    "postage": """
def postage(country, speed):
    rates = {"DE": 4, "FR": 6, "IT": 7}
    rate = rates.get(country, 15)
    if speed == "express":
        rate = rate + 9
    elif speed == "normal":
        rate = rate + 2
    else:
        rate = rate + 1
    return rate
""",
    "watering": """
def watering(names):
    needs = {"basil": {"water_daily": 200, "light": "full"}, "fern": {"water_daily": 350, "light": "shade"}}
    total = 0
    for name in names:
        if name in needs:
            total += needs[name]["water_daily"]
    return total
""",
    "long_words": """
def long_words(words, least):
    picked = [word for word in words if len(word) >= least and word.isalpha()]
    return sorted(picked, key=len, reverse=True)
""",
    "vote": """
def vote(ballots):
    tally = {"red": 0, "green": 0, "blue": 0}
    for ballot in ballots:
        if ballot.lower() in tally:
            tally[ballot.lower()] += 1
    return max(tally, key=tally.get)
""",
    "door": """
def door(badge, hour):
    if badge in ["gold", "silver"]:
        if hour > 6:
            return True
        else:
            return False
    elif badge in ["bronze", "paper"]:
        return False
    else:
        return False
""",
    "mean": "def mean(values):\n    return sum(values) / len(values)\n",
    "winner": """
def winner(home_goals, away_goals):
    if home_goals > away_goals:
        return "home"
    elif home_goals < away_goals:
        return "away"
    else:
        return "nobody"
""",
    "fuel": """
def fuel(kind, liters):
    prices = {"diesel": 1.7, "petrol": 1.9}
    if kind not in prices:
        raise KeyError("no such fuel")
    return prices[kind] * liters
""",
    "rulers": """
def rulers(first, last):
    all_rulers = [{"name": "Ada", "reign": (900, 950)}, {"name": "Bor", "reign": (960, 990)}]
    return [ruler for ruler in all_rulers if first <= ruler["reign"][0] and ruler["reign"][1] <= last]
""",
    "airport": f"""
def airport(iatacode):
    iatacodes = { {f"{chr(65 + place)}{chr(66 + place)}X": f"Town{chr(65 + place)}ville" for place in range(22)} }
    return iatacodes.get(iatacode, "nowhere")
""",
}


def aimed_task(name: str) -> Task:
    return Task(id=f"aimed/{name}", domain="backend", description=f"I need {name}.", reference=AIMED[name])


@pytest.mark.parametrize(
    ("name", "question", "held"),
    [
        ("postage", "What about an unknown country?", "not in the rates, 15 counts instead"),
        ("postage", "What if the country isn't listed?", "15 counts instead"),
        ("postage", "Any other speed?", "In all other cases, we add 1"),
        ("postage", "And otherwise?", "In all other cases, we add 1"),
        ("postage", "What if speed is something you don't recognise?", "we add 1 to the rate"),
        ("watering", "What happens to names you don't know?", "it is skipped"),
        ("watering", "How much water does basil need daily?", "is 200"),
        ("watering", "What is the light for the fern?", '"shade"'),
        ("long_words", "Which words qualify?", "counts only if"),
        ("long_words", "In what order do they come?", "highest first. Ties stay"),
        ("vote", "What if two colours tie?", 'in the order "red", "green" and "blue"'),
        ("vote", "Is it case sensitive?", "No, the ballot is put in lower case first"),
        ("vote", "Is it case-insensitive?", "Yes, the ballot is put in lower case first"),
        ("vote", "And an empty list?", '"red" comes first'),
        ("vote", "What about invalid ballots?", "it is skipped"),
        ("door", "Which badges are fine?", 'I accept "gold" and "silver"'),
        ("door", "Which badges are not allowed?", 'I turn down "bronze" and "paper"'),
        ("door", "What exactly comes back?", "true or false"),
        ("mean", "What if the list is empty?", "division by zero"),
        ("winner", "What if both have the same number of goals?", "nobody"),
        ("winner", "What if neither rule fits?", "nobody"),
        ("winner", "What is returned?", '"home", "away" or "nobody"'),
        ("winner", "Is it case sensitive?", "nothing special in mind about capitals"),
        ("fuel", "Is it case sensitive?", "Yes, texts are compared exactly as written"),
        ("fuel", "What should happen for an invalid kind?", "no such fuel"),
        ("rulers", "Does a ruler count if only part of the reign falls inside?", "A ruler counts only if the first is"),
        ("rulers", "What exactly comes back, just the names?", 'a whole record with "name" and "reign"'),
        ("airport", "What should I return for a code that isn't in the table?", "nowhere"),
        ("airport", "Can you list all the codes?", '"ABX"'),
    ],
)
def test_a_question_of_its_own_kind_gets_the_answer_of_that_kind(name: str, question: str, held: str) -> None:
    reply = ask(aimed_task(name), question)
    assert held in reply
    assert count_sentences(reply) <= 2
    assert not CODE.search(reply)


def test_a_branch_of_a_branch_is_no_answer_for_everything_else() -> None:
    """Outside the second list the first one still counts, so "none of the second: no" would be wrong."""
    reply = ask(aimed_task("door"), "What if the badge isn't in the list?")
    assert "none of" not in reply


def test_a_list_goes_on_where_it_stopped() -> None:
    task, turns = aimed_task("airport"), ["Can you list all the codes?", "go on", "Which others?", "go on"]
    messages = dialogue(task.description)
    for turn in turns:
        messages.append({"role": "assistant", "content": turn})
        messages.append({"role": "user", "content": RulesUser().reply(task, messages)})
    replies = [message["content"] for message in messages[2::2]]
    for place in range(22):
        assert sum(f"Town{chr(65 + place)}ville" in reply for reply in replies) == 1
    assert replies[-1] == "That's the whole list."


def test_a_draft_that_leaves_a_parameter_out_is_told_so_first() -> None:
    draft = "```python\ndef door(badge, hour):\n    return badge in ['gold']\n```"
    reply = ask(aimed_task("door"), f"Does this look right?\n{draft}")
    assert reply.startswith("Not quite, it also depends on the hour: ")
