"""Every command and every piece of code in README and docs/ is run, in a copy of the repository's root folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)

# Commands that cannot run inside the test suite, and what stands in for them.
ELSEWHERE = {
    "make demo": "tests/test_clone.py runs it in a fresh clone",
    "make test": "this is it",
    "pip install -e .": "tests/test_packaging.py installs the wheel in a clean environment",
    "pip install -e '.[frontend]'": "the same, without the renderer's parts",
    "pip install -e '.[clip]'": "the same, without torch",
    "pip install -e '.[hub]'": "the same, without what the hub needs",
    "pip install -e '.[llm]'": "the same, without the client library",
    "pip install -e '.[local]'": "the same, without torch",
    "pip install -e '.[ray]'": "the same, without Ray",
    "colbench setup --official-prompts": "tests/test_assets.py, against a local server",
}


def blocks(language: str) -> list:
    found = []
    for page in PAGES:
        for match in FENCE.finditer(page.read_text(encoding="utf-8")):
            if match.group(2) == language:
                lines = [line.removeprefix(match.group(1)) for line in match.group(3).splitlines()]
                found.append((page.name, "\n".join(lines)))
    return found


def commands(block: str) -> list[str]:
    """The commands of a block that can be run here."""
    lines = block.replace("\\\n", " ").splitlines()
    stripped = [re.sub(r"\s+#.*", "", line).strip() for line in lines]
    return [command for command in stripped if command and command not in ELSEWHERE]


def runnable() -> list:
    """Blocks of commands, of which a later one may need what an earlier one left."""
    found = [(page, commands(block)) for page, block in blocks("bash")]
    return [pytest.param(those, id=f"{page}: {those[0]}") for page, those in found if those]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which examples/ lies beside, as in the repository, but where runs leave no trace."""
    for name in ("examples", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def run(arguments, folder: Path, **kwargs) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        arguments, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False, **kwargs
    )


@pytest.mark.parametrize("block", runnable())
def test_commands(block: list[str], folder: Path):
    for command in block:
        result = run(command, folder, shell=True)
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"


@pytest.mark.parametrize(("page", "code"), [pytest.param(*block, id=block[0]) for block in blocks("python")])
def test_code(page: str, code: str, folder: Path):
    result = run([sys.executable, "-c", code], folder)
    assert result.returncode == 0, f"{page}: {result.stderr}"


def test_something_was_found():
    assert len(runnable()) >= 10
    assert blocks("python")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in ELSEWHERE:
        if command.startswith("make "):
            assert f"\n{command.removeprefix('make ')}:" in makefile


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_example_is_shown_and_short():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for example in (ROOT / "examples").iterdir():
        if example.suffix in (".py", ".jsonl"):
            assert example.name in readme + "".join(page.read_text(encoding="utf-8") for page in PAGES)


def test_readme_names_every_id():
    from colbench_gym.registration import IDS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"`{env_id}`" in readme for env_id in IDS)
