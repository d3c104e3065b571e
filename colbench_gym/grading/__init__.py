"""Grading: unit tests in a sandbox for Backend, the similarity of two rendered pages for Frontend.

`grade`, `grade_many` and `rest` are re-exported here; the sandbox is `colbench_gym.grading.sandbox`, the renderer
`colbench_gym.grading.render`, the measures `colbench_gym.grading.similarity`.
"""

from __future__ import annotations

from colbench_gym.grading.dispatch import grade, grade_many, rest

GRADER_VERSION = 1
"""Raised with every change that moves a backend score; recorded with every episode."""

__all__ = ["GRADER_VERSION", "grade", "grade_many", "rest"]
