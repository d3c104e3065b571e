"""The audit of a user: what it asks, how it judges a reply, and what it makes of good and bad users."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.errors import ConfigError, SimulatorError
from colbench_gym.evaluation import audit_questions, audit_scoring
from colbench_gym.evaluation.audit_questions import PHRASINGS, Clue, constants_of, plan_questions
from colbench_gym.evaluation.audit_scoring import ground_of, holds_number, holds_text, numbers_in, says_dont_know
from colbench_gym.evaluation.user_audit import MOST_ERRORS_IN_A_ROW, Answer, audit_user, cost_line, report_rows
from colbench_gym.simulators import RulesUser
from colbench_gym.tasks import load_tasks
from colbench_gym.types import Detail, Message, Reply, Task

ROOT = Path(__file__).parents[2]
REAL_TASKS = ROOT.parent / "shared" / "data" / "backend_tasks.jsonl"

REFERENCE = '''
def visit_price(age: "int", is_member, guests=2, *, mode="day"):
    """Secret 77."""
    prices = {"child": 3.5, "senior_citizen": 6}
    if guests > 9:
        raise ValueError("too many guests")
    if mode in ["day", "night_shift"]:
        price = prices["child"]
    elif age < 67:
        price = 1 + age ** 2
    else:
        price = "on request"
    price = price * 0.85
    return f"{round(price, 2)} - {age / 4:.3f} euros"
'''
CLUB = Task("club/1", "backend", "What does a visit cost? def visit_price(...)", REFERENCE, {"t": "visit_price(1, 1)"})
RATE = Task("rate/1", "backend", "Work out the tax.", "def tax(net):\n    return net * 0.19", {"t": "tax(1)"})
PARCEL = Task(
    "parcels/1",
    "backend",
    "I need the price of a parcel.",
    "def parcel_price(weight):\n    return 4 + 9 * (weight > 12)",
    {"t": "parcel_price(1)"},
    details=(
        Detail("base_fee", ("base fee", "starting price"), "Every parcel starts at $4.", 4, 5),
        Detail("heavy", ("weight limit", "heavy"), "Over 12 kilos we add $9.", 12, 10),
        Detail("rounding", ("cents", "round"), "Broken cents always go up in our favour.", "up", "nearest"),
    ),
)


class Scripted:
    """A user that says what a function of task and question returns, or raises what that raises."""

    identity: Mapping[str, Any] = {"kind": "scripted"}

    def __init__(self, says: Callable[[Task, str], str | Reply]) -> None:
        self._says = says
        self.dialogues: list[list[Message]] = []

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        return self.respond(task, messages).text

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        self.dialogues.append(list(messages))
        said = self._says(task, messages[-1]["content"])
        return said if isinstance(said, Reply) else Reply(said)


def says(text: str) -> Scripted:
    """A user that always says the same."""
    return Scripted(lambda task, question: text)


# -- what is asked


def test_every_constant_is_found_with_its_part() -> None:
    found = {(one.value, one.kind) for one in constants_of(REFERENCE)}
    assert found == {
        (2, "default"),
        ("day", "setting"),
        ("child", "key"),
        (3.5, "entry"),
        ("senior_citizen", "key"),
        (6, "entry"),
        (9, "threshold"),
        ("too many guests", "message"),
        ("day", "item"),
        ("night_shift", "item"),
        (67, "threshold"),
        (2, "exponent"),
        ("on request", "setting"),
        (0.85, "factor"),
        (2, "decimals"),
        (4, "factor"),
        (3, "decimals"),
        (" euros", "fragment"),
    } ^ {("day", "setting"), ("day", "default")}


@pytest.mark.parametrize(
    "reference",
    [
        'def f(a):\n    """Take 55."""\n    return a',
        "def f(a):\n    return a * 1 + 0 if a is None else True",
        "def f(a: 'int', b: dict[str, 'x'] = None) -> 'str':\n    return a",
        "def f(a):\n    return f'{a}: {a!r}, '",
        "def f(a):\n    import re\n    return re.sub(r'[^\\w]+', a, a)",
        "if __name__ == '__main__':\n    pass",
    ],
)
def test_what_is_no_behaviour_is_not_asked(reference: str) -> None:
    assert constants_of(reference) == []


def test_questions_use_the_words_of_the_statement_and_not_the_value() -> None:
    for number in range(30):
        for question in plan_questions([CLUB], seed=number):
            constant = question.constant
            assert constant is not None
            assert any(word in question.text for word in question.words), question
            if constant.value == 0.85:
                assert "price" in question.text
            if constant.value == 3.5:
                assert "child" in question.text
            if not isinstance(constant.value, str) and question.phrasing != "numbered":
                assert not holds_number(question.text, constant.value), question


def test_branches_tell_equal_words_apart() -> None:
    reference = (
        "def f(a):\n    if a < 5:\n        x = a * 7\n    elif a < 6:\n        x = a * 8\n    else:\n        x = a * 9"
    )
    conditions = {one.value: one.clue.condition for one in constants_of(reference)}
    assert conditions[7] == "a is below 5"
    assert conditions[8] == "a is below 6"
    assert conditions[9] == "a is at least 6"
    assert conditions[5] == "x is a times 7"


def test_entries_of_long_lists_are_asked_for_by_their_neighbours() -> None:
    reference = "def f(word):\n    return word in ['ant', 'bee', 'cat', 'dog', 'eel', 'fox', 'gnu']"
    by_value = {one.value: one.clue.neighbours for one in constants_of(reference)}
    assert by_value["cat"] == ("bee", "dog")
    assert by_value["ant"] == ("bee",)


def test_there_are_many_kinds_of_phrasings() -> None:
    clue = {
        "number": Clue("number", "threshold", "age", "price", condition="the result is low", owner="visit price"),
        "text": Clue("text", "option", "colour", "price", condition="the result is low", owner="visit price"),
        "key": Clue("key", "key", "order", "price", owner="visit price"),
    }
    for group, least in (("number", 9), ("text", 9), ("key", 7)):
        made = {text for phrasing in PHRASINGS.values() if (text := phrasing(clue[group])) is not None}
        assert len(made) >= least
        assert all("  " not in text and "None" not in text for text in made)


def test_plans_are_repeatable_and_differ_by_seed() -> None:
    tasks = [CLUB, RATE, PARCEL]
    assert plan_questions(tasks, seed=3) == plan_questions(tasks, seed=3)
    assert plan_questions(tasks, seed=3) != plan_questions(tasks, seed=4)
    one_by_one = [question for task in tasks for question in plan_questions([task], seed=3)]
    assert one_by_one == plan_questions(tasks, seed=3)


def test_a_sample_is_a_part_of_the_whole() -> None:
    whole = plan_questions([CLUB, RATE], seed=1)
    sample = plan_questions([CLUB, RATE], seed=1, questions_per_task=2)
    assert len(sample) == 3
    assert set(map(repr, sample)) <= set(map(repr, whole))
    with pytest.raises(ConfigError, match="Mend"):
        plan_questions([CLUB], questions_per_task=0)


def test_embedded_tasks_are_asked_by_topic_and_once_for_nothing() -> None:
    questions = plan_questions([PARCEL])
    assert [question.detail for question in questions] == ["base_fee", "heavy", "rounding", None]
    for question, detail in zip(questions, PARCEL.details, strict=False):
        assert any(topic in question.text for topic in detail.topics)
    constants = plan_questions([PARCEL], about="constants")
    assert [question.constant.value for question in constants if question.constant] == [4, 9, 12]


def test_other_domains_and_broken_references_are_refused() -> None:
    page = Task("page/1", "frontend", "A page.", "<html></html>")
    broken = Task("b/1", "backend", "A function.", "def f(:", {"t": "f()"})
    for task in (page, broken):
        with pytest.raises(ConfigError, match="Mend"):
            plan_questions([task])


def test_shares_nothing_with_the_users_it_measures() -> None:
    for module in (audit_questions, audit_scoring):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert imported
        assert not any("simulators" in name for name in imported)


# -- how replies are judged


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("It is 5,000,000.", 5000000),
        ("It is 5000000.", 5000000),
        ("Steps of five million.", 5000000),
        ("Steps of 5 million.", 5e6),
        ("About 2.5k.", 2500),
        ("We take 15%.", 0.15),
        ("We take 15 per cent.", 0.15),
        ("We take fifteen percent.", 0.15),
        ("That is 15% on top.", 1.15),
        ("That is 15% off.", 0.85),
        ("At least 0.150.", 0.15),
        ("Three at most.", 3),
        ("Twenty-five.", 25),
        ("Two hundred and fifty.", 250),
        ("One thousand two hundred.", 1200),
        ("A dozen.", 12),
        ("Half of it.", 0.5),
        ("One and a half.", 1.5),
        ("2 and a half hours.", 2.5),
        ("Two thirds.", 2 / 3),
        ("A quarter.", 0.25),
        ("Twice as much.", 2),
        ("1/3 of it.", 1 / 3),
        ("Minus 5 degrees.", -5),
        ("-5 degrees.", -5),
        ("$12.50.", 12.5),
        ("10kg", 10),
        ("1e-06 is enough.", 1e-6),
    ],
)
def test_numbers_are_heard(reply: str, value: float) -> None:
    assert holds_number(reply, value)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("I don't know.", 5),
        ("It is 51.", 5),
        ("It is 0.5.", 5),
        ("It is 1,500.", 500),
        ("See x5 and a5b.", 5),
        ("It is 15.", 0.15),
        ("Ten or so.", 9),
        ("Twenty, then five.", 15),
        ("It is 3.14.", 3.14159),
        ("", 2),
        ("Often.", 10),
    ],
)
def test_numbers_are_not_imagined(reply: str, value: float) -> None:
    assert not holds_number(reply, value)


@pytest.mark.parametrize(
    ("reply", "value", "relation"),
    [
        ("The age squared.", 2, "power"),
        ("The square root.", 0.5, "power"),
        ("Only even ones.", 2, "remainder"),
        ("Half of it.", 2, "divisor"),
        ("A tenth of it.", 10, "divisor"),
        ("The third one.", 2, "position"),
        ("To the cent.", 2, "decimals"),
    ],
)
def test_other_words_for_what_a_number_does(reply: str, value: float, relation: str) -> None:
    assert holds_number(reply, value, relation)
    assert relation in ("divisor", "position") or not holds_number(reply, value)


@pytest.mark.parametrize(
    ("reply", "value", "heard"),
    [
        ('The result is "On Request".', "on request", True),
        ("It is night shift.", "night_shift", True),
        ("It is nightShift.", "night_shift", True),
        ("The min height counts.", "minHeight", True),
        ("Look under 'Height (cm)'.", "Height (cm)", True),
        ("They speak C++.", "C++", True),
        ("We chat.", "a", False),
        ("It is 'a'.", "a", True),
        ("The childish ones.", "child", False),
        ("Day.", "night_shift", False),
        ("A comma.", ", ", True),
        ("An empty text.", "", True),
        ("A blank in between.", " ", True),
        ("Nothing of it.", "|", False),
        ("Year, month and day.", "%Y-%m-%d", True),
        ("YYYY-MM-DD.", "%Y-%m-%d", True),
        ("The year.", "%Y-%m-%d", False),
        ("Say that the order was shipped from the warehouse today.", "The order was shipped from our warehouse", True),
        ("Say that it was shipped.", "The order was shipped from our warehouse", False),
        ("It ends on -- done", "--", True),
    ],
)
def test_texts_are_heard(reply: str, value: str, heard: bool) -> None:
    assert holds_text(reply, value) is heard


@pytest.mark.parametrize("reply", ["I don't know.", "I don\u2019t really know", "No idea!", "I'm not sure about that."])
def test_ignorance_is_heard(reply: str) -> None:
    assert says_dont_know(reply)
    assert not says_dont_know("Nobody knows me, but it is 5.")


@pytest.mark.parametrize(
    "reply",
    [
        "Use `price`.",
        "It is age >= 5.",
        "If age == 5.",
        "price = 5",
        "a+=2",
        "def visit_price(age)",
        "lambda x: x",
        "return price * 2",
        "return [1]",
        "prices[child]",
        "{'child': 3.5}",
        "call round(price)",
        "price.upper()",
        "Call visit_price for it.",
        "price ** 2",
    ],
)
def test_code_is_found(reply: str) -> None:
    assert ground_of(CLUB).code_leaks(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "Return a pair of the decision and the reasons.",
        "Members (is_member) pay less, e.g. 85% of it.",
        'The mode is "night_shift"; senior_citizen is another kind.',
        "It's age divided by 4 - rounded, and 50% is the most.",
        "The Greek letter lambda is the rate.",
        "Take the price/night.",
    ],
)
def test_english_is_no_code(reply: str) -> None:
    assert ground_of(CLUB).code_leaks(reply) == []


def test_wrong_numbers_are_found_and_derived_ones_are_not() -> None:
    ground = ground_of(CLUB)
    for right in (
        "Up to 9 guests, so from ten on it fails.",
        "85%, that is 15% off.",
        "Under 67, so 66 at most.",
        "One of the three parameters.",
        "It has two kinds: child 3.50 and senior 6.00.",
        "Once more for both of them.",
    ):
        assert ground.wrong_numbers(right, "How much?") == [], right
    assert ground.wrong_numbers("It is 47 euros.", "How much?") == ["47"]
    assert ground.wrong_numbers("Forty-seven.", "How much?") == ["forty seven"]
    assert ground.wrong_numbers("No, not 47.", "Is it 47?") == []


def test_sentences_are_counted() -> None:
    ground = ground_of(CLUB)
    assert ground.sentences("") == 0
    assert ground.sentences("Yes") == 1
    assert ground.sentences("It is 3.5 for e.g. children. Really!") == 2
    assert ground.sentences("A. B? C!") == 3


def test_numbers_keep_their_wording() -> None:
    assert [number.token for number in numbers_in("15% of five million")] == ["15", "five million"]


# -- users, good and bad


def test_a_perfect_user() -> None:
    user = says(
        "2, day, child, 3.5, senior citizen, 6, 9, too many guests, night shift, 67, on request, 0.85, 4, 3 euros"
    )
    report = audit_user(user, [CLUB])
    assert report.recall == 1.0
    assert report.dont_know_rate == 0.0
    assert report.code_leaks == report.contradictions == report.over_long == report.too_many_sentences == 0
    assert report.errors == {}
    assert report.worst() == []
    # A fresh dialogue for each question.
    assert all([m["role"] for m in dialogue] == ["user", "assistant"] for dialogue in user.dialogues)
    assert all(dialogue[0]["content"] == CLUB.description for dialogue in user.dialogues)


def test_an_ignorant_user() -> None:
    report = audit_user(says("I don't know."), [CLUB, RATE])
    assert report.recall == 0.0
    assert report.dont_know_rate == 1.0
    assert len(report.worst(5)) == 5


def test_a_liar_a_coder_and_a_babbler() -> None:
    assert audit_user(says("It is 21%."), [RATE]).contradictions == 1
    assert audit_user(says("return net * 0.19"), [RATE]).code_leaks == 1
    report = audit_user(says("It is 19%. " * 40), [RATE])
    assert (report.recall, report.over_long, report.too_many_sentences) == (1.0, 1, 1)


def test_failures_are_counted_by_kind_and_not_as_replies() -> None:
    asked = 0

    def fails(task: Task, question: str) -> str:
        nonlocal asked
        asked += 1
        if asked % 3 == 0:
            raise SimulatorError("the server is tired")
        if asked % 3 == 1:
            raise KeyError("bug")
        return "0.85"

    report = audit_user(Scripted(fails), [CLUB], on_question=None)
    assert set(report.errors) == {"SimulatorError", "KeyError"}
    assert len(report.replied) + sum(report.errors.values()) == len(report.answers)
    assert report.recall is not None
    assert report.worst(1)[0].error is not None


def test_a_dead_user_is_not_asked_for_ever() -> None:
    def dead(task: Task, question: str) -> str:
        raise SimulatorError("connection refused")

    user = Scripted(dead)
    with pytest.raises(SimulatorError, match=r"connection refused.*Mend"):
        audit_user(user, [CLUB])
    assert len(user.dialogues) == MOST_ERRORS_IN_A_ROW


def test_details_given_away_unasked_and_misreported() -> None:
    def blurts(task: Task, question: str) -> Reply:
        return Reply("Every parcel starts at $4. Over 12 kilos we add $9.", ("base_fee",))

    report = audit_user(Scripted(blurts), [PARCEL])
    by_detail = {answer.question.detail: answer for answer in report.answers}
    assert by_detail["base_fee"].recalled is True
    assert by_detail["base_fee"].undue == ("heavy",)
    assert by_detail["heavy"].undue == ("base_fee",)
    assert by_detail["rounding"].recalled is False
    assert set(by_detail[None].undue) == {"base_fee", "heavy"}
    assert by_detail[None].recalled is None
    assert report.recall == pytest.approx(2 / 3)
    assert report.undue_rate == 1.0
    assert report.misreported == 1  # "heavy" was given away and not claimed


def test_a_detail_in_other_words_counts() -> None:
    report = audit_user(says("We add nine dollars for anything over 12 kilos."), [PARCEL])
    assert next(answer for answer in report.answers if answer.question.detail == "heavy").recalled is True


def test_progress_is_reported_and_rows_and_json_agree() -> None:
    seen: list[tuple[Answer, int, int]] = []
    report = audit_user(RulesUser(), [CLUB, RATE], on_question=lambda *step: seen.append(step))
    assert [number for _, number, _ in seen] == list(range(1, len(report.answers) + 1))
    assert {total for _, _, total in seen} == {len(report.answers)}
    rows = dict(report_rows(report))
    data = json.loads(json.dumps(report.to_dict(answers=True)))
    assert rows["value said (recall)"] == f"{data['recall']:.1%}"
    assert rows["replies with code"] == str(data["code_leaks"])
    assert len(data["answers"]) == data["questions"]
    assert data["user"]["kind"] == "rules"
    assert "answers" not in report.to_dict()


def test_the_cost_is_said_first() -> None:
    paid = says("?")
    paid.identity = {"kind": "chat", "model": "some/model"}
    assert "1,200 questions to some/model" in cost_line(paid, 1200)
    assert "request" in cost_line(paid, 1200)
    assert cost_line(RulesUser(), 7).startswith("7 questions to the user 'rules'")


def test_an_audit_without_questions_has_no_shares() -> None:
    nothing = Task("n/1", "backend", "Add.", "def f(a, b):\n    return a + b", {"t": "f(1, 2)"})
    report = audit_user(says("?"), [nothing])
    assert (report.recall, report.dont_know_rate, report.median_ms, report.mean_characters) == (None, None, None, None)
    json.dumps(report.to_dict())
    assert dict(report_rows(report))["value said (recall)"] == "none asked"


# -- the rule-based user, and the benchmark


def test_rules_on_embedded_tasks() -> None:
    report = audit_user(RulesUser(), load_tasks("embedded-backend:test", limit=60))
    assert report.recall is not None
    assert report.recall >= 0.98
    assert report.code_leaks == report.over_long == report.misreported == 0
    assert report.undue_rate is not None
    assert report.undue_rate <= 0.02


def test_rules_on_real_tasks() -> None:
    if not REAL_TASKS.exists():
        pytest.skip("the 600 real tasks are not beside this repository (../shared/data/backend_tasks.jsonl)")
    report = audit_user(RulesUser(), load_tasks(REAL_TASKS, limit=200))
    assert report.recall is not None
    assert report.recall >= 0.85
    assert report.code_leaks == report.over_long == 0


def test_the_benchmark_ends_with_one_line_of_json(task_file: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "user_recall.py", task_file, "--user", "rules"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert {"recall", "code_leaks", "ms"} <= set(figures)
    assert figures["tasks"] == 2
    missing = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "user_recall.py", "no_such.jsonl"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert missing.returncode == 1
    assert "Mend" in missing.stderr
