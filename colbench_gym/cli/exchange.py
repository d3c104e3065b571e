"""`colbench export`, `import`: runs in the formats of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import Progress

from colbench_gym.cli.shared import columns, err, out
from colbench_gym.errors import ConfigError
from colbench_gym.rollouts import read_episodes
from colbench_gym.rollouts.episodes import json_line
from colbench_gym.rollouts.exchange import export, import_trajectories


def export_command(
    run: Annotated[Path, typer.Argument(help="A run directory.")],
    file: Annotated[Path, typer.Option("--out", help="The .jsonl file to write.")],
    format: Annotated[
        str, typer.Option(help="official (trajectories), prompt-completion or messages (rows for TRL).")
    ] = "official",
    min_reward: Annotated[float | None, typer.Option(help="Leave out episodes below it.")] = None,
    instructions: Annotated[bool, typer.Option(help="Rows for TRL: begin prompts with our instructions.")] = True,
) -> None:
    """Write a run's episodes in another format. Failed episodes are left out."""
    records = export(run, format, min_reward=min_reward, with_instructions=instructions)  # type: ignore[arg-type]  (checked there)
    beside = file.with_name(file.name + ".new")
    count = 0
    try:
        with (
            beside.open("wb") as stream,
            Progress(*columns(), console=err) as bar,
        ):
            row = bar.add_task(escape(str(file)), total=None, rate="")
            for record in records:
                stream.write(json_line(record))
                count += 1
                bar.update(row, advance=1)
            bar.update(row, total=max(count, 1))
        beside.replace(file)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written ({error.strerror}). Mend: another --out") from None
    left_out = sum(record["status"] == "failed" for record in read_episodes(run))
    note = f" {left_out} failed episodes were left out." if left_out else ""
    out.print(f"{escape(str(file))}: {count} records.{note}", soft_wrap=True)


def import_command(
    file: Annotated[Path, typer.Argument(help="An official trajectory file (.jsonl).")],
    directory: Annotated[Path, typer.Option("--out", help="The run directory to make.")],
    grader: Annotated[
        str, typer.Option("--grade", help="recorded (believe the file), or grade anew: strict or official.")
    ] = "recorded",
    similarity: Annotated[str, typer.Option(help="Frontend, to grade anew: mini, visual, clip or clip:PATH.")] = "mini",
) -> None:
    """Make a run directory of an official trajectory file."""
    if grader not in ("recorded", "strict", "official"):
        raise ConfigError(f"--grade {grader}. Mend: one of recorded, strict, official")
    done = import_trajectories(file, directory, grader=grader, similarity=similarity)  # type: ignore[arg-type]
    known = f" ({done.known} were there already)" if done.known else ""
    out.print(f"{escape(str(directory))}/: {done.new} episodes{known}, rewards by {grader}.", soft_wrap=True)
