"""`colbench setup`, `doctor`: what this machine has and lacks."""

from __future__ import annotations

import platform
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

import colbench_gym
from colbench_gym.cli.shared import Json, err, out, print_json


def setup(
    official_prompts: Annotated[
        bool,
        typer.Option("--official-prompts", help="Only fetch the official prompt files (CC BY-NC) into your cache."),
    ] = False,
    small_model: Annotated[
        bool, typer.Option("--small-model", help="Only fetch SmolLM2-135M-Instruct, to try language models offline.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fetch what is not shipped: a browser and Tailwind, for Frontend Design. May be run again at any time."""
    from colbench_gym.assets import OFFICIAL_LICENCE, OFFICIAL_REVISION, fetch_official_prompts
    from colbench_gym.provision import Provided, provide_frontend, provide_model

    def say(text: str) -> None:
        err.print(escape(text), style="dim", soft_wrap=True)

    if official_prompts:
        licence = f"Official prompt files, revision {OFFICIAL_REVISION[:12]}. Licence: {OFFICIAL_LICENCE}."
        (err if as_json else out).print(licence)
        things = [Provided(path.name, True, fetched, str(path)) for path, fetched in fetch_official_prompts()]
    elif small_model:
        things = [provide_model(say)]
    else:
        things = provide_frontend(say)
    if as_json:
        print_json([thing._asdict() for thing in things])
    else:
        for thing in things:
            state = "[red]missing[/]" if not thing.ok else "fetched now" if thing.changed else "already there"
            out.print(f"{escape(thing.name)}: {state}. {escape(thing.detail)}", soft_wrap=True)
            if thing.mend:
                out.print(f"  Mend: {escape(thing.mend)}", soft_wrap=True)
    if not all(thing.ok for thing in things):
        raise typer.Exit(1)


def doctor(as_json: Json = False) -> None:
    """What this machine can do, and the mend for what it cannot. Exit code 1 if answers cannot be graded safely."""
    from colbench_gym.doctor import examine

    findings = examine()
    usable = all(finding.ok for finding in findings if finding.needed)
    if as_json:
        print_json([finding._asdict() for finding in findings])
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
