"""One door to both graders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from colbench_gym.grading import render, sandbox, unit_tests
from colbench_gym.grading.pages import PageGrader
from colbench_gym.grading.render import Geometry
from colbench_gym.grading.sharing import networks
from colbench_gym.types import Grade, Profile, Task


def grade(
    task: Task,
    answer: str | None,
    *,
    profile: Profile = "strict",
    isolation: str = "auto",
    similarity: str = "mini",
    geometry: Geometry = "default",
    renderer: str = "chromium",
) -> Grade:
    """What `answer` is worth.

    Args:
        task: of either domain.
        answer: backend: the raw text after the answer marker, fences and prose included; frontend: any text that holds
            a page. None if none was given.
        profile: `strict` or `official`: the rules by which an answer is read (and, backend, judged).
        isolation: backend: how the answer is shut in; see docs/isolation.md.
        similarity: frontend: the measure; see docs/similarity.md.
        geometry, renderer: frontend: how both pages are rendered; see docs/rendering.md.

    Raises:
        TaskError: the task cannot be judged by: see `unit_tests.grade`; frontend: its reference cannot be rendered.
        ConfigError: an argument names nothing.
        IsolationUnavailable: this machine cannot isolate the answer the way that was asked for.
        GraderError, MissingExtra: this machine cannot render pages, or lacks what the measure needs.
    """
    return next(
        grade_many(
            [(task, answer)],
            profile=profile,
            isolation=isolation,
            similarity=similarity,
            geometry=geometry,
            renderer=renderer,
        )
    )


def grade_many(
    pairs: Iterable[tuple[Task, str | None]],
    *,
    profile: Profile = "strict",
    isolation: str = "auto",
    similarity: str = "mini",
    geometry: Geometry = "default",
    renderer: str = "chromium",
    in_flight: int = 2,
) -> Iterator[Grade]:
    """Grades in the order of `pairs`, which is read as it goes, several answers at a time.

    Args:
        in_flight: how many backend answers run at a time.

    Raises what `grade` raises, at the position of the pair it is about: the grades of earlier pairs have been
    delivered by then.
    """
    for domain, group in groupby(pairs, key=lambda pair: pair[0].domain):
        if domain == "backend":
            yield from unit_tests.grade_many(group, profile=profile, isolation=isolation, in_flight=in_flight)
        else:
            grader = PageGrader(similarity, geometry=geometry, renderer=renderer, profile=profile)
            yield from grader.grade_many(group)


def rest() -> None:
    """Ends the processes and threads that grading has started in this process: sandboxes, browser, networks' thread.
    What another thread is using is left running. The next use starts anew."""
    sandbox.rest()
    render.rest()
    networks.close()
