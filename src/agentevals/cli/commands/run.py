"""`agentevals run`: score recorded traces and say pass or fail."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, NoReturn

import typer

from agentevals.cli import cases_option, run_delivery, run_options, stderr
from agentevals.cli.run_delivery import warn_of_stale
from agentevals.cli.stderr import make_bar
from agentevals.compare import cancelled_settlement
from agentevals.configs import config_judges
from agentevals.configs.dialects import compile_plan, inspect
from agentevals.configs.plan import Overrides, Plan
from agentevals.model.results import Evaluation
from agentevals.model.review import Review, Scene
from agentevals.run import pipeline, run_parts
from agentevals.run.engines import connect
from agentevals.run.pipeline import Settings
from agentevals.sandbox.cancelling import Cancelled
from agentevals.sandbox.kept_program_outputs import KEY_VARIABLE, KeptRuns
from agentevals.text.wording import plural


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
    shard: run_options.Part = None,
    part: run_options.PartFile = None,
    isolation: run_options.LeastIsolation = None,
    cache: run_options.Cache = None,
    offline: run_options.Offline = False,
    emit_otel: run_options.EmitOtel = False,
    verbose: run_options.Verbose = False,
) -> None:
    """Score recorded traces with evaluators, and print whether they pass.

    Examples:

      agentevals run traces/ --config eval_config.yaml --eval-set eval_set.jsonl

      agentevals run t.json -c eval_config.yaml -o json --output-file junit.xml

      agentevals run traces/ -c eval_config.yaml --baseline main.json

      agentevals run traces/ -c eval_config.yaml --shard 1/4

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
    kept = KeptRuns(cache, os.environ.get(KEY_VARIABLE, "")) if cache else None
    settings = Settings(traces=tuple(traces or ()), jobs=jobs, isolation=level, kept=kept)
    wanted = _Wanted(
        config, shown, tuple(output_file or ()), baseline, emit_otel, cases_option.check(case_file)
    )
    if shard or part:
        given = [*wanted.of_reports, *(["--engine"] if engine else [])]
        _run_shard(overrides, settings, wanted, run_options.choose_part(shard, part, given))
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

    @property
    def of_reports(self) -> list[str]:
        """Return the options that were given and are for a whole run."""
        given = {
            "--output": self.shown,
            "--output-file": self.output_files,
            "--baseline": self.baseline,
            "--emit-otel": self.emit_otel,
            "--cases": self.case_file,
        }
        return [name for name, value in given.items() if value]


def _run_shard(
    overrides: Overrides, settings: Settings, wanted: _Wanted, aim: run_options.Aim
) -> NoReturn:
    """Judge a part of the traces into a file; its verdict is told once all parts are merged."""
    plan = _compile(overrides, settings, wanted)
    settings = replace(settings, transcribe=True)
    with run_parts.write(aim.path) as part, make_bar("cases") as progress:
        settings = replace(settings, progress=progress)
        pipeline.run_shard(plan, settings, aim.shard, part, config=str(wanted.config or ""))
    typer.echo(
        f"part {aim.shard} with {plural(part.number, 'case')} is in {aim.path}; "
        "put all parts together with 'agentevals merge'"
    )
    raise typer.Exit


def _compile(overrides: Overrides, settings: Settings, wanted: _Wanted) -> Plan:
    config = wanted.config
    plan = inspect(config, compile_plan(config, overrides), isolation=settings.isolation)
    config_judges.check_encryption(plan, config, os.environ)
    return plan


def _run(overrides: Overrides, settings: Settings, wanted: _Wanted) -> NoReturn:
    """Refuse everything that is wrong before anything runs, then score and print."""
    name = str(wanted.config or "")
    files = [run_options.parse_target(given) for given in wanted.output_files]
    plan = _compile(overrides, settings, wanted)
    shown = run_options.check_format(wanted.shown or plan.output_format or "table")
    base = run_delivery.read_baseline(wanted.baseline, name) if wanted.baseline else None
    send = run_delivery.load_sender(asked=wanted.emit_otel)
    known: list[Evaluation] = []
    transcribe = "html" in {shown, *(name for name, _ in files)}
    settings = replace(settings, transcribe=transcribe)
    try:
        evaluated = _score(plan, settings, known)
        with cases_option.write(wanted.case_file) as watch:
            outcome = run_delivery.settle(evaluated, base, name, watch)
    except Cancelled as cancelled:
        for run in known:
            run_delivery.show(_review_cancelled(run, name, cancelled.exit_code), shown, files)
        raise
    digest = plan.agent.compute_digest() if plan.agent else ""
    run_delivery.deliver(warn_of_stale(outcome, digest), shown, files, send)


def _score(plan: Plan, settings: Settings, known: list[Evaluation]) -> Evaluation:
    """Return the whole run. What is `known` of it if it is cancelled is added to the list."""
    with make_bar("cases") as progress:
        return pipeline.run(plan, replace(settings, progress=progress, rescue=known.append))


def _review_cancelled(run: Evaluation, config: str, exit_code: int) -> Review:
    today = datetime.now(UTC).date()
    outcome = cancelled_settlement.settle_partial(
        run, config=config, today=today, exit_code=exit_code
    )
    return cancelled_settlement.review_partial(Scene(), [outcome], (), exit_code)
