"""`--baseline FILE`: an earlier run that somebody kept, to compare the one at hand with."""

from datetime import UTC, datetime
from pathlib import Path

from agentevals.compare import baselines, comparison
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import InputError
from agentevals.model.results import Evaluation
from agentevals.model.review import Origin, Outcome, Review
from agentevals.report import reading


def read(path: Path, config: Path | None) -> Baseline:
    """What `-o report` wrote, or the `report.json` of the action; said before anything runs."""
    origin = Origin(source="file", path=str(path))
    try:
        found = reading.read_run(path)
    except InputError as error:
        msg = f"--baseline {error}; give what '-o report' writes, or a report.json of the action"
        raise InputError(msg) from None
    if not isinstance(found, Review):
        return baselines.make_baseline(found, origin)
    known = baselines.find_outcome(found, _name(found, config), "", origin)
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


def settle(run: Evaluation, baseline: Baseline | None, config: str) -> Outcome:
    """Say what the run comes to, beside the earlier one if there is one.

    Without a reason, nobody has asked for a comparison.
    """
    base = baseline or NoBaseline(reason="")
    return comparison.settle(run, base, config=config, today=datetime.now(UTC).date())
