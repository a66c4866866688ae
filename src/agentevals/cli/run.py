"""`agentevals run`: score recorded traces and say pass or fail."""

import gc
import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from agentevals import pipeline
from agentevals.cli import logs, output
from agentevals.cli.completion import among
from agentevals.cli.progress import bar
from agentevals.dialects import compile_plan
from agentevals.errors import InputError, UnavailableError
from agentevals.graders import BUILTINS
from agentevals.loaders import LOADERS
from agentevals.plan import Overrides
from agentevals.report import Report
from agentevals.reporters import REPORTERS
from agentevals.seams import Table
from agentevals.settings import Settings

_EVENTS: Table[Any] = Table("event format", {"otlp": "agentevals.result_events"})
_GC_THRESHOLD = 50_000  # a run makes many small lasting objects and hardly any cycles


class MatchType(StrEnum):
    """How tool calls are compared with the expected ones."""

    EXACT = "EXACT"
    IN_ORDER = "IN_ORDER"
    ANY_ORDER = "ANY_ORDER"


class GroupBy(StrEnum):
    """What is evaluated as one conversation."""

    AUTO = "auto"
    TRACE = "trace"
    CONVERSATION = "conversation"


class Isolation(StrEnum):
    """How far foreign programs must be shut in; `best` is as far as this machine can."""

    BASIC = "basic"
    PARTIAL = "partial"
    STRICT = "strict"
    BEST = "best"


class NotEvaluated(StrEnum):
    """What a result without a score means for the gate."""

    FAIL = "fail"
    WARN = "warn"


def run(
    traces: Annotated[
        list[str] | None,
        typer.Argument(metavar="TRACE...", help="Trace files, folders or quoted globs"),
    ] = None,
    config: Annotated[
        Path | None, typer.Option("-c", "--config", help="Which evaluators to run, and how")
    ] = None,
    eval_set: Annotated[
        Path | None, typer.Option("-e", "--eval-set", help="What was expected (JSON, JSONL)")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", help="A builtin; may be repeated", autocompletion=among(BUILTINS)
        ),
    ] = None,
    trace_format: Annotated[
        str | None,
        typer.Option(
            "-f",
            "--format",
            help="The trace format, instead of looking",
            autocompletion=among(LOADERS),
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("-t", "--threshold", help="For builtins, from 0 to 1")
    ] = None,
    match_type: Annotated[
        MatchType | None,
        typer.Option("--trajectory-match-type", case_sensitive=False, help="For tool calls"),
    ] = None,
    judge_model: Annotated[
        str | None, typer.Option("-j", "--judge-model", help="The model that judges")
    ] = None,
    group_by: Annotated[
        GroupBy | None, typer.Option("--group-by", help="What is evaluated as one")
    ] = None,
    shown: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help=f"One of {', '.join(REPORTERS.ours)}",
            autocompletion=among(REPORTERS),
        ),
    ] = None,
    output_file: Annotated[
        list[str] | None,
        typer.Option(help="[FORMAT=]PATH, by its suffix without one; may be repeated"),
    ] = None,
    on_not_evaluated: Annotated[
        NotEvaluated | None, typer.Option(help="What a missing score means for the gate")
    ] = None,
    allow_missing: Annotated[
        bool | None,
        typer.Option("--allow-missing", help="Warn about eval cases that no trace answers"),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many evaluators at a time")] = None,
    isolation: Annotated[
        Isolation | None, typer.Option(help="How far foreign programs must be shut in, at least")
    ] = None,
    emit_otel: Annotated[
        bool, typer.Option("--emit-otel", help="Send results to the OTLP collector")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Say more on stderr about what is done")
    ] = False,
) -> None:
    """Score recorded traces with evaluators, and say pass or fail.

    Examples:

      agentevals run traces/*.json --eval-set eval_set.json

      agentevals run traces/ --config eval_config.yaml --eval-set eval_set.jsonl

      agentevals run t.json -c eval_config.yaml -o json --output-file junit.xml

    Exit codes: 0 passed, 1 a gate failed, 2 something you wrote is wrong, 3 something outside
    is unavailable, 4 a bug of ours.
    """
    gc.set_threshold(_GC_THRESHOLD)
    logs.show(everything=verbose)
    files = [output.target(given) for given in output_file or ()]
    overrides = Overrides(
        metrics=tuple(metric or ()),
        threshold=threshold,
        trajectory_match_type=match_type.value if match_type else None,
        judge_model=judge_model,
        eval_set=eval_set,
        trace_format=trace_format,
        group_by=group_by.value if group_by else None,
        on_not_evaluated=on_not_evaluated.value if on_not_evaluated else None,
        allow_missing=allow_missing,
    )
    plan = compile_plan(config, overrides)
    shown = output.known(shown or plan.output_format or "table")
    send = _sender(asked=emit_otel)
    with bar("cases") as progress:
        settings = Settings(
            traces=tuple(traces or ()),
            jobs=jobs,
            isolation=isolation.value if isolation else None,
            progress=progress,
        )
        report = pipeline.run(plan, settings)
    if send:
        send(report)
    unwritten = [why for name, path in files for why in output.write(name, path, report)]
    output.show(shown, report)
    if unwritten:
        raise InputError("\n".join(unwritten))
    raise typer.Exit(report.exit_code)


def _sender(*, asked: bool) -> Callable[[Report], None] | None:
    """What sends the results; imported only where it may be wanted, because protobuf is slow."""
    if not asked and not os.environ.get("AGENTEVALS_EVALUATION_EVENTS"):
        return None
    events = _EVENTS["otlp"]
    return _said_when_unreachable(events.send) if events.wanted(asked=asked) else None


def _said_when_unreachable(send: Callable[[Report], None]) -> Callable[[Report], None]:
    def attempt(report: Report) -> None:
        try:
            send(report)
        except UnavailableError as error:
            typer.echo(f"agentevals: results were not sent: {error}", err=True)

    return attempt
