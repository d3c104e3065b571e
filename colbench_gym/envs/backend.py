"""Backend Programming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from colbench_gym.envs.base import ColbenchEnv
from colbench_gym.errors import ConfigError
from colbench_gym.grading import GRADER_VERSION, grade
from colbench_gym.grading.sandbox.isolation import check_name
from colbench_gym.protocol import MAX_TURNS
from colbench_gym.tasks import TaskSet
from colbench_gym.types import Domain, Grade, Profile, Task, User


class BackendEnv(ColbenchEnv):
    """Write a Python function together with a person who has described it only vaguely.

    ## Description
    The agent sees a vague description that ends in a function's signature. It asks a simulated person, who knows the
    reference function and answers in at most two sentences, and then hands in its own function, which is run on hidden
    test calls. From SWEET-RL (arXiv 2503.15478, sections 3 and 5).

    ## Action Space
    `UnicodeText()`: one message. If it holds `OUTPUT:`, only what follows (up to a second one) is said; what precedes
    it is thinking. If what is said holds `I WANT TO ANSWER:`, what follows is the answer.

    ## Observation Space
    `UnicodeText()`: the whole dialogue so far. `info["messages"]` is the same as a list of chat messages. See
    `colbench_gym.wrappers` for the newest message alone, chat messages, or the rules of the game put in front.

    ## Rewards
    0 until the end. At the end, `reward="success"`: 1 if every test passed, else 0; `reward="fraction"`: the share of
    tests passed.

    ## Starting State
    A task drawn uniformly from `tasks` (fixed by `seed`), or the one that `options={"task_id": ...}` names.

    ## Episode End
    `terminated` when the agent answers or after `max_turns` turns; a last message without the marker is the answer.
    `truncated` only with `on_error="truncate"`, when the user or the grader failed: not the agent's result.

    ## Arguments
    `tasks`, `user`, `max_turns=10`, `reward="success"|"fraction"`, `on_error="raise"|"truncate"`, `render_mode`: see
    `ColbenchEnv`. `profile="strict"|"official"`: what a programmer expects, or exactly what the official grader
    returns. `isolation="auto"`: how the answer is shut in; see `docs/isolation.md`.

    At the end `info` holds `answer`, `success`, `tests_passed`, `tests_total`, `grade` (kinds per test), `profile` and
    `isolation`; never the reference, the tests or a hidden fact.

    ## Version History
    * v0: first release.
    """

    domain: ClassVar[Domain] = "backend"

    def __init__(
        self,
        *,
        tasks: str | TaskSet | Sequence[Task | dict[str, Any]] = "embedded-backend:train",
        user: str | User | None = None,
        profile: Profile = "strict",
        isolation: str = "auto",
        max_turns: int = MAX_TURNS,
        reward: Literal["success", "fraction"] = "success",
        on_error: Literal["raise", "truncate"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            tasks=tasks, user=user, max_turns=max_turns, reward=reward, on_error=on_error, render_mode=render_mode
        )
        if profile not in get_args(Profile):
            raise ConfigError(f"profile={profile!r}. Mend: one of {', '.join(map(repr, get_args(Profile)))}")
        check_name(isolation)
        self.profile: Profile = profile
        self.isolation = isolation

    def grade(self, task: Task, answer: str | None) -> Grade:
        return grade(task, answer, profile=self.profile, isolation=self.isolation)

    @property
    def grader_identity(self) -> dict[str, Any]:
        return {"kind": "unit-tests", "profile": self.profile, "version": GRADER_VERSION}
