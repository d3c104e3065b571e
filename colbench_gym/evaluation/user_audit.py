"""How good is a simulated user? Direct questions on what the references hold, and what became of them.

A paper that reports scores against a simulated user can state with this how faithful that user was. The questions come
from `audit_questions`, the judgement of replies from `audit_scoring`; neither shares code with the users.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from colbench_gym.errors import SimulatorError
from colbench_gym.evaluation.audit_questions import (
    PHRASINGS,
    About,
    Constant,
    Phrasing,
    Question,
    holds,
    plan_questions,
)
from colbench_gym.evaluation.audit_scoring import Ground, ground_of, says_detail, says_dont_know
from colbench_gym.protocol import USER_CHARACTERS, USER_SENTENCES
from colbench_gym.tasks import TaskSet
from colbench_gym.types import Detail, Message, Reply, Task, User

__all__ = [
    "PHRASINGS",
    "Answer",
    "AuditReport",
    "Constant",
    "Phrasing",
    "Question",
    "audit_user",
    "cost_line",
    "plan_questions",
    "report_rows",
]

MOST_SENTENCES = USER_SENTENCES
CHARACTERS = USER_CHARACTERS["backend"]

MOST_ERRORS_IN_A_ROW = 10
"""A user whose server is down is not asked a thousand times more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, the reply to it, and what the reply is worth.

    Attributes:
        question: what was asked.
        reply: what was said; empty if the user failed.
        error: type and text of the user's failure; None if it replied.
        recalled: the reply holds what was asked for; None for a question about nothing, or a failure.
        dont_know: the reply pleads ignorance.
        code_leaks: pieces of code in the reply, with what betrays them.
        wrong_numbers: numbers in it that neither stand in the reference nor follow from it.
        over_long: more than 400 characters.
        sentences: how many it has.
        disclosed: the details that the reply gives away, by our own reading of it (embedded tasks).
        claimed: the details that the user reports to have given away.
        undue: details in `disclosed` that nobody asked for.
        milliseconds: how long the reply took.
    """

    question: Question
    reply: str
    error: str | None
    recalled: bool | None
    dont_know: bool
    code_leaks: tuple[str, ...]
    wrong_numbers: tuple[str, ...]
    over_long: bool
    sentences: int
    disclosed: tuple[str, ...]
    claimed: tuple[str, ...]
    undue: tuple[str, ...]
    milliseconds: float

    @property
    def missing(self) -> str:
        """What the reply should have held."""
        if self.question.constant is not None:
            return repr(self.question.constant.value)
        return self.question.detail or "nothing"

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON data."""
        data = asdict(self)
        constant = self.question.constant
        if constant is not None and isinstance(constant.value, float) and not abs(constant.value) < float("inf"):
            data["question"]["constant"]["value"] = str(constant.value)
        return data


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The figures of an audit. Shares are of the questions that got a reply; failures are counted apart.

    Attributes:
        user: the user's identity.
        answers: every question with what became of it, in the order asked.
        tasks: number of tasks.
        seed: chose phrasings and samples.
    """

    user: Mapping[str, Any]
    answers: tuple[Answer, ...]
    tasks: int
    seed: int

    @property
    def replied(self) -> list[Answer]:
        """Answers without the failures."""
        return [answer for answer in self.answers if answer.error is None]

    @property
    def asked(self) -> list[Answer]:
        """Replies to questions that the reference answers."""
        return [answer for answer in self.replied if answer.recalled is not None]

    @property
    def recall(self) -> float | None:
        """Share of replies that hold the value asked for; None without any."""
        return _share(answer.recalled is True for answer in self.asked)

    @property
    def dont_know_rate(self) -> float | None:
        """Share of "I don't know" among replies to questions that the reference answers."""
        return _share(answer.dont_know for answer in self.asked)

    @property
    def code_leaks(self) -> int:
        """Replies with code in them."""
        return sum(bool(answer.code_leaks) for answer in self.replied)

    @property
    def contradictions(self) -> int:
        """Replies that say a wrong number."""
        return sum(bool(answer.wrong_numbers) for answer in self.replied)

    @property
    def over_long(self) -> int:
        """Replies of more than 400 characters."""
        return sum(answer.over_long for answer in self.replied)

    @property
    def too_many_sentences(self) -> int:
        """Replies of more than two sentences."""
        return sum(answer.sentences > MOST_SENTENCES for answer in self.replied)

    @property
    def undue_rate(self) -> float | None:
        """Share of replies about embedded tasks that give away a detail nobody asked for; None without any."""
        return _share(bool(answer.undue) for answer in self.replied if answer.question.constant is None)

    @property
    def misreported(self) -> int:
        """Replies whose asked-for detail is given away but not claimed, or claimed but not given away."""
        return sum(
            (answer.question.detail in answer.claimed) != (answer.question.detail in answer.disclosed)
            for answer in self.replied
            if answer.question.detail is not None
        )

    @property
    def mean_characters(self) -> float | None:
        """Mean length of a reply in characters; None without any."""
        return statistics.fmean(len(answer.reply) for answer in self.replied) if self.replied else None

    @property
    def median_ms(self) -> float | None:
        """Median time of a reply in milliseconds; None without any."""
        return statistics.median(answer.milliseconds for answer in self.replied) if self.replied else None

    @property
    def worst_ms(self) -> float | None:
        """Longest time of a reply in milliseconds; None without any."""
        return max((answer.milliseconds for answer in self.replied), default=None)

    @property
    def errors(self) -> dict[str, int]:
        """Failures of the user by type, the most frequent first."""
        kinds = Counter(answer.error.partition(":")[0] for answer in self.answers if answer.error is not None)
        return dict(kinds.most_common())

    def recall_by(self, part: Callable[[Question], str]) -> dict[str, tuple[int, float]]:
        """Number of replies and recall for each value of `part`, in alphabetical order."""
        groups: dict[str, list[bool]] = {}
        for answer in self.asked:
            groups.setdefault(part(answer.question), []).append(answer.recalled is True)
        return {name: (len(found), sum(found) / len(found)) for name, found in sorted(groups.items())}

    @property
    def by_kind(self) -> dict[str, tuple[int, float]]:
        """Number of replies and recall by kind of constant."""
        return self.recall_by(lambda question: question.kind)

    @property
    def by_phrasing(self) -> dict[str, tuple[int, float]]:
        """Number of replies and recall by phrasing."""
        return self.recall_by(lambda question: question.phrasing)

    def worst(self, number: int = 20) -> list[Answer]:
        """The worst replies: failures, then code, then wrong numbers, then values not said with "I don't know" first.

        No task is quoted twice for the same kind of fault as long as there are others.
        """
        faults: list[tuple[tuple[int, int, int], Answer]] = []
        seen: Counter[tuple[int, str]] = Counter()
        for place, answer in enumerate(self.answers):
            rank = _rank(answer)
            if rank is not None:
                faults.append(((seen[rank, answer.question.task_id], rank, place), answer))
                seen[rank, answer.question.task_id] += 1
        return [answer for _, answer in sorted(faults, key=lambda fault: fault[0])[:number]]

    def to_dict(self, *, answers: bool = False) -> dict[str, Any]:
        """The figures as JSON data, with every answer if asked for."""
        data: dict[str, Any] = {
            "user": dict(self.user),
            "tasks": self.tasks,
            "seed": self.seed,
            "questions": len(self.answers),
            "replies": len(self.replied),
            "recall": self.recall,
            "dont_know": self.dont_know_rate,
            "code_leaks": self.code_leaks,
            "contradictions": self.contradictions,
            "over_long": self.over_long,
            "too_many_sentences": self.too_many_sentences,
            "over_disclosed": self.undue_rate,
            "misreported": self.misreported,
            "characters": self.mean_characters,
            "ms": self.median_ms,
            "ms_worst": self.worst_ms,
            "errors": self.errors,
            "recall_by_kind": {name: share for name, (_, share) in self.by_kind.items()},
            "recall_by_phrasing": {name: share for name, (_, share) in self.by_phrasing.items()},
        }
        if answers:
            data["answers"] = [answer.to_dict() for answer in self.answers]
        return data


def _share(hits: Iterable[bool]) -> float | None:
    found = list(hits)
    return sum(found) / len(found) if found else None


def _rank(answer: Answer) -> int | None:
    if answer.error is not None:
        return 0
    if answer.code_leaks:
        return 1
    if answer.wrong_numbers:
        return 2
    if answer.recalled is False:
        return 3 if answer.dont_know else 4
    return 5 if answer.undue else None


def audit_user(
    user: User,
    tasks: Sequence[Task] | TaskSet,
    *,
    questions_per_task: int | None = None,
    seed: int = 0,
    phrasings: Mapping[str, Phrasing] | None = None,
    about: About = "details",
    on_question: Callable[[Answer, int, int], None] | None = None,
) -> AuditReport:
    """Asks a user what the references of some Backend tasks hold, each question in a fresh dialogue.

    Every question is one call of `user.respond`; `len(plan_questions(...))` with the same arguments says how many
    there will be.

    Args:
        user: who is asked.
        tasks: Backend tasks, official or embedded.
        questions_per_task: a sample of at most this many questions a task; all by default.
        seed: chooses phrasings, topics and samples: equal seeds ask equal questions.
        phrasings: for constants; `PHRASINGS` by default.
        about: what embedded tasks are asked for: their details, or, as ordinary tasks are, the constants.
        on_question: called after each reply with the answer, how many were asked, and how many there are to ask.

    Raises:
        ConfigError: as `plan_questions`.
        SimulatorError: the user failed ten times in a row.
    """
    questions = plan_questions(
        tasks, questions_per_task=questions_per_task, seed=seed, phrasings=phrasings, about=about
    )
    by_task: dict[str, list[Question]] = {}
    for question in questions:
        by_task.setdefault(question.task_id, []).append(question)
    answers: list[Answer] = []
    in_a_row = 0
    for task in tasks:
        if task.id not in by_task:
            continue
        ground = ground_of(task)
        for question in by_task.pop(task.id):
            answer = _ask(user, task, ground, question)
            answers.append(answer)
            in_a_row = in_a_row + 1 if answer.error is not None else 0
            if in_a_row == MOST_ERRORS_IN_A_ROW:
                raise SimulatorError(
                    f"the user failed {in_a_row} times in a row, last with {answer.error}. "
                    "Mend: see that it runs (its server, its model's name), then audit again"
                )
            if on_question is not None:
                on_question(answer, len(answers), len(questions))
    return AuditReport(dict(user.identity), tuple(answers), len(tasks), seed)


def _ask(user: User, task: Task, ground: Ground, question: Question) -> Answer:
    messages: list[Message] = [
        Message(role="user", content=task.description),
        Message(role="assistant", content=question.text),
    ]
    error: str | None = None
    started = time.perf_counter()
    try:
        reply = user.respond(task, messages)
    except Exception as failure:
        # Whatever a user of somebody's own raises is a figure of the audit, as it is a failed episode in a run.
        reply, error = Reply(""), f"{type(failure).__name__}: {failure}"
    milliseconds = (time.perf_counter() - started) * 1000
    text = reply.text
    disclosed = tuple(
        detail.name for detail in task.details if says_detail(_without_others(text, detail, task), detail)
    )
    due = {question.detail, *question.related}
    return Answer(
        question=question,
        reply=text,
        error=error,
        recalled=None if error is not None else _recalled(question, text, disclosed),
        dont_know=says_dont_know(text),
        code_leaks=tuple(ground.code_leaks(text)),
        wrong_numbers=tuple(ground.wrong_numbers(text, question.text)),
        over_long=len(text) > CHARACTERS,
        sentences=ground.sentences(text),
        disclosed=disclosed,
        claimed=tuple(reply.disclosed),
        undue=tuple(name for name in disclosed if name not in due) if question.constant is None else (),
        milliseconds=milliseconds,
    )


def _recalled(question: Question, reply: str, disclosed: Sequence[str]) -> bool | None:
    if question.detail is not None:
        return question.detail in disclosed
    return None if question.constant is None else holds(reply, question.constant)


def _without_others(reply: str, detail: Detail, task: Task) -> str:
    """A reply without the sentences of the other details: what they have in common with this one gives nothing away."""
    for other in task.details:
        if other.sentence and other.sentence != detail.sentence:
            reply = reply.replace(other.sentence, " ")
    return reply


def cost_line(user: User, questions: int) -> str:
    """What an audit of so many questions will ask of a user: said before it starts, since users may be paid for."""
    if user.identity.get("kind") == "chat":
        return (
            f"{questions:,} questions to {user.identity.get('model')}, each a request of its own that holds the hidden "
            "reference; a reply that has to be asked for again is one more"
        )
    return f"{questions:,} questions to the user {user.identity.get('kind', 'unnamed')!r}, one reply each"


def report_rows(report: AuditReport) -> list[tuple[str, str]]:
    """The figures as rows of a table, name and value."""
    replies = len(report.replied)
    rows = [
        ("questions", f"{len(report.answers):,} on {report.tasks:,} tasks"),
        ("replies", f"{replies:,}"),
        ("value said (recall)", _per_cent(report.recall)),
        ('"I don\'t know"', _per_cent(report.dont_know_rate)),
        ("replies with code", f"{report.code_leaks:,}"),
        ("wrong number said", f"{report.contradictions:,}"),
        (f"over {CHARACTERS} characters", f"{report.over_long:,}"),
        (f"over {MOST_SENTENCES} sentences", f"{report.too_many_sentences:,}"),
    ]
    if report.undue_rate is not None:
        rows.append(("unasked detail given away", _per_cent(report.undue_rate)))
        rows.append(("disclosure misreported", f"{report.misreported:,}"))
    if report.mean_characters is not None:
        rows.append(("mean length", f"{report.mean_characters:.0f} characters"))
        rows.append(("time a reply", f"median {report.median_ms:.2f} ms, worst {report.worst_ms:.1f} ms"))
    rows += [(f"failures: {kind}", f"{count:,}") for kind, count in report.errors.items()]
    return rows


def _per_cent(share: float | None) -> str:
    return "none asked" if share is None else f"{share:.1%}"
