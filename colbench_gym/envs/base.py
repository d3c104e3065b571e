"""The turn loop that both domains share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

import gymnasium
from gymnasium.error import ResetNeeded

from colbench_gym.accounts import Party, current_account
from colbench_gym.errors import AgentError, ColbenchError, ConfigError, GraderError, SimulatorError, TaskError
from colbench_gym.protocol import MAX_TURNS, USER_CHARACTERS, answer_in, clip, spoken, transcript
from colbench_gym.simulators import make_user
from colbench_gym.spaces import UnicodeText
from colbench_gym.tasks import ListedTasks, TaskSet, load_tasks
from colbench_gym.types import Domain, Grade, Message, Task, User


class ColbenchEnv(gymnasium.Env[str, str]):
    """One agent, one simulated person, one hidden reference. Subclasses say how an answer is graded.

    Args:
        tasks: what `load_tasks` takes, or a task set, or a list of tasks (or of their `to_dict()`).
        user: what `make_user` takes.
        max_turns: the agent's turns, the answer included (at least 1).
        reward: `success` (1 if every test passed, else 0) or `fraction` (share of tests passed); at the end only.
        on_error: what happens when the user or the grader fails: `raise` its error, or `truncate`, which ends the
            episode with `truncated=True`, reward 0.0 and `info["error"]`. A bad *answer* is graded and is no error.
        render_mode: `ansi`: `render()` gives the dialogue as text. A subclass may have more.

    Raises:
        ConfigError, TaskError: an argument is unusable.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (an attribute that Gymnasium prescribes)
    domain: ClassVar[Domain]

    def __init__(
        self,
        *,
        tasks: str | TaskSet | Sequence[Task | dict[str, Any]],
        user: str | User | None,
        max_turns: int = MAX_TURNS,
        reward: Literal["success", "fraction"] = "success",
        on_error: Literal["raise", "truncate"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        if isinstance(max_turns, bool) or not isinstance(max_turns, int) or max_turns < 1:
            raise ConfigError(f"max_turns={max_turns!r}. Mend: a whole number of at least 1")
        for name, value, accepted in (
            ("reward", reward, ("success", "fraction")),
            ("on_error", on_error, ("raise", "truncate")),
            ("render_mode", render_mode, (None, *self.metadata["render_modes"])),
        ):
            if value not in accepted:
                raise ConfigError(f"{name}={value!r}. Mend: one of {', '.join(map(repr, accepted))}")
        if user is None:
            raise ConfigError(
                "this environment is defined with a language model as the user, which must be given. Mend: "
                'gym.make(..., user="chat:MODEL@http://HOST:PORT/v1"), or user="rules" for a first look'
            )
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.render_mode = render_mode
        self.tasks = _as_task_set(tasks)
        self.user = make_user(user, domain=self.domain)
        self.max_turns = max_turns
        self._reward = reward
        self._on_error = on_error
        self._task: Task | None = None
        self._messages: list[Message] = []
        self._actions: list[str] = []
        self._disclosed: list[tuple[str, ...]] = []
        self._failure: ColbenchError | None = None
        self._answer: str | None = None
        self._grade: Grade | None = None
        self._over = True

    def grade(self, task: Task, answer: str | None) -> Grade:
        """What the answer is worth; None means that none was given."""
        raise NotImplementedError

    def submission(self, answer: str) -> str | None:
        """What is graded when `answer` follows the marker, or is all that was said in the last turn."""
        return answer

    @property
    def grader_identity(self) -> dict[str, Any]:
        """JSON data that tells two graders apart whose figures may differ."""
        raise NotImplementedError

    # What an episode record and a critic read, on purpose and by name; `info` holds none of it.

    @property
    def task(self) -> Task:
        """The task being played, reference and tests included: the critic's training-time information."""
        if self._task is None:
            raise ResetNeeded("no task yet. Mend: call reset() first")
        return self._task

    @property
    def messages(self) -> list[Message]:
        """A copy of the dialogue so far. It starts with the description; the agent's messages are what was said."""
        return [Message(role=message["role"], content=message["content"]) for message in self._messages]

    @property
    def actions(self) -> list[str]:
        """The agent's actions so far, raw, thinking included."""
        return list(self._actions)

    @property
    def disclosed(self) -> list[tuple[str, ...]]:
        """For each reply of the user so far, the names of the details it gave away."""
        return list(self._disclosed)

    @property
    def failure(self) -> ColbenchError | None:
        """The error that truncated the episode, if one did."""
        return self._failure

    @property
    def answer(self) -> str | None:
        """What was handed in, as it was written; None as long as there is none."""
        return self._answer

    @property
    def final_grade(self) -> Grade | None:
        """The grade of the episode's answer, exception texts included; None before the end."""
        return self._grade

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: fixes which task is drawn, now and in later resets without a seed.
            options: `{"task_id": ID}` picks a task instead of drawing one.

        Raises:
            ConfigError: an unknown option.
            TaskError: no task with that id, or one of another domain.
        """
        super().reset(seed=seed)
        options = dict(options or {})
        # Drawn even when a task is picked, so that picking one does not shift the draws after it.
        index = int(self.np_random.integers(len(self.tasks)))
        task_id = options.pop("task_id", None)
        if options:
            raise ConfigError(f"unknown reset option {next(iter(options))!r}. Mend: 'task_id' is the only one")
        if task_id is not None:
            index = self.tasks.index_of(task_id)
        task = self.tasks[index]
        if task.domain != self.domain:
            raise TaskError(f"task {task.id} is of domain {task.domain}, this environment plays {self.domain}")
        self._task = task
        self._messages = [Message(role="user", content=task.description)]
        self._actions = []
        self._disclosed = []
        self._failure = None
        self._answer = None
        self._grade = None
        self._over = False
        return transcript(self._messages), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """One turn: the agent's message, then the user's reply or the grade.

        Raises:
            ResetNeeded: the episode is over.
            AgentError: the action is no string.
            SimulatorError, GraderError, TaskError: with `on_error="raise"` only.
        """
        if self._over:
            raise ResetNeeded("the episode is over. Mend: call reset() before the next step()")
        if not isinstance(action, str):
            raise AgentError(f"an action is a str, not {type(action).__name__}. Mend: pass the agent's text")
        message = spoken(action)
        self._actions.append(str(action))
        self._messages.append(Message(role="assistant", content=message))
        answer = answer_in(message)
        if answer is None and len(self._actions) == self.max_turns:
            answer = message
        try:
            if answer is not None:
                return self._finish(answer)
            with _boundary(SimulatorError, "user"):
                reply = self.user.respond(self.task, self.messages)
        except ColbenchError as error:
            self._over = True
            if self._on_error == "raise":
                raise
            self._failure = error
            # The boundary and the kind of error only: its text may name paths, addresses or the reference.
            info = self._info() | {"error": {"boundary": error.boundary, "type": type(error).__name__}}
            return transcript(self._messages), 0.0, False, True, info
        self._disclosed.append(reply.disclosed)
        self._messages.append(Message(role="user", content=clip(reply.text, USER_CHARACTERS[self.domain])))
        return transcript(self._messages), 0.0, False, False, self._info()

    def render(self) -> Any:
        """The dialogue as text in render mode `ansi`."""
        return transcript(self._messages) if self.render_mode == "ansi" else None

    def _finish(self, text: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        answer = self._answer = self.submission(text)
        with _boundary(GraderError, "grader"):
            grade = self.grade(self.task, answer)
        self._over = True
        self._grade = grade
        info = self._info() | {
            "answer": answer,
            "success": grade.success,
            "grade": grade.public_details(),
            "profile": grade.profile,
        }
        for name in ("tests_passed", "tests_total", "similarity", "isolation"):
            if (value := getattr(grade, name)) is not None:
                info[name] = value
        reward = grade.reward
        if self._reward == "fraction" and grade.tests_passed is not None and grade.tests_total:
            reward = grade.tests_passed / grade.tests_total
        return transcript(self._messages), float(reward), True, False, info

    def _info(self) -> dict[str, Any]:
        return {
            "task_id": self.task.id,
            "turn": len(self._actions),
            "turns_left": self.max_turns - len(self._actions),
            "messages": self.messages,
        }


@contextmanager
def _boundary(kind: type[ColbenchError], party: Party) -> Iterator[None]:
    """The one point at which a foreign exception of a party becomes an error of its boundary."""
    current_account().party = party
    try:
        yield
    except ColbenchError:
        raise
    except Exception as error:
        raise kind(f"the {party} raised {type(error).__name__}: {error}") from error


def _as_task_set(tasks: str | TaskSet | Sequence[Task | dict[str, Any]]) -> TaskSet:
    if isinstance(tasks, str):
        return load_tasks(tasks)
    if isinstance(tasks, TaskSet):
        return tasks
    given = [task if isinstance(task, Task) else Task.from_dict(task) for task in tasks]
    if not given:
        raise TaskError("tasks is an empty list. Mend: give at least one")
    return ListedTasks("given", given)
