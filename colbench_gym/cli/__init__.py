"""The `colbench` command. Results go to standard output, progress and errors to standard error.

Exit codes: 0 done, 1 the thing asked for failed, 2 bad arguments, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from rich.markup import escape

import colbench_gym
from colbench_gym.cli import exchange, grading, machine, runs, tasks
from colbench_gym.cli.shared import err, out
from colbench_gym.errors import ColbenchError, ConfigError, MissingExtra, TaskError

app = typer.Typer(
    help="Train and measure language agents that work with a person over several turns.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(tasks.app, name="tasks")
for name, command in (
    ("demo", runs.demo),
    ("eval", runs.collect_command),
    ("collect", runs.collect_command),
    ("grade", grading.grade),
    ("render", grading.render_command),
    ("user-audit", grading.user_audit),
    ("export", exchange.export_command),
    ("import", exchange.import_command),
    ("setup", machine.setup),
    ("doctor", machine.doctor),
):
    app.command(name)(command)


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
