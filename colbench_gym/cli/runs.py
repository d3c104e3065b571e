"""`colbench demo`, `eval`, `collect`: play episodes."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich import box
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from colbench_gym.accounts import Price, Purse
from colbench_gym.cli.shared import (
    Json,
    columns,
    err,
    number_text,
    out,
    percent_text,
    print_json,
    rate_text,
    similarity_text,
)
from colbench_gym.errors import ColbenchError, ConfigError
from colbench_gym.evaluation import summarize
from colbench_gym.rollouts import Collected, EpisodeStore, Run, RunConfig, collect, foresee
from colbench_gym.rollouts.collect import CONCURRENCY, EPISODE_SECONDS, FAILURES_IN_A_ROW, TURN_SECONDS
from colbench_gym.specs import parse_spec

DEMO_AGENTS = {
    "backend": ("scripted:guess", "scripted:ask?questions=5", "scripted:oracle"),
    "frontend": ("scripted:blank", "scripted:generic", "scripted:follow", "scripted:oracle"),
}
RED_SHARE = 0.01
"""A run of which more than this share has failed says so in red."""


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
        summaries[agent] = _run(config, folder / _slug(agent), episodes=episodes)[0]
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


def collect_command(
    agent: Annotated[
        str, typer.Option(help="Agent: scripted:guess, chat:MODEL@URL, local:FOLDER, ..., module:attribute.")
    ],
    env: Annotated[str, typer.Option(help="Environment id.")] = "ColBench-Backend-v0",
    tasks: Annotated[str | None, typer.Option(help="Task set or .jsonl file instead of the id's own.")] = None,
    user: Annotated[
        str | None, typer.Option(help="User instead of the id's own: rules, chat:MODEL@URL, ..., module:attribute.")
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Grading profile instead of the id's own.")] = None,
    agent_prompt: Annotated[Path | None, typer.Option(help="Prompt file for a language model as the agent.")] = None,
    user_prompt: Annotated[Path | None, typer.Option(help="Prompt file for a language model as the user.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Turn limit; 1: the agent must answer at once.")] = None,
    similarity: Annotated[
        str | None, typer.Option(help="Frontend: measure instead of the id's own: mini, visual, clip, clip:PATH.")
    ] = None,
    geometry: Annotated[str | None, typer.Option(help="Frontend: default or official.")] = None,
    renderer: Annotated[str | None, typer.Option(help="Frontend: chromium or blitz.")] = None,
    samples: Annotated[int, typer.Option(min=1, help="Episodes of each task.")] = 1,
    episodes: Annotated[int | None, typer.Option(min=1, help="Episodes in all, instead of whole --samples.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes in play at a time (of each worker).")] = CONCURRENCY,
    turn_seconds: Annotated[float, typer.Option(help="Limit on one turn; 0 for none.")] = TURN_SECONDS,
    episode_seconds: Annotated[float, typer.Option(help="Limit on one episode; 0 for none.")] = EPISODE_SECONDS,
    max_requests: Annotated[int | None, typer.Option(min=1, help="Limit on requests to servers.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Limit on tokens, prompts and completions.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Limit on the cost, in the currency of the prices.")] = None,
    agent_price: Annotated[str | None, typer.Option(help="IN/OUT: price of a million tokens of the agent.")] = None,
    user_price: Annotated[str | None, typer.Option(help="IN/OUT: price of a million tokens of the user.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Play failed episodes again.")] = False,
    failures_in_a_row: Annotated[
        int, typer.Option(min=0, help="Stop after so many failures in a row; 0: never.")
    ] = FAILURES_IN_A_ROW,
    engine: Annotated[str, typer.Option(help="local, or ray (extra 'ray').")] = "local",
    address: Annotated[str | None, typer.Option(help="Of the Ray cluster; one on this machine by default.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Ray: workers; one a processor by default.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked of servers, and end.")] = False,
    directory: Annotated[
        Path | None, typer.Option("--out", help="Run directory; named after the rest by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play and grade episodes, many at a time. The same command again resumes where it stopped."""
    user = with_prompt("user", user, user_prompt)
    agent = with_prompt("agent", agent, agent_prompt) or agent
    config = RunConfig(env, agent, tasks, user, profile, max_turns, seed, similarity, geometry, renderer)
    directory = _named_after(config) if directory is None else directory
    given = {"agent": agent_price, "user": user_price}
    purse = Purse(
        max_requests=max_requests,
        max_tokens=max_tokens,
        max_cost=max_cost,
        prices={party: Price.parse(text) for party, text in given.items() if text is not None},
    )
    if dry_run:
        _tell_what_would_be_asked(config, directory, samples, episodes, retry_failed, purse, as_json)
        return
    summary, collected = _run(
        config,
        directory,
        samples_per_task=samples,
        episodes=episodes,
        concurrency=concurrency,
        turn_seconds=turn_seconds or None,
        episode_seconds=episode_seconds or None,
        purse=purse,
        retry_failed=retry_failed,
        failures_in_a_row=failures_in_a_row or None,
        engine=engine,
        address=address,
        workers=workers,
    )
    if as_json:
        print_json(summary | {"directory": str(directory)})
    else:
        out.print(_table({agent: summary}))
        out.print(f"The run is in {escape(str(directory))}/ (episodes.jsonl, summary.json).", soft_wrap=True)
    if collected.stopped_by is not None:
        err.print(
            f"[yellow]Stopped by the limit {collected.stopped_by}; {collected.missing} episodes are missing.[/] The "
            "same command with a greater limit goes on.",
            soft_wrap=True,
        )
    if not summary["graded"] or collected.missing:
        raise typer.Exit(1)


