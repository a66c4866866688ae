"""`agentevals doctor`: what recordings show, what is missing in them, and what mends it."""

import sys
from typing import Annotated

import typer

from agentevals.cli.process import Form, TableOrJson, find_width, shows_colours
from agentevals.report import examination
from agentevals.run import trace_files
from agentevals.text.json_ import readable
from agentevals.traces import diagnosis


def doctor(
    traces: Annotated[
        list[str], typer.Argument(metavar="TRACE...", help="Trace files, folders or quoted globs")
    ],
    output: TableOrJson = Form.TABLE,
    trace_format: Annotated[
        str | None, typer.Option("-f", "--format", help="The trace format, instead of looking")
    ] = None,
    group_by: Annotated[
        str, typer.Option("--group-by", help="auto, conversation or trace: what is one row")
    ] = "auto",
) -> None:
    """Say what recordings show, what is missing in them and why, and how to record it.

    Evaluators do not judge by what was not recorded. Look here before you write expectations,
    or when `agentevals run` reports results that are not evaluated.

    Examples:

      agentevals doctor traces/

      agentevals doctor traces/refund.jsonl -o json

    Exit codes: 0 all that evaluators need was recorded, 1 something is missing, 2 a file cannot
    be read.
    """
    paths, findings = trace_files.expand(traces)
    found = diagnosis.examine(paths, findings, trace_format=trace_format, group_by=group_by)
    if output is Form.JSON:
        print(readable(found), end="")
    else:
        page = examination.render(found, colour=shows_colours(), columns=find_width())
        sys.stdout.writelines(page)
    raise typer.Exit(2 if found.files else int(not found.complete))
