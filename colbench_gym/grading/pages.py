"""Frontend grades: how similar the picture of a page is to the picture of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, get_args

from colbench_gym.errors import ConfigError, GraderError, TaskError
from colbench_gym.grading.render import Geometry, Render, Unrenderable, render, render_many
from colbench_gym.grading.sharing import Cache
from colbench_gym.grading.similarity import make_similarity
from colbench_gym.protocol import snippet_in
from colbench_gym.types import Grade, Profile, Task

PAGE_GRADER_VERSION = 1
"""Raised with every change outside the measure that moves a frontend score; recorded with every episode."""

_CHUNK = 16
"""How many answers are rendered and compared at a time."""
_references: Cache[Render | Unrenderable] = Cache(256)
"""Renders of references, about 100 kB each, by geometry, renderer and page. One for all graders of the process: a run
plays a task many times, in many environments, and its reference is rendered once."""


class PageGrader:
    """Grades pages by one measure, for any number of threads. Graders of one measure share its weights.

    Args:
        similarity: what `make_similarity` takes.
        geometry, renderer: how both pages are rendered (see `render`).
        profile: how a page is cut out of an answer (see `protocol.snippet_in`).

    Raises:
        ConfigError: an argument names nothing.
        MissingExtra: the measure needs an optional dependency.
    """

    def __init__(self, similarity: str, *, geometry: Geometry, renderer: str, profile: Profile) -> None:
        for name, value, kind in (("profile", profile, Profile), ("geometry", geometry, Geometry)):
            if value not in get_args(kind):
                raise ConfigError(f"{name}={value!r}. Mend: one of {', '.join(map(repr, get_args(kind)))}")
        self.measure = make_similarity(similarity)
        self.geometry: Geometry = geometry
        self.renderer = renderer
        self.profile: Profile = profile

    @property
    def identity(self) -> dict[str, Any]:
        """JSON data that tells two graders apart whose figures may differ. Starts the renderer to learn its version.

        Raises:
            GraderError, MissingExtra: this machine cannot render pages.
        """
        shown = render("<html></html>", geometry=self.geometry, renderer=self.renderer)
        return {
            "kind": "page-similarity",
            "similarity": dict(self.measure.identity),
            "geometry": self.geometry,
            "renderer": shown.renderer,
            "profile": self.profile,
            "version": PAGE_GRADER_VERSION,
        }

    def grade(self, task: Task, answer: str | None) -> Grade:
        """What `answer` is worth.

        Args:
            task: a frontend task.
            answer: any text that holds a page; None if none was given.

        Raises:
            TaskError: the reference cannot be rendered.
            GraderError, MissingExtra: this machine cannot render pages.
        """
        return next(self.grade_many([(task, answer)]))

    def grade_many(self, pairs: Iterable[tuple[Task, str | None]]) -> Iterator[Grade]:
        """Grades in the order of `pairs`, which is read 16 at a time. Raises what `grade` raises."""
        remaining = iter(pairs)
        while chunk := list(islice(remaining, _CHUNK)):
            yield from self._grade_chunk(chunk)

    def _grade_chunk(self, chunk: list[tuple[Task, str | None]]) -> list[Grade]:
        for task, _ in chunk:
            if task.domain != "frontend":
                raise GraderError(f"task {task.id} is a {task.domain} task. Mend: grade it by its unit tests")
        pages = [None if answer is None else snippet_in(answer, self.profile) for _, answer in chunk]
        wanted = [task.reference for task, _ in chunk]
        found_references = _references.all(
            [(self.geometry, self.renderer, html) for html in wanted],
            lambda positions: self._render([wanted[at] for at in positions]),
        )
        references: list[Render] = []
        for (task, _), reference in zip(chunk, found_references, strict=True):
            if isinstance(reference, Unrenderable):
                raise TaskError(f"task {task.id}: its reference cannot be rendered ({reference}). Mend: leave it out")
            references.append(reference)
        proposed = list(dict.fromkeys(page for page in pages if page is not None))
        shown = dict(zip(proposed, self._render(proposed), strict=True))
        results = [None if page is None else shown[page] for page in pages]
        answers = [result if isinstance(result, Render) else None for result in results]
        found = self.measure.compare(answers, references)
        return [
            Grade(
                reward=likeness.value,
                success=likeness.value == 1.0,
                profile=self.profile,
                similarity=likeness.value,
                details=self._details(result, reference, likeness.parts),
            )
            for result, reference, likeness in zip(results, references, found, strict=True)
        ]

    def _render(self, pages: list[str]) -> list[Render | Unrenderable]:
        return list(render_many(pages, geometry=self.geometry, renderer=self.renderer))

    def _details(
        self, result: Render | Unrenderable | None, reference: Render, parts: Mapping[str, float]
    ) -> dict[str, Any]:
        details: dict[str, Any] = {
            "measure": self.measure.identity["kind"],
            "parts": dict(parts),
            "geometry": self.geometry,
            "renderer": reference.renderer,
        }
        if isinstance(result, Render):
            return details | {"flags": list(result.flags)}
        if result is None:
            return details | {"note": "no page was proposed"}
        return details | {"note": f"the page cannot be rendered: {result.reason}"}
