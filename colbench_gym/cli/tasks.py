"""`colbench tasks`: look at task sets."""

from __future__ import annotations

from random import Random
from typing import Annotated

import typer
from rich.markup import escape
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table

from colbench_gym.cli.shared import Json, out, print_json
from colbench_gym.tasks import load_tasks, task_set_names
from colbench_gym.tasks.backend import families_of
from colbench_gym.types import Task

app = typer.Typer(help="Look at task sets.", no_args_is_help=True)


@app.command("list")
def tasks_list(as_json: Json = False) -> None:
    """The task sets that have a name."""
    rows = []
    for name in task_set_names():
        if name.startswith("embedded"):
            tasks = load_tasks(name)
            families = len(families_of(name.partition(":")[2]))
            rows.append((name, len(tasks), f"generated here; {families} families", tasks.fingerprint[:12]))
        else:
            rows.append((name, None, "official data (not ours, CC BY-NC); from the hub or COLBENCH_DATA", ""))
    if as_json:
        print_json([dict(zip(("name", "tasks", "source", "fingerprint"), row, strict=True)) for row in rows])
        return
    table = Table(header_style="bold")
    for column in ("name", "tasks", "source", "fingerprint"):
        table.add_column(column)
    for name, size, source, mark in rows:
        table.add_row(name, "" if size is None else f"{size:,}", source, mark)
    out.print(table)


@app.command("show")
def tasks_show(
    name: Annotated[str, typer.Argument(help="Task set or .jsonl file.")],
    task_id: Annotated[str | None, typer.Argument(help="One task; without it, a line a task.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many lines.")] = 20,
    as_json: Json = False,
) -> None:
    """A task with its hidden reference and tests, or a list of tasks."""
    tasks = load_tasks(name)
    if task_id is not None:
        _show(tasks[tasks.index_of(task_id)], as_json)
        return
    shown = [tasks[index] for index in range(min(limit, len(tasks)))]
    if as_json:
        print_json([task.to_dict() for task in shown])
        return
    table = Table(header_style="bold", title=f"{len(shown)} of {len(tasks):,} tasks of {escape(name)}", expand=True)
    table.add_column("id", no_wrap=True)
    table.add_column("description", overflow="ellipsis", no_wrap=True, ratio=1)
    for task in shown:
        table.add_row(escape(task.id), escape(" ".join(task.description.split())))
    out.print(table)


@app.command("sample")
def tasks_sample(
    name: Annotated[str, typer.Argument(help="Task set or .jsonl file.")],
    seed: Annotated[int, typer.Option(help="Which one.")] = 0,
    as_json: Json = False,
) -> None:
    """A task drawn at random, with its hidden reference and tests."""
    tasks = load_tasks(name)
    _show(tasks[Random(seed).randrange(len(tasks))], as_json)


def _show(task: Task, as_json: bool) -> None:
    if as_json:
        print_json(task.to_dict())
        return
    out.print(
        Panel(escape(task.description), title=escape(task.id), subtitle="what the agent sees", title_align="left")
    )
    language = "python" if task.domain == "backend" else "html"
    out.print(Panel(Syntax(task.reference, language, word_wrap=True), title="hidden reference", title_align="left"))
    if task.details:
        table = Table(header_style="bold", title="hidden details", title_justify="left")
        for column in ("detail", "what the person says when asked", "a careless guess"):
            table.add_column(column)
        for detail in task.details:
            careless = "the same" if detail.careless == detail.value else str(detail.careless)
            table.add_row(escape(detail.name), escape(detail.sentence), escape(careless))
        out.print(table)
    if task.tests:
        out.print(Panel(escape("\n".join(task.tests.values())), title="hidden tests", title_align="left"))
