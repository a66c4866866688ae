"""From an evaluated run to what its user sees: outcome, warnings, report, files, exit code."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec
import typer

from agentevals.cli import command_reports, run_options
from agentevals.compare import comparison, settlement
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.compare.case_summaries import list_recordings
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.outcome import Outcome
from agentevals.model.plugins import Lazy
from agentevals.model.provenance import Freshness
from agentevals.model.results import CaseReport, Evaluation, Finding, Report, Severity
from agentevals.model.review import Review, Scene

if TYPE_CHECKING:
    from agentevals.cli import result_events
else:
    result_events = Lazy("agentevals.cli.result_events")

_NEXT = "record again with 'agentevals record' after the last change of the agent"


def deliver(
    outcome: Outcome,
    shown: str,
    files: Sequence[tuple[str, Path]],
    send: Callable[[Report], None] | None,
) -> NoReturn:
    """Print and write an outcome, and end with its exit code.

    A file that cannot be written costs itself only.
    """
    if send:
        send(comparison.report_of(outcome))
    show(settlement.review_of(Scene(), [outcome]), shown, files)
    raise typer.Exit(outcome.exit_code)


def show(review: Review, shown: str, files: Sequence[tuple[str, Path]]) -> None:
    """Print a review in one format, and write it into files in others."""
    unwritten = [why for name, path in files for why in run_options.write_file(name, path, review)]
    run_options.print_report(shown, review)
    if unwritten:
        raise InputError("\n".join(unwritten))


def load_sender(*, asked: bool) -> Callable[[Report], None] | None:
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


def read_baseline(path: Path, config: str) -> Baseline:
    """Read the baseline before anything runs."""
    place = Path(config) if config else None
    return command_reports.read_baseline(
        path, "--baseline ", lambda one: (command_reports.choose_name(one, place), "")
    )


def settle(
    run: Evaluation,
    baseline: Baseline | None,
    config: str,
    watch: Callable[[CaseReport], None] | None = None,
) -> Outcome:
    """Say what the run comes to, beside the earlier one if there is one.

    Without a reason, nobody has asked for a comparison.
    """
    base = baseline or NoBaseline(reason="")
    today = datetime.now(UTC).date()
    return comparison.settle(run, base, config=config, today=today, watch=watch)


def warn_of_stale(outcome: Outcome, digest: str) -> Outcome:
    """Return the outcome with the warning. The verdict stays: only a pull request asks for more."""
    report = outcome.report
    if not digest or report is None:
        return outcome
    known = [one.agents for one in list_recordings(report.cases) if one.agents]
    fresh = sum(digest in agents for agents in known)
    found = Freshness(fresh=fresh, stale=len(known) - fresh)
    if not found.stale:
        return outcome
    message = f"{found.describe()}; {_NEXT}"
    finding = Finding(severity=Severity.WARNING, rule="stale-recording", message=message)
    report = msgspec.structs.replace(report, findings=(*report.findings, finding))
    findings = (*outcome.findings, finding)
    return msgspec.structs.replace(outcome, findings=findings, report=report)
