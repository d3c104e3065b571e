"""Grading: unit tests in a sandbox.

`grade` and `grade_many` are re-exported here; the sandbox is `colbench_gym.grading.sandbox`.
"""

from __future__ import annotations

from colbench_gym.grading.unit_tests import grade, grade_many

GRADER_VERSION = 1
"""Raised with every change that moves a backend score; recorded with every episode."""

__all__ = ["GRADER_VERSION", "grade", "grade_many"]
