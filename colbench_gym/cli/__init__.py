"""The `colbench` command. Results go to standard output, progress and errors to standard error.

Exit codes: 0 done, 1 the thing asked for failed, 2 bad arguments, 130 interrupted.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.syntax import Syntax
from rich.table import Table

import colbench_gym
from colbench_gym.errors import ColbenchError, ConfigError, MissingExtra, TaskError
from colbench_gym.evaluation import mean_interval, summarize, wilson
from colbench_gym.rollouts import EpisodeStore, RunConfig, evaluate, make_agent, read_episodes
from colbench_gym.specs import parse_spec
from colbench_gym.tasks import load_tasks, task_set_names
from colbench_gym.tasks.backend import families_of
from colbench_gym.types import Grade, Task

app = typer.Typer(
    help="Train and measure language agents that work with a person over several turns.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
tasks_app = typer.Typer(help="Look at task sets.", no_args_is_help=True)
app.add_typer(tasks_app, name="tasks")

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

DEMO_AGENTS = {
    "backend": ("scripted:guess", "scripted:ask?questions=5", "scripted:oracle"),
    "frontend": ("scripted:blank", "scripted:generic", "scripted:follow", "scripted:oracle"),
}

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def main() -> None:
    """Entry point: turns this package's errors into one line and an exit code."""
    try:
        app()
    except ColbenchError as error:
        if "--debug" in sys.argv:
            raise
        err.print(f"[bold red]colbench:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(2 if isinstance(error, (ConfigError, TaskError, MissingExtra)) else 1)


def _version(show: bool) -> None:
    if show:
        out.print(f"colbench-gym {colbench_gym.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")] = False,
) -> None:
    # Your own `module:attribute` lies in the folder you stand in, which a console script does not search.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


# ---------------------------------------------------------------------------------------------------------------- runs


@app.command()
def demo(
    episodes: Annotated[int, typer.Option(min=1, help="Backend tasks to play.")] = 200,
    pages: Annotated[int, typer.Option(min=0, help="Frontend tasks to play.")] = 20,
    directory: Annotated[Path, typer.Option("--out", help="Where the runs are kept.")] = Path("runs/demo"),
) -> None:
    """Scripted agents on embedded tasks of both domains: floor, agents that work with the person, ceiling."""
    out.print(f"Scripted agents play {episodes} Backend and {pages} Frontend tasks (no model, no key, no network).\n")
    _demo_domain("backend", directory, episodes)
    missing = _why_no_pages() if pages else None
    if missing is not None:
        out.print(f"[yellow]Frontend Design was not played:[/] {escape(missing)}\n", soft_wrap=True)
    elif pages:
        _demo_domain("frontend", directory, pages)
    prefix = _command_prefix()
    out.print(f"The runs are in {escape(str(directory))}/ (one line an episode in episodes.jsonl). Next, try:")
    for command in (
        "colbench tasks sample embedded-backend:test --seed 1",
        "colbench eval --env ColBench-Backend-v0 --agent 'scripted:ask?questions=3' --tasks embedded-backend:test "
        "--episodes 100",
        "colbench eval --env ColBench-Frontend-v0 --agent scripted:follow --similarity visual --tasks "
        "embedded-frontend:test --episodes 10",
        "python examples/quickstart.py",
    ):
        out.print(f"  {prefix}{command}", soft_wrap=True)
    out.print(
        "Pages were compared by 'visual', which needs no torch. For 'mini' (the default measure) and 'clip' (the "
        "paper's): pip install 'colbench-gym\\[clip]', and see docs/similarity.md.",
        soft_wrap=True,
    )


def _demo_domain(domain: str, directory: Path, episodes: int) -> None:
    summaries: dict[str, dict[str, Any]] = {}
    for agent in DEMO_AGENTS[domain]:
        if domain == "backend":
            config = RunConfig("ColBench-Backend-v0", agent, tasks="embedded-backend:test")
        else:
            config = RunConfig("ColBench-Frontend-v0", agent, tasks="embedded-frontend:test", similarity="visual")
        folder = directory if domain == "backend" else directory / domain
        summaries[agent] = _run(config, folder / _slug(agent), episodes)
    out.print(_table(summaries))
    out.print()


