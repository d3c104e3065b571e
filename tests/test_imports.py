"""Which room may import which (DESIGN, section 2), and how light the front door is."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOUNDATION = {"accounts", "errors", "types", "protocol", "spaces", "specs", "foreign_code"}
# Each room, and the rooms of `colbench_gym` it may import. Rooms in the foundation may import each other.
ALLOWED = {
    **dict.fromkeys(FOUNDATION, FOUNDATION),
    "registration": set(),
    "assets": FOUNDATION,
    "provision": FOUNDATION | {"assets"},
    "completions": FOUNDATION,
    "local_models": FOUNDATION,
    "prompts": FOUNDATION,
    "tasks": FOUNDATION,
    "grading": FOUNDATION | {"tasks", "assets"},
    "simulators": FOUNDATION | {"tasks", "grading", "prompts", "completions", "local_models"},
    "doctor": FOUNDATION | {"tasks", "grading", "assets", "provision"},
    "envs": FOUNDATION | {"tasks", "grading", "simulators"},
    "vector": FOUNDATION | {"grading", "envs"},
    "wrappers": FOUNDATION | {"envs", "prompts"},
    "rollouts": FOUNDATION | {"tasks", "grading", "simulators", "envs", "wrappers", "registration", "prompts"},
    "evaluation": FOUNDATION | {"tasks", "grading", "rollouts"},
    "cli": FOUNDATION
    | {"tasks", "grading", "simulators", "envs", "rollouts", "evaluation", "assets", "provision", "doctor", "prompts"},
}
OUTER = ["colbench_gym", "colbench_agents", "colbench_baselines", "examples"]
FOLDERS = {
    "colbench_gym": "colbench_gym",
    "colbench_agents": "agents/colbench_agents",
    "colbench_baselines": "baselines/colbench_baselines",
    "examples": "examples",
}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return names


def files(package: str) -> list[Path]:
    return sorted((ROOT / FOLDERS[package]).rglob("*.py"))


@pytest.mark.parametrize("package", OUTER)
def test_outer_direction(package: str):
    later = OUTER[OUTER.index(package) + 1 :]
    for path in files(package):
        for name in imported(path):
            assert name.split(".")[0] not in later, f"{path} imports {name}"


def test_inner_direction():
    for path in files("colbench_gym"):
        room = path.relative_to(ROOT / "colbench_gym").parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        for name in imported(path):
            parts = name.split(".")
            if parts[0] == "colbench_gym" and len(parts) > 1 and parts[1] != room and parts[1] in ALLOWED:
                assert parts[1] in ALLOWED[room], f"{path} imports {name}"


def test_every_room_is_listed():
    rooms = {path.relative_to(ROOT / "colbench_gym").parts[0].removesuffix(".py") for path in files("colbench_gym")}
    assert rooms - {"__init__"} == set(ALLOWED)


def test_only_grading_and_set_up_start_processes():
    for path in files("colbench_gym"):
        if path.relative_to(ROOT / "colbench_gym").parts[0] not in ("grading", "provision.py"):
            assert not imported(path) & {"subprocess", "multiprocessing", "playwright"}, path


def test_no_global_random_numbers():
    """`random.x()` draws from a generator that every library shares; seeded runs must not."""
    for package in OUTER:
        for path in files(package):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            shared = [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "random"
                and node.attr not in ("Random", "SystemRandom")
            ]
            assert not shared or "grading/sandbox" in str(path), f"{path}, line {shared[0].lineno}"


def test_front_door_is_light():
    heavy = {"torch", "transformers", "typer", "rich", "huggingface_hub", "playwright", "colbench_gym.envs", "pandas"}
    code = "import sys, colbench_gym; print('\\n'.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not heavy & set(loaded)
