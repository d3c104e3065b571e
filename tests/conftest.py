from __future__ import annotations

import json
from pathlib import Path

import pytest

RECORDS = [
    {
        "id": "tax",
        "problem_description": "Work out the total with tax. Signature: def total(net)",
        "ground_truth": "def total(net):\n    return round(net * 1.19, 2)",
        "test_cases": {"test1": "total(100)", "test2": "total(0)", "test3": "total(9.99)"},
    },
    {
        "id": "greet",
        "problem_description": "Greet somebody, 世界 🌍. Signature: def greet(name)",
        "ground_truth": "def greet(name):\n    return 'Grüße, ' + (name or 'Fremder') + '!'",
        "test_cases": {"test1": "greet('Ana')", "test2": "greet('')"},
    },
]


@pytest.fixture
def task_file(tmp_path: Path) -> str:
    """A small file in the official format, with text beyond ASCII."""
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS), encoding="utf-8")
    return str(path)


PAGES = [
    {
        "id": "bakery",
        "problem_description": "A warm page for a bakery with a header and opening hours.",
        "ground_truth": "<html><body style='background: wheat'><h1>Müller</h1><p>Open from five.</p></body></html>",
    },
    {
        "id": "club",
        "problem_description": "A page for a chess club, in dark colours.",
        "ground_truth": "<html><body style='background: #222'><h1>Chess</h1><p>Tuesdays.</p></body></html>",
    },
]


@pytest.fixture
def page_file(tmp_path: Path) -> str:
    """A small file of frontend tasks in the official format."""
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in PAGES), encoding="utf-8")
    return str(path)
