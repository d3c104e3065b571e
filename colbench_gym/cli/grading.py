"""`colbench grade`, `render`, `user-audit`."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from colbench_gym.cli.runs import with_prompt
from colbench_gym.cli.shared import Json, columns, err, out, percent_text, print_json, rate_text, similarity_text
from colbench_gym.errors import ConfigError
from colbench_gym.evaluation import mean_interval, wilson
from colbench_gym.tasks import load_tasks
from colbench_gym.types import Grade


def grade(
    file: Annotated[Path, typer.Argument(help="Official trajectory .jsonl, or a results file {task_id: {answer}}.")],
    tasks: Annotated[str | None, typer.Option(help="Task set or .jsonl file that the file's ids name.")] = None,
    isolation: Annotated[str, typer.Option(help="How answers are shut in; see docs/isolation.md.")] = "auto",
    similarity: Annotated[str, typer.Option(help="Frontend: mini, visual, clip or clip:PATH.")] = "mini",
    as_json: Json = False,
) -> None:
    """Grade recorded answers in both profiles side by side, and say where and why they differ."""
    from colbench_gym.grading.trajectories import grade_file

    known = None if tasks is None else list(load_tasks(tasks))
    grades = []
    with Progress(*columns(), console=err) as bar:
        row = bar.add_task("grading", total=None, rate="")
        for graded in grade_file(file, known, isolation=isolation, similarity=similarity):
            grades.append(graded)
            bar.update(row, advance=1)
        bar.update(row, total=max(len(grades), 1), completed=max(len(grades), 1))
    if as_json:
        print_json(
            [
                {
                    "id": graded.entry.id,
                    "line": graded.entry.line,
                    "recorded": graded.entry.recorded,
                    "strict": None if graded.strict is None else graded.strict.to_dict(),
                    "official": graded.official.to_dict(),
                    "error": graded.error,
                    "difference": graded.difference,
                }
                for graded in grades
            ]
        )
        return
    strict = [graded.strict for graded in grades if graded.strict is not None]
    out.print(_grades_table({"strict": strict, "official": [graded.official for graded in grades]}))
    different = [graded for graded in grades if graded.difference]
    out.print(f"{len(different)} of {len(grades)} answers are judged differently.")
    for graded in different:
        place = graded.entry.id if graded.entry.line is None else f"{graded.entry.id} (line {graded.entry.line})"
        out.print(f"  {escape(place)}: {escape(graded.difference)}", soft_wrap=True)


def _grades_table(by_profile: dict[str, list[Grade]]) -> Table:
    """A row for each profile and domain."""
    table = Table(header_style="bold")
    for column in ("profile", "answers", "success (95% interval)", "tests passed", "similarity (95% interval)"):
        table.add_column(column, justify="left" if column == "profile" else "right")
    for profile, grades in by_profile.items():
        tested = [one for one in grades if one.tests_total]
        pages = [one.similarity for one in grades if one.similarity is not None]
        if tested or not pages:
            successes = sum(one.success for one in tested)
            share = sum((one.tests_passed or 0) / (one.tests_total or 1) for one in tested)
            rate = rate_text(successes / len(tested) if tested else None, wilson(successes, len(tested)))
            table.add_row(profile, str(len(tested)), rate, percent_text(share / len(tested) if tested else None), "")
        if pages:
            table.add_row(profile, str(len(pages)), "", "", similarity_text(fmean(pages), mean_interval(pages)))
    return table


# -------------------------------------------------------------------------------------------------------------- render


def render_command(
    file: Annotated[Path, typer.Argument(help="An .html file, or any text that holds a page.")],
    picture: Annotated[Path | None, typer.Option("--out", help="The PNG; beside the file by default.")] = None,
    geometry: Annotated[str, typer.Option(help="default or official.")] = "default",
    renderer: Annotated[str, typer.Option(help="chromium or blitz.")] = "chromium",
) -> None:
    """Write the picture of a page, as it is graded: no network, no scripts."""
    from colbench_gym.grading.render import render
    from colbench_gym.protocol import snippet_in

    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}). Mend: name an .html file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: byte {error.start} is not UTF-8. Mend: save the file as UTF-8") from None
    page = snippet_in(text)
    if page is None:
        raise ConfigError(f"{file} holds no page. Mend: <html>...</html>, <body>...</body>, or a piece of a page")
    shown = render(page, geometry=geometry, renderer=renderer)  # type: ignore[arg-type]  (checked there)
    picture = file.with_suffix(".png") if picture is None else picture
    try:
        picture.write_bytes(shown.png)
    except OSError as error:
        raise ConfigError(f"{picture} cannot be written ({error.strerror}). Mend: another --out") from None
    flags = f", {', '.join(shown.flags)}" if shown.flags else ""
    out.print(f"{escape(str(picture))}: {shown.width}x{shown.height}, {shown.renderer}{flags}", soft_wrap=True)


# ---------------------------------------------------------------------------------------------------------- user audit


def user_audit(
    user: Annotated[str, typer.Option(help="The user to question: rules, chat:MODEL@URL, ..., module:attribute.")],
    tasks: Annotated[str, typer.Option(help="Task set or .jsonl file.")] = "embedded-backend:test",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")] = None,
    questions: Annotated[int | None, typer.Option(min=1, help="At most so many questions a task.")] = None,
    user_prompt: Annotated[Path | None, typer.Option(help="Prompt file for a chat user instead of ours.")] = None,
    seed: Annotated[int, typer.Option(help="Which questions, in which phrasing.")] = 0,
    worst: Annotated[int, typer.Option(min=0, help="Quote so many of the worst replies.")] = 5,
    as_json: Json = False,
) -> None:
    """How faithful a simulated user is: asks for what the references hold, and checks what it says."""
    from colbench_gym.evaluation.user_audit import audit_user, cost_line, plan_questions, report_rows
    from colbench_gym.simulators import make_user

    asked = make_user(with_prompt("user", user, user_prompt) or user)
    task_set = load_tasks(tasks, limit=limit)
    err.print(escape(cost_line(asked, len(plan_questions(task_set, questions_per_task=questions, seed=seed)))))
    with Progress(*columns(), console=err) as bar:
        row = bar.add_task(escape(user), total=None, rate="")
        report = audit_user(
            asked,
            task_set,
            questions_per_task=questions,
            seed=seed,
            on_question=lambda answer, done, total: bar.update(row, completed=done, total=total),
        )
    if as_json:
        print_json(report.to_dict(answers=False))
        return
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False)
    table.add_column(f"user {escape(user)}")
    table.add_column("on " + escape(tasks), justify="right")
    for name, value in report_rows(report):
        table.add_row(escape(name), escape(value))
    out.print(table)
    for answer in report.worst(worst):
        out.print(f"\n[bold]{escape(answer.question.task_id)}[/] {escape(answer.question.text)}", soft_wrap=True)
        out.print(f"  {escape(answer.reply or answer.error or '')}", soft_wrap=True)
