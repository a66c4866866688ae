"""`agentevals run`: score recorded traces and say pass or fail."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any, Protocol

import typer

from agentevals import pipeline
from agentevals.cli.progress import bar
from agentevals.dialects import compile_plan
from agentevals.errors import InputError, UnavailableError
from agentevals.model import Report
from agentevals.plan import Overrides, Plan
from agentevals.reporters import REPORTERS
from agentevals.seams import Table
from agentevals.settings import Settings

_SUFFIXES = {".json": "json", ".xml": "junit", ".md": "markdown", ".txt": "table"}
_EVENTS: Table[Any] = Table("event format", {"otlp": "agentevals.result_events"})
_GC_THRESHOLD = 50_000  # a run makes many small lasting objects and hardly any cycles


class ForTerminals(Protocol):
    """A reporter that wants to know what it is shown on."""

    def render(self, report: Report, *, colour: bool, width: int) -> Iterator[str]: ...


_FOR_TERMINALS: Table[ForTerminals] = Table(
    "output format", {"table": "agentevals.reporters.table"}
)


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
        list[str] | None, typer.Option("-m", "--metric", help="A builtin; may be repeated")
    ] = None,
    trace_format: Annotated[
        str | None, typer.Option("-f", "--format", help="The trace format, instead of looking")
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
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help=f"One of {', '.join(REPORTERS.ours)}"),
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
        str | None, typer.Option(help="How far foreign programs must be shut in, at least")
    ] = None,
    emit_otel: Annotated[
        bool, typer.Option("--emit-otel", help="Send results to the OTLP collector")
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
    files = [_target(given) for given in output_file or ()]
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
    shown = _format(output, plan)
    send = _sender(asked=emit_otel)
    with bar("cases") as progress:
        settings = Settings(
            traces=tuple(traces or ()), jobs=jobs, isolation=isolation, progress=progress
        )
        report = pipeline.run(plan, settings)
    if send:
        send(report)
    for name, path in files:
        _write(path, REPORTERS[name].render(report))
    for piece in _shown(shown, report):
        sys.stdout.write(piece)
    sys.stdout.flush()
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


def _target(given: str) -> tuple[str, Path]:
    """`junit=out.xml` or `out.xml`."""
    name, separator, path = given.partition("=")
    if not separator:
        path = given
        name = _SUFFIXES.get(Path(given).suffix, "")
    if name not in REPORTERS:
        known = ", ".join(REPORTERS)
        msg = f"--output-file {given}: say the format, as in 'json={path}' (known: {known})"
        raise InputError(msg)
    return name, Path(path)


def _format(output: str | None, plan: Plan) -> str:
    name = output or plan.output_format or "table"
    REPORTERS[name]  # an unknown name is said before anything runs
    return name


def _write(path: Path, pieces: Iterator[str]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}"
        raise InputError(msg) from error


def _shown(name: str, report: Report) -> Iterator[str]:
    if name not in _FOR_TERMINALS:
        return REPORTERS[name].render(report)
    width = get_terminal_size((100, 24)).columns
    return _FOR_TERMINALS[name].render(report, colour=_coloured(), width=width)


def _coloured() -> bool:
    """https://no-color.org, and a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
