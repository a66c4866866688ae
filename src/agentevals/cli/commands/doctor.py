"""`agentevals doctor`: what recordings show, what is missing in them, and what mends it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli.command_process import Form, TableOrJson, find_width, shows_colours
from agentevals.files import atomic_files
from agentevals.model.errors import InputError
from agentevals.model.project_links import REPOSITORY
from agentevals.report import doctor_page
from agentevals.run import trace_arguments
from agentevals.text.json_text import readable
from agentevals.text.terminal import plain
from agentevals.text.wording import plural
from agentevals.traces import diagnosis, loaders
from agentevals.traces.diagnosis import trace_samples


def doctor(
    traces: Annotated[
        list[str], typer.Argument(metavar="TRACE...", help="Trace files, folders or quoted globs")
    ],
    output: TableOrJson = Form.TABLE,
    trace_format: Annotated[
        str | None,
        typer.Option(
            "-f", "--format", help="Read the traces in this format, instead of detecting it"
        ),
    ] = None,
    group_by: Annotated[
        str, typer.Option("--group-by", help="What is one row: auto, conversation or trace")
    ] = "auto",
    sample: Annotated[
        Path | None,
        typer.Option(
            "--sample",
            help=(
                "Write the spans to this .jsonl file, with every text replaced, to "
                "attach to an issue"
            ),
        ),
    ] = None,
) -> None:
    """Show what recordings contain, what is missing and why, and how to record it.

    Evaluators give no score if a fact was not recorded. Use this command before you write
    expectations, and when `agentevals run` reports NOT_EVALUATED.

    Examples:

      agentevals doctor traces/

      agentevals doctor traces/refund.jsonl -o json

      agentevals doctor traces/refund.jsonl --sample sample.jsonl

    Exit codes: 0 nothing is missing that evaluators need; 1 something is missing; 2 a file cannot
    be read.
    """
    paths, findings = trace_arguments.expand(traces)
    if sample:
        _write_sample(paths, sample, trace_format)
    found = diagnosis.examine(paths, findings, trace_format=trace_format, group_by=group_by)
    if output is Form.JSON:
        print(readable(found), end="")
    else:
        page = doctor_page.render(found, colour=shows_colours(), columns=find_width())
        sys.stdout.writelines(page)
    raise typer.Exit(2 if found.files else int(not found.complete))


def _write_sample(paths: Sequence[Path], target: Path, trace_format: str | None) -> None:
    traces = loaders.load(paths, trace_format=trace_format).traces
    spans = sum(len(trace.spans) for trace in traces)
    if not spans:
        msg = f"nothing to write to {target}: the traces hold no spans"
        raise InputError(msg)
    atomic_files.write_text(target, "".join(trace_samples.write_sample(traces)))
    print(
        f"agentevals: {plural(spans, 'span')} written to {plain(str(target))}: their texts are "
        "replaced, and names of attributes, keys and instrumentations stay. Look through it, and "
        f"attach it to an issue at {REPOSITORY}/issues",
        file=sys.stderr,
    )