def _why_no_pages() -> str | None:
    """What keeps this machine from rendering pages; None if nothing does."""
    from colbench_gym.grading.render import render

    try:
        render("<html></html>")
    except ColbenchError as error:
        return str(error)
    return None


def _command_prefix() -> str:
    """What to put before a command: the environment's folder, unless it is active."""
    scripts = Path(sys.executable).parent
    if str(scripts) in os.environ.get("PATH", "").split(os.pathsep):
        return ""
    near = Path(os.path.relpath(scripts))
    return f"{near if len(near.parts) < 4 else scripts}/"


@app.command("eval")
def eval_command(
    agent: Annotated[str, typer.Option(help="Agent: scripted:guess, scripted:ask?questions=3, ..., module:attribute.")],
    env: Annotated[str, typer.Option(help="Environment id.")] = "ColBench-Backend-v0",
    tasks: Annotated[str | None, typer.Option(help="Task set or .jsonl file instead of the id's own.")] = None,
    user: Annotated[
        str | None, typer.Option(help="User instead of the id's own: rules, ..., module:attribute.")
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Grading profile instead of the id's own.")] = None,
    user_prompt: Annotated[Path | None, typer.Option(help="Prompt file for a chat user instead of ours.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Turn limit instead of the id's own.")] = None,
    similarity: Annotated[
        str | None, typer.Option(help="Frontend: measure instead of the id's own: mini, visual, clip, clip:PATH.")
    ] = None,
    geometry: Annotated[str | None, typer.Option(help="Frontend: default or official.")] = None,
    renderer: Annotated[str | None, typer.Option(help="Frontend: chromium or blitz.")] = None,
    episodes: Annotated[int | None, typer.Option(min=1, help="Episodes to play; each task once by default.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    directory: Annotated[
        Path | None, typer.Option("--out", help="Run directory; named after the rest by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play and grade episodes. The same command again resumes where it stopped."""
    user = _with_prompt(user, user_prompt)
    config = RunConfig(env, agent, tasks, user, profile, max_turns, seed, similarity, geometry, renderer)
    if directory is None:
        parts = (
            env,
            agent,
            tasks and Path(tasks).name,
            user,
            profile,
            max_turns and f"{max_turns}-turns",
            similarity,
            geometry and f"{geometry}-geometry",
            renderer,
            f"seed{seed}",
        )
        directory = Path("runs") / "_".join(_slug(str(part)) for part in parts if part)
    summary = _run(config, directory, episodes)
    if as_json:
        _print_json(summary | {"directory": str(directory)})
    else:
        out.print(_table({agent: summary}))
        out.print(f"The run is in {escape(str(directory))}/ (episodes.jsonl, summary.json).")
    if not summary["graded"]:
        raise typer.Exit(1)


def _with_prompt(user: str | None, prompt: Path | None) -> str | None:
    """The specification of a chat user with the prompt file put in as its option."""
    if prompt is None:
        return user
    if user is None or parse_spec(user).kind not in ("chat", "local"):
        raise ConfigError(
            "--user-prompt is for a language model as the user. Mend: --user chat:MODEL@http://HOST:PORT/v1, or "
            "--user local:FOLDER"
        )
    return f"{user}{'&' if '?' in user else '?'}prompt={quote(str(prompt))}"


def _run(config: RunConfig, directory: Path, episodes: int | None) -> dict[str, Any]:
    """Plays what is missing of a run, writes its summary and returns it."""
    agent = make_agent(config.agent)
    try:
        # A person who types at this terminal must not share it with a moving bar.
        with _progress(config.agent, shown=config.user != "human") as advance:
            evaluate(config, directory, episodes=episodes, agent=agent, on_episode=advance)
    except KeyboardInterrupt:
        err.print(f"[yellow]Interrupted.[/] What was played is in {escape(str(directory))}/; the same command resumes.")
        raise typer.Exit(130) from None
    records = itertools.islice(read_episodes(directory), episodes)
    summary = summarize(records) | {"agent": config.agent, "ceiling": "ceiling" in agent.identity}
    EpisodeStore.write_summary(directory, summary)
    if summary["failed"]:
        counted = ", ".join(f"{number} of the {boundary}" for boundary, number in summary["failed"].items())
        colour = "red" if summary["failed_share"] > 0.01 else "yellow"
        err.print(f"[{colour}]{sum(summary['failed'].values())} episodes failed and are left out: {counted}[/]")
    return summary


@contextmanager
def _progress(name: str, *, shown: bool = True) -> Iterator[Callable[[Any, int, int], None]]:
    """A progress bar with the result so far; yields the function that moves it."""
    graded = 0
    total_reward = 0.0
    with Progress(*_columns(), console=err, disable=not shown) as bar:
        row = bar.add_task(escape(name), total=None, rate="")

        def advance(episode: Any, done: int, total: int) -> None:
            nonlocal graded, total_reward
            if episode["status"] == "ok":
                graded += 1
                total_reward += episode["grade"]["reward"]
                tested = episode["grade"]["tests_total"] is not None
                rate = f"{total_reward:.0f}/{graded} solved" if tested else f"similarity {total_reward / graded:.3f}"
                bar.update(row, rate=rate)
            bar.update(row, completed=done, total=total)

        yield advance
        done = int(bar.tasks[row].completed)
        bar.update(row, total=max(done, 1), completed=max(done, 1))


def _columns() -> tuple[ProgressColumn, ...]:
    return (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )


def _table(summaries: dict[str, dict[str, Any]]) -> Table:
    """A row an agent; fits into 80 columns."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, collapse_padding=True)
    table.add_column("agent", no_wrap=True)
    frontend = any(summary["similarity"] is not None for summary in summaries.values())
    score = ("similarity (95%)",) if frontend else ("success (95%)", "tests\npassed")
    for column in (*score, "turns", "episodes\nper s", "failed"):
        table.add_column(column, justify="right", no_wrap=True)
    for agent, summary in summaries.items():
        if frontend:
            figures = [_similarity(summary["similarity"], summary["similarity_interval"])]
        else:
            figures = [_rate(summary["success_rate"], summary["success_interval"]), _percent(summary["tests_passed"])]
        table.add_row(
            escape(agent) + ("*" if summary["ceiling"] else ""),
            *figures,
            _number(summary["turns"]),
            _number(summary["episodes_per_second"]),
            str(sum(summary["failed"].values())),
        )
    if any(summary["ceiling"] for summary in summaries.values()):
        table.caption = "* reads the hidden reference: the ceiling, not an agent"
        table.caption_justify = "left"
    return table


def _similarity(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" + ("" if interval is None else f" ({interval[0]:.3f}-{interval[1]:.3f})")


def _rate(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None or interval is None:
        return "-"
    return f"{100 * value:.1f}% ({100 * interval[0]:.1f}-{100 * interval[1]:.1f})"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")


def _print_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


# --------------------------------------------------------------------------------------------------------------- tasks


@tasks_app.command("list")
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
        _print_json([dict(zip(("name", "tasks", "source", "fingerprint"), row, strict=True)) for row in rows])
        return
    table = Table(header_style="bold")
    for column in ("name", "tasks", "source", "fingerprint"):
        table.add_column(column)
    for name, size, source, mark in rows:
        table.add_row(name, "" if size is None else f"{size:,}", source, mark)
    out.print(table)


@tasks_app.command("show")
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
        _print_json([task.to_dict() for task in shown])
        return
    table = Table(header_style="bold", title=f"{len(shown)} of {len(tasks):,} tasks of {escape(name)}", expand=True)
    table.add_column("id", no_wrap=True)
    table.add_column("description", overflow="ellipsis", no_wrap=True, ratio=1)
    for task in shown:
        table.add_row(escape(task.id), escape(" ".join(task.description.split())))
    out.print(table)


@tasks_app.command("sample")
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
        _print_json(task.to_dict())
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


# --------------------------------------------------------------------------------------------------------------- grade


@app.command()
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
    with Progress(*_columns(), console=err) as bar:
        row = bar.add_task("grading", total=None, rate="")
        for graded in grade_file(file, known, isolation=isolation, similarity=similarity):
            grades.append(graded)
            bar.update(row, advance=1)
        bar.update(row, total=max(len(grades), 1), completed=max(len(grades), 1))
    if as_json:
        _print_json(
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
            rate = _rate(successes / len(tested) if tested else None, wilson(successes, len(tested)))
            table.add_row(profile, str(len(tested)), rate, _percent(share / len(tested) if tested else None), "")
        if pages:
            table.add_row(profile, str(len(pages)), "", "", _similarity(fmean(pages), mean_interval(pages)))
    return table


# -------------------------------------------------------------------------------------------------------------- render


@app.command("render")
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


@app.command("user-audit")
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

    asked = make_user(_with_prompt(user, user_prompt) or user)
    task_set = load_tasks(tasks, limit=limit)
    err.print(escape(cost_line(asked, len(plan_questions(task_set, questions_per_task=questions, seed=seed)))))
    with Progress(*_columns(), console=err) as bar:
        row = bar.add_task(escape(user), total=None, rate="")
        report = audit_user(
            asked,
            task_set,
            questions_per_task=questions,
            seed=seed,
            on_question=lambda answer, done, total: bar.update(row, completed=done, total=total),
        )
    if as_json:
        _print_json(report.to_dict(answers=False))
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


# ------------------------------------------------------------------------------------------------------ set-up, doctor


@app.command()
def setup(
    official_prompts: Annotated[
        bool,
        typer.Option("--official-prompts", help="Only fetch the official prompt files (CC BY-NC) into your cache."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Fetch what is not shipped: a browser and Tailwind, for Frontend Design. May be run again at any time."""
    from colbench_gym.assets import OFFICIAL_LICENCE, OFFICIAL_REVISION, fetch_official_prompts
    from colbench_gym.provision import Provided, provide_frontend

    if official_prompts:
        licence = f"Official prompt files, revision {OFFICIAL_REVISION[:12]}. Licence: {OFFICIAL_LICENCE}."
        (err if as_json else out).print(licence)
        things = [Provided(path.name, True, fetched, str(path)) for path, fetched in fetch_official_prompts()]
    else:
        things = provide_frontend(lambda text: err.print(escape(text), style="dim", soft_wrap=True))
    if as_json:
        _print_json([thing._asdict() for thing in things])
    else:
        for thing in things:
            state = "[red]missing[/]" if not thing.ok else "fetched now" if thing.changed else "already there"
            out.print(f"{escape(thing.name)}: {state}. {escape(thing.detail)}", soft_wrap=True)
            if thing.mend:
                out.print(f"  Mend: {escape(thing.mend)}", soft_wrap=True)
    if not all(thing.ok for thing in things):
        raise typer.Exit(1)


@app.command()
def doctor(as_json: Json = False) -> None:
    """What this machine can do, and the mend for what it cannot. Exit code 1 if answers cannot be graded safely."""
    from colbench_gym.doctor import examine

    findings = examine()
    usable = all(finding.ok for finding in findings if finding.needed)
    if as_json:
        _print_json([finding._asdict() for finding in findings])
    else:
        out.print(f"colbench-gym {colbench_gym.__version__}, Python {platform.python_version()}, {platform.platform()}")
        table = Table(header_style="bold")
        for column in ("", "what", "found", "mend"):
            table.add_column(column, overflow="fold")
        for finding in findings:
            mark = "[green]ok[/]" if finding.ok else "[red]no[/]" if finding.needed else "[yellow]-[/]"
            table.add_row(mark, escape(finding.name), escape(finding.detail), escape(finding.mend))
        out.print(table)
    if not usable:
        raise typer.Exit(1)


if __name__ == "__main__":
    main()
