"""`agentevals record`: run a command and keep the traces it sends."""

import os
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from agentevals.text.terminal import plain
from agentevals.text.wording import plural
from agentevals.traces.recorder import CONTENT, Recorded
from agentevals.traces.recorder import record as recorded_by


def record(
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND...", help="What starts the agent")
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="A folder, or a .jsonl file for everything in one"),
    ] = Path("traces"),
) -> None:
    """Run a command and keep the traces it sends over OpenTelemetry.

    The agent needs no change: the usual OTEL_ variables tell it where to send its traces, and
    that messages are to be part of them. What you have set of these two stays:
    OTEL_SEMCONV_STABILITY_OPT_IN, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.
    The exit code is that of the command.

    Examples:

      agentevals record -o traces/ -- python agent.py

      agentevals record -o traces/ -- opentelemetry-instrument python agent.py

      agentevals record -o greeting.jsonl -- npm start
    """
    recorded = recorded_by(command, output, os.environ)
    for sentence in _describe(recorded, output):
        print(f"agentevals: {sentence}", file=sys.stderr)
    raise typer.Exit(recorded.exit_code)


def _describe(recorded: Recorded, output: Path) -> list[str]:
    counts = recorded.counts
    lost = []
    if counts.without_trace:
        lost.append(f"{plural(counts.without_trace, 'record')} without a trace id skipped")
    if counts.refused:
        lost.append(f"{plural(counts.refused, 'request')} refused: {plain(counts.refusal)}")
    if counts.beyond_limits:
        lost.append(f"{plural(counts.beyond_limits, 'record')} beyond the limits skipped")
    if not recorded.files:
        return [*lost, _explain_nothing_arrived(recorded)]
    if recorded.lacks_messages:
        lost.append(_explain_missing_messages(os.environ.get(CONTENT)))
    what = f"{plural(counts.traces, 'trace')} with {plural(counts.records, 'record')}"
    next_step = f"next: agentevals run {plain(quote(str(output)))}"
    return [*lost, f"{what} written to {plain(str(output))}; {next_step}"]


def _explain_missing_messages(own: str | None) -> str:
    """Return what to do where a model was called, and no question or answer was recorded."""
    if own is None:
        then = f"set {CONTENT}=true and record again (older instrumentations accept only this)"
    else:
        then = f"{CONTENT} is {plain(repr(own), 60)} here: unset it and record again"
    own_settings = "or switch messages on in the settings of your framework"
    return f"a model was called, but no question and no answer was recorded; {then}, {own_settings}"


def _explain_nothing_arrived(recorded: Recorded) -> str:
    """Explain why no trace may have arrived, the likeliest reason first."""
    if recorded.counts.requests:
        return "what the command sent held no spans; check its sampler and its instrumentation"
    return (
        f"no traces arrived at {recorded.endpoint}; check that the agent sets up OpenTelemetry "
        "with an OTLP exporter over HTTP (not gRPC) that reads OTEL_EXPORTER_OTLP_ENDPOINT, and "
        "that it flushes before it ends; a Python agent without any set-up may be started with "
        "'opentelemetry-instrument'"
    )
