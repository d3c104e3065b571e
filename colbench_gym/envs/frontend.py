"""Frontend Design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from colbench_gym.envs.base import ColbenchEnv
from colbench_gym.grading.pages import PageGrader
from colbench_gym.grading.render import Geometry, Render, render_many
from colbench_gym.protocol import MAX_TURNS, last_snippet
from colbench_gym.tasks import TaskSet
from colbench_gym.types import Domain, Grade, Profile, Task, User

if TYPE_CHECKING:
    import numpy as np

EMPTY_PAGE = (1280, 720)
"""Width and height in pixels of the picture `render()` gives before there is a page to show."""


class FrontendEnv(ColbenchEnv):
    """Design a web page together with a person who has described it only vaguely.

    ## Description
    The agent sees a vague description of a page. It proposes pages; a simulated person, who sees each of them rendered
    beside the page wanted, says what the most outstanding differences are. The last page proposed is graded by how
    similar its picture is to that of the page wanted. From SWEET-RL (arXiv 2503.15478, sections 3 and 5).

    ## Action Space
    `UnicodeText()`: one message, with at most one HTML page in it (Tailwind CSS 2.2.19 can be linked). If it holds
    `OUTPUT:`, only what follows (up to a second one) is said; what precedes it is thinking. If what is said holds
    `I WANT TO ANSWER:`, the dialogue ends, and the last page proposed in it, in whichever turn, is the answer.

    ## Observation Space
    `UnicodeText()`: the whole dialogue so far. `info["messages"]` is the same as a list of chat messages. See
    `colbench_gym.wrappers` for the newest message alone, chat messages, or the rules of the game put in front.

    ## Rewards
    0 until the end; at the end the similarity of the two pages, from 0 to 1.

    ## Starting State
    A task drawn uniformly from `tasks` (fixed by `seed`), or the one that `options={"task_id": ...}` names.

    ## Episode End
    `terminated` when the agent answers or after `max_turns` turns. A dialogue without a page, and a page that cannot
    be rendered within the limits, are graded as no answer: a black picture. `truncated` only with
    `on_error="truncate"`, when the user or the grader failed: not the agent's result.

    ## Arguments
    `tasks`, `user`, `max_turns=10`, `on_error="raise"|"truncate"`: see `ColbenchEnv`.
    `similarity="mini"|"visual"|"clip"|"clip:PATH"`: the measure; see docs/similarity.md.
    `geometry="default"|"official"`, `renderer="chromium"|"blitz"`: how pages are rendered; see docs/rendering.md.
    `profile="strict"|"official"`: how a page is cut out of a message; see docs/protocol.md.
    `render_mode="ansi"`: `render()` gives the dialogue as text; `"rgb_array"`: the last page proposed, as it is graded.

    At the end `info` holds `answer` (the page), `success`, `similarity`, `grade` (the measure, its parts, geometry,
    renderer) and `profile`; never the reference.

    ## Version History
    * v0: first release.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}  # noqa: RUF012  (prescribed)
    domain: ClassVar[Domain] = "frontend"

    def __init__(
        self,
        *,
        tasks: str | TaskSet | Sequence[Task | dict[str, Any]] = "embedded-frontend:train",
        user: str | User | None = None,
        similarity: str = "mini",
        geometry: Geometry = "default",
        renderer: str = "chromium",
        profile: Profile = "strict",
        max_turns: int = MAX_TURNS,
        on_error: Literal["raise", "truncate"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(tasks=tasks, user=user, max_turns=max_turns, on_error=on_error, render_mode=render_mode)
        self.grader = PageGrader(similarity, geometry=geometry, renderer=renderer, profile=profile)

    def submission(self, answer: str) -> str | None:
        return last_snippet(self.messages, self.grader.profile)

    def grade(self, task: Task, answer: str | None) -> Grade:
        return self.grader.grade(task, answer)

    @property
    def grader_identity(self) -> dict[str, Any]:
        return self.grader.identity

    def render(self) -> str | np.ndarray | None:
        """The dialogue as text in render mode `ansi`; in `rgb_array` the last page proposed.

        Returns:
            For `rgb_array` a `uint8` array of shape `(height, width, 3)`. It is white where there is nothing to show:
            before the first page, and for a page that cannot be rendered.

        Raises:
            GraderError, MissingExtra: this machine cannot render pages.
        """
        if self.render_mode != "rgb_array":
            return super().render()
        import numpy as np

        from colbench_gym.grading.pictures import pixels

        page = last_snippet(self.messages, self.grader.profile)
        if page is not None:
            shown = next(iter(render_many([page], geometry=self.grader.geometry, renderer=self.grader.renderer)))
            if isinstance(shown, Render):
                return pixels(shown)
        width, height = EMPTY_PAGE
        return np.full((height, width, 3), 255, dtype=np.uint8)
