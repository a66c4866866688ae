"""`agentevals run`: score recorded traces and say pass or fail."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import typer

from agentevals.cli import case_rows, earlier_runs, run_options, stderr
from agentevals.cli.stale_recordings import warn_of_stale
from agentevals.cli.stderr import make_bar
from agentevals.compare import comparison, partial, settlement
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.configs import judges
from agentevals.configs.dialects import compile_plan, inspect
from agentevals.configs.plan import Overrides, Plan
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.outcome import Outcome
from agentevals.model.plugins import Lazy
from agentevals.model.results import CaseReport, Evaluation, Report
from agentevals.model.review import Review, Scene
from agentevals.run import pipeline
from agentevals.run.engines import connect
from agentevals.run.pipeline import Settings
from agentevals.sandbox.cancelling import Cancelled

if TYPE_CHECKING:
    from agentevals.cli import result_events
else:
    result_events = Lazy("agentevals.cli.result_events")


def run(
    traces: run_options.Traces = None,
    config: run_options.Config = None,
    eval_set: run_options.EvalSet = None,
    metric: run_options.Metrics = None,
    trace_format: run_options.TraceFormat = None,
    threshold: run_options.Threshold = None,
    match_type: run_options.TrajectoryMatchType = None,
    judge_model: run_options.JudgeModel = None,
    judge_base_url: run_options.JudgeBaseUrl = None,
    judge_provider: run_options.JudgeProvider = None,
    judge_api_key_env: run_options.JudgeApiKeyEnv = None,
    group_by: run_options.Grouping = None,
    pair: run_options.Pairs = None,
    shown: run_options.Output = None,
    output_file: run_options.OutputFiles = None,
    on_not_evaluated: run_options.OnNotEvaluated = None,
    allow_missing: run_options.AllowMissing = None,
    allow_foreign: run_options.AllowForeign = None,
    baseline: run_options.Baseline = None,
    jobs: run_options.Jobs = None,
    engine: run_options.Engine = None,
    scheduler: run_options.Scheduler = "",
    case_file: run_options.CaseFile = None,
    isolation: run_options.LeastIsolation = None,
    offline: run_options.Offline = False,
    emit_otel: run_options.EmitOtel = False,
    verbose: run_options.Verbose = False,
) -> None:
    """Score recorded traces with evaluators, and say pass or fail.

    Examples:

      agentevals run traces/ --config eval_config.yaml --eval-set eval_set.jsonl

      agentevals run t.json -c eval_config.yaml -o json --output-file junit.xml

      agentevals run traces/ -c eval_config.yaml --baseline main.json

      agentevals run s3://bucket/traces/ --engine dask --scheduler tcp://10.0.0.1:8786

    Exit codes: 0 passed; 1 a gate failed; 2 something you wrote is wrong; 3 a service is
    unavailable; 4 a bug in agentevals; 130 or 143 cancelled.
    """
    stderr.begin(everything=verbose, offline=offline)
    overrides = Overrides(
        metrics=tuple(metric or ()),
        threshold=threshold,
        trajectory_match_type=match_type,
        judge_model=judge_model,
        judge_base_url=judge_base_url,
        judge_provider=judge_provider.value if judge_provider else None,
        judge_api_key_env=judge_api_key_env,
        eval_set=eval_set,
        trace_format=trace_format,
        group_by=group_by,
        pair=pair.value if pair else None,
        on_not_evaluated=on_not_evaluated,
        allow_missing=allow_missing,
        allow_foreign=allow_foreign,
    )
    level = isolation.value if isolation else None
    settings = Settings(traces=tuple(traces or ()), jobs=jobs, isolation=level)
    wanted = _Wanted(
        config, shown, tuple(output_file or ()), baseline, emit_otel, case_rows.check(case_file)
    )
    with connect(engine, scheduler) as cluster:
        _run(overrides, replace(settings, cluster=cluster), wanted)


class _Wanted(NamedTuple):
    """The config of a run, and what becomes of its result."""

    config: Path | None
    shown: str | None
    output_files: tuple[str, ...]
    baseline: Path | None
    emit_otel: bool
    case_file: str


def _run(overrides: Overrides, settings: Settings, wanted: _Wanted) -> NoReturn:
    """Refuse everything that is wrong before anything runs, then score and print."""
    config = wanted.config
    files = [run_options.parse_target(given) for given in wanted.output_files]
    plan = inspect(config, compile_plan(config, overrides), isolation=settings.isolation)
    judges.check_encryption(plan, config, os.environ)
    shown = run_options.check_format(wanted.shown or plan.output_format or "table")
    base = _read_baseline(wanted.baseline, config) if wanted.baseline else None
    send = _load_sender(asked=wanted.emit_otel)
    known: list[Evaluation] = []
    transcribe = "html" in {shown, *(name for name, _ in files)}
    settings = replace(settings, transcribe=transcribe)
    try:
        evaluated = _score(plan, settings, known)
        with case_rows.write(wanted.case_file) as watch:
            outcome = _settle(evaluated, base, str(config or ""), watch)
    except Cancelled as cancelled:
        for run in known:
            _print(_review_cancelled(run, str(config or ""), cancelled.exit_code), shown, files)
        raise
    _deliver(warn_of_stale(outcome, plan.agent), shown, files, send)


def _score(plan: Plan, settings: Settings, known: list[Evaluation]) -> Evaluation:
    """Return the whole run. What is `known` of it if it is cancelled is added to the list."""
    with make_bar("cases") as progress:
        return pipeline.run(plan, replace(settings, progress=progress, rescue=known.append))


def _review_cancelled(run: Evaluation, config: str, exit_code: int) -> Review:
    today = datetime.now(UTC).date()
    outcome = partial.settle_partial(run, config=config, today=today, exit_code=exit_code)
    return partial.review_partial(Scene(), [outcome], (), exit_code)


def _deliver(
    outcome: Outcome,
    shown: str,
    files: Sequence[tuple[str, Path]],
    send: Callable[[Report], None] | None,
) -> NoReturn:
    """A file that cannot be written costs itself only."""
    if send:
        send(comparison.report_of(outcome))
    _print(settlement.review_of(Scene(), [outcome]), shown, files)
    raise typer.Exit(outcome.exit_code)


def _print(review: Review, shown: str, files: Sequence[tuple[str, Path]]) -> None:
    unwritten = [why for name, path in files for why in run_options.write_file(name, path, review)]
    run_options.print_report(shown, review)
    if unwritten:
        raise InputError("\n".join(unwritten))


def _load_sender(*, asked: bool) -> Callable[[Report], None] | None:
    """Return the function that sends results; imported only if wanted, because protobuf is slow."""
    if not asked and not os.environ.get("AGENTEVALS_EVALUATION_EVENTS"):
        return None
    wanted = result_events.is_wanted(asked=asked)
    return _report_unreachable(result_events.send) if wanted else None


def _report_unreachable(send: Callable[[Report], None]) -> Callable[[Report], None]:
    def attempt(report: Report) -> None:
        try:
            send(report)
        except UnavailableError as error:
            typer.echo(f"agentevals: results were not sent: {error}", err=True)

    return attempt


def _read_baseline(path: Path, config: Path | None) -> Baseline:
    """Read the baseline before anything runs."""
    return earlier_runs.read_baseline(
        path, "--baseline ", lambda one: (earlier_runs.choose_name(one, config), "")
    )


def _settle(
    run: Evaluation,
    baseline: Baseline | None,
    config: str,
    watch: Callable[[CaseReport], None] | None,
) -> Outcome:
    """Say what the run comes to, beside the earlier one if there is one.

    Without a reason, nobody has asked for a comparison.
    """
    base = baseline or NoBaseline(reason="")
    today = datetime.now(UTC).date()
    return comparison.settle(run, base, config=config, today=today, watch=watch)
