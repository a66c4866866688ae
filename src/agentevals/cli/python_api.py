"""`agentevals.evaluate`: what `agentevals run` does, for programs in Python."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from agentevals.cli import command_reports
from agentevals.compare import comparison
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.configs import config_judges
from agentevals.configs.dialects import compile_plan, inspect
from agentevals.configs.plan import Overrides
from agentevals.model.results import Report
from agentevals.run import engines, pipeline
from agentevals.run.engines import Cluster
from agentevals.run.pipeline import Settings

Name = str | os.PathLike[str]


def evaluate(
    traces: Name | Iterable[Name] = (),
    config: Name | None = None,
    *,
    eval_set: Name | None = None,
    metrics: Sequence[str] = (),
    allow_missing: bool | None = None,
    allow_foreign: bool | None = None,
    baseline: Name | None = None,
    jobs: int | None = None,
    engine: str | Cluster | None = None,
    scheduler: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Score recorded traces as `agentevals run` does, and return the report.

    Args:
        traces: Trace files, folders or globs; else those of the config.
        config: A config of any kind that `agentevals run --config` reads.
        eval_set: The file with what was expected, instead of that of the config.
        metrics: Names of builtins, as with `--metric`.
        allow_missing: Warn about eval cases that no trace answers.
        allow_foreign: Skip traces that no agent recorded.
        baseline: The report of an earlier run, as `-o report` writes it.
        jobs: How many evaluators at a time, and how many processes at most.
        engine: The name of an engine, as with `--engine`, or workers of your own.
        scheduler: The address of the engine's scheduler.
        progress: Called with the number of cases done and the number of traces.

    Raises:
        AgentEvalsError: A file or an option is wrong, or something outside is unavailable. Its
            text says what to do, and its `exit_code` is that of the command.
    """
    where, expected = _read_path(config), _read_path(eval_set)
    overrides = Overrides(
        metrics=tuple(metrics),
        eval_set=expected,
        allow_missing=allow_missing,
        allow_foreign=allow_foreign,
    )
    plan = inspect(where, compile_plan(where, overrides))
    config_judges.check_encryption(plan, where, os.environ)
    base = _read_baseline(baseline, where)
    settings = Settings(traces=_list_names(traces), jobs=jobs, progress=progress)
    with _connect(engine, scheduler) as cluster:
        run = pipeline.run(plan, replace(settings, cluster=cluster))
    today = datetime.now(UTC).date()
    outcome = comparison.settle(run, base, config=str(where or ""), today=today)
    return comparison.report_of(outcome)


def _list_names(given: Name | Iterable[Name]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str | os.PathLike) else given
    return tuple(os.fspath(name) for name in names)


def _connect(
    engine: str | Cluster | None, scheduler: str
) -> AbstractContextManager[Cluster | None]:
    if engine is None or isinstance(engine, str):
        return engines.connect(engine, scheduler)
    return nullcontext(engine)


def _read_path(name: Name | None) -> Path | None:
    return None if name is None else Path(name)


def _read_baseline(given: Name | None, config: Path | None) -> Baseline | NoBaseline:
    """Without a reason, nobody has asked for a comparison."""
    if given is None:
        return NoBaseline(reason="")
    return command_reports.read_baseline(
        Path(given), "baseline ", lambda review: (command_reports.choose_name(review, config), "")
    )