def _named_after(config: RunConfig) -> Path:
    parts = (
        config.env_id,
        config.agent,
        config.tasks and Path(config.tasks).name,
        config.user,
        config.profile,
        config.max_turns and f"{config.max_turns}-turns",
        config.similarity,
        config.geometry and f"{config.geometry}-geometry",
        config.renderer,
        f"seed{config.seed}",
    )
    return Path("runs") / "_".join(_slug(str(part)) for part in parts if part)


def with_prompt(party: str, spec: str | None, prompt: Path | None) -> str | None:
    """The specification of a language model with the prompt file put in as its option."""
    if prompt is None:
        return spec
    kinds = ("chat", "local") if party == "user" else ("chat", "local", "best-of-n")
    if spec is None or parse_spec(spec).kind not in kinds:
        raise ConfigError(
            f"--{party}-prompt is for a language model as the {party}. Mend: --{party} chat:MODEL@http://HOST:PORT/v1, "
            f"or --{party} local:FOLDER"
        )
    return f"{spec}{'&' if '?' in spec else '?'}prompt={quote(str(prompt))}"


def _tell_what_would_be_asked(
    config: RunConfig,
    directory: Path,
    samples: int,
    episodes: int | None,
    retry_failed: bool,
    purse: Purse,
    as_json: bool,
) -> None:
    foreseen = foresee(
        Run(config), directory, samples_per_task=samples, episodes=episodes, retry_failed=retry_failed, purse=purse
    )
    if as_json:
        print_json(foreseen)
        return
    out.print(
        f"{foreseen['missing']:,} of {foreseen['episodes']:,} episodes would be played, of at most "
        f"{foreseen['max_turns']} turns. Nothing was asked of anybody."
    )
    for party, asked in foreseen["parties"].items():
        if asked is None:
            out.print(f"  {party}: asks no server that is known here.")
            continue
        text = f"  {party}: at most {asked['requests']:,} requests to {asked['model']} at {asked['endpoint']}"
        text += f", about {asked['prompt_tokens']:,} prompt tokens"
        if asked["completion_tokens"] is not None:
            text += f" and at most {asked['completion_tokens']:,} completion tokens"
        if asked["cost"] is not None:
            text += f", {asked['cost']:,.2f} at the given price"
        out.print(escape(text) + ".", soft_wrap=True)
    if foreseen["first_request"] is not None:
        out.print("The agent's first request:")
        print_json(foreseen["first_request"])


