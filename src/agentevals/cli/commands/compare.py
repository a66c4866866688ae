"""`agentevals compare`: two runs that were evaluated before, side by side."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from agentevals.cli import command_reports, run_options
from agentevals.compare import comparison, settlement
from agentevals.model.errors import InputError
from agentevals.model.outcome import Outcome
from agentevals.model.results import Evaluation, Report
from agentevals.model.review import Review, Scene

_GATE = "gate"  # the rule of findings that the comparison makes again

_File = "report.json of the action, or a file of '-o report'"


def compare(
    base: Annotated[Path, typer.Argument(metavar="BASE", help=f"The earlier run: {_File}")],
    head: Annotated[Path, typer.Argument(metavar="HEAD", help=f"The later run: {_File}")],
    output: run_options.Output = "table",
    output_file: run_options.OutputFiles = None,
) -> None:
    """Compare two runs that were evaluated before. Nothing is evaluated again.

    Verdict, limits and statistics are the same as in 'agentevals run --baseline'.

    Examples:

      agentevals compare main.json report.json

      agentevals compare main.json report.json -o summary --output-file compared.html

    Exit codes: 0 passed; 1 a gate failed; 2 a file is not a report, or the runs have no config in
    common. If an evaluator ended in an error, the code is that of 'run'.
    """
    files = [run_options.parse_target(given) for given in output_file or ()]
    shown = run_options.check_format(output or "table")
    found = command_reports.read_run(head)
    outcomes = list(_compare(base, found))
    if not outcomes:
        msg = f"{head}: it has no evaluated cases; give the report of a run that evaluated some"
        raise InputError(msg)
    scene = found.scene if isinstance(found, Review) else Scene()
    notes = found.notes if isinstance(found, Review) else ()
    review = settlement.review_of(scene, outcomes, notes)
    unwritten = [why for name, path in files for why in run_options.write_file(name, path, review)]
    run_options.print_report(shown, review)
    if unwritten:
        raise InputError("\n".join(unwritten))
    raise typer.Exit(review.exit_code)


def _compare(base: Path, found: Review | Report) -> Iterator[Outcome]:
    """Yield each config of the later run beside the same one of the earlier run."""
    if isinstance(found, Report):
        yield _settle(base, found, found.title, "")
        return
    for outcome in found.sections:
        if outcome.report is not None:
            yield _settle(base, outcome.report, outcome.config, outcome.leg)


def _settle(base: Path, report: Report, config: str, leg: str) -> Outcome:
    def choose(review: Review) -> tuple[str, str]:
        names = {outcome.config for outcome in review.sections}
        return (config if config in names or len(names) != 1 else names.pop()), leg

    baseline = command_reports.read_baseline(base, "", choose)
    facts = {name: getattr(report, name) for name in Evaluation.__struct_fields__}
    facts["findings"] = tuple(one for one in report.findings if one.rule != _GATE)
    today = datetime.now(UTC).date()
    outcome = comparison.settle(Evaluation(**facts), baseline, config=config, today=today)
    findings = tuple(dict.fromkeys(outcome.findings))
    return msgspec.structs.replace(outcome, leg=leg, findings=findings)
