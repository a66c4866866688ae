"""`--baseline FILE`: an earlier run that somebody kept, to compare the one at hand with."""

from datetime import date
from pathlib import Path

from agentevals.compare import baselines, comparison
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import InputError
from agentevals.model.results import Report
from agentevals.model.review import Origin, Review, Section
from agentevals.report.exports import reading


def read(path: Path, config: Path | None) -> Baseline:
    """What `-o report` wrote, or the `report.json` of the action; said before anything runs."""
    origin = Origin(source="file", path=str(path))
    try:
        found = reading.read_run(path)
    except InputError as error:
        msg = f"--baseline {error}; give what '-o report' writes, or a report.json of the action"
        raise InputError(msg) from None
    if not isinstance(found, Review):
        return baselines.of_report(found, origin)
    known = baselines.of_review(found, _name(found, config), "", origin)
    if isinstance(known, NoBaseline):
        msg = f"--baseline {path}: {known.reason}"
        raise InputError(msg)
    return known


def _name(review: Review, config: Path | None) -> str:
    """The config as the review knows it: from the root of its repository."""
    names = [section.config for section in review.sections]
    given = config.resolve().as_posix() if config else ""
    fitting = [name for name in names if given.endswith(f"/{name}")]
    return max(fitting, key=len) if fitting else names[0] if len(set(names)) == 1 else str(config)


def compared(report: Report, baseline: Baseline | None, config: str, today: date) -> Section | None:
    """None where there is nothing beside the cases that could decide anything."""
    policy = report.policy
    if baseline is None and not policy.limits and not policy.accepted:
        return None
    base = baseline or NoBaseline(reason="no '--baseline' was given")
    return comparison.section(report, base, config=config, today=today)