def _run(config: RunConfig, directory: Path, **choices: Any) -> tuple[dict[str, Any], Collected]:
    """Plays what is missing of a run, writes its summary and returns it."""
    try:
        # A person who types at this terminal must not share it with a moving bar.
        with _progress(config.agent, shown=config.user != "human") as bar:
            collected = collect(config, directory, on_start=bar.start, on_episode=bar.advance, **choices)
    except KeyboardInterrupt:
        err.print(f"[yellow]Interrupted.[/] What was played is in {escape(str(directory))}/; the same command resumes.")
        raise typer.Exit(130) from None
    summary = summarize(collected.read(directory)) | {
        "agent": config.agent,
        "ceiling": collected.is_ceiling,
        "missing": collected.missing,
    }
    EpisodeStore.write_summary(directory, summary)
    if summary["failed"]:
        failed, share = sum(summary["failed"].values()), percent_text(summary["failed_share"])
        colour = "red" if summary["failed_share"] > RED_SHARE else "yellow"
        err.print(
            f"[{colour}]{failed} of {summary['episodes']} episodes ({share}) failed and "
            f"are left out: {_counted(summary['failed'])}.[/] --retry-failed plays them again.",
            soft_wrap=True,
        )
    return summary, collected


def _counted(failed: Mapping[str, int]) -> str:
    return ", ".join(f"{number} of the {boundary}" for boundary, number in failed.items())


class _Bar:
    """A progress bar with what has come out so far."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._row = progress.add_task(escape(name), total=None, rate="")
        self._began = time.monotonic()
        self._played = self._graded = self._tokens = 0
        self._reward = 0.0
        self._is_tested = True
        self._failed: Counter[str] = Counter()

    def start(self, done: int, total: int) -> None:
        self._progress.update(self._row, completed=done, total=total)

    def advance(self, episode: Mapping[str, Any]) -> None:
        self._played += 1
        self._tokens += sum(
            counts["prompt_tokens"] + counts["completion_tokens"] for counts in episode["usage"].values()
        )
        if episode["status"] == "failed":
            self._failed[episode["error"]["boundary"]] += 1
        else:
            self._graded += 1
            self._reward += episode["reward"]
            self._is_tested = episode["grade"]["tests_total"] is not None
        parts = [f"{self._played / (time.monotonic() - self._began):.1f}/s"]
        if self._graded:
            mean = self._reward / self._graded
            parts.insert(0, f"success {percent_text(mean)}" if self._is_tested else f"similarity {mean:.3f}")
        if self._tokens:
            parts.append(f"{self._tokens:,} tokens")
        if self._failed:
            parts.append(f"[red]failed: {_counted(self._failed)}[/]")
        self._progress.update(self._row, advance=1, rate=", ".join(parts))


@contextmanager
def _progress(name: str, *, shown: bool = True) -> Iterator[_Bar]:
    with Progress(*columns(), console=err, disable=not shown) as progress:
        yield _Bar(progress, name)


def _table(summaries: dict[str, dict[str, Any]]) -> Table:
    """A row an agent; fits into 80 columns."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, collapse_padding=True)
    table.add_column("agent", no_wrap=True)
    frontend = any(summary["similarity"] is not None for summary in summaries.values())
    score = ("similarity (95%)",) if frontend else ("success (95%)", "tests\npassed")
    for column in (*score, "turns", "seconds\nan episode", "failed"):
        table.add_column(column, justify="right", no_wrap=True)
    for agent, summary in summaries.items():
        if frontend:
            figures = [similarity_text(summary["similarity"], summary["similarity_interval"])]
        else:
            figures = [
                rate_text(summary["success_rate"], summary["success_interval"]),
                percent_text(summary["tests_passed"]),
            ]
        table.add_row(
            escape(agent) + ("*" if summary["ceiling"] else ""),
            *figures,
            number_text(summary["turns"]),
            number_text(summary["seconds_per_episode"]),
            str(sum(summary["failed"].values())),
        )
    if any(summary["ceiling"] for summary in summaries.values()):
        table.caption = "* reads the hidden reference: the ceiling, not an agent"
        table.caption_justify = "left"
    return table


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")
