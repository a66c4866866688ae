"""Reports of earlier runs that a command compares with."""

from collections.abc import Callable
from pathlib import Path

from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import InputError
from agentevals.model.outcome import Origin
from agentevals.model.results import Report
from agentevals.model.review import Review
from agentevals.report import untrusted_report

Choose = Callable[[Review], tuple[str, str]]  # returns the config and the matrix job that is meant


def read_run(path: Path, label: str = "") -> Review | Report:
    """Read what `-o report` wrote, or the action's `report.json`."""
    try:
        return untrusted_report.read_run(path)
    except InputError as error:
        msg = f"{label}{error}; give what '-o report' writes, or a report.json of the action"
        raise InputError(msg) from None


def read_baseline(path: Path, label: str, choose: Choose) -> Baseline:
    """Read a run to compare with. `label` begins each complaint."""
    origin = Origin(source="file", path=str(path))
    found = read_run(path, label)
    if not isinstance(found, Review):
        if found.partial:
            msg = f"{label}{path}: that run was cancelled; give the report of a complete run"
            raise InputError(msg)
        return baselines.make_baseline(found, origin)
    known = baselines.find_outcome(found, *choose(found), origin)
    if isinstance(known, NoBaseline):
        msg = f"{label}{path}: {known.reason}"
        raise InputError(msg)
    return known


def choose_name(review: Review, config: Path | None) -> str:
    """Return the config as the review knows it: from the root of its repository."""
    names = [outcome.config for outcome in review.sections]
    given = config.resolve().as_posix() if config else ""
    fitting = [name for name in names if given.endswith(f"/{name}")]
    return max(fitting, key=len) if fitting else names[0] if len(set(names)) == 1 else str(config)
