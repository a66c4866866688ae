"""A report in a file: that of the base if git has it, else that of the checkout."""

from pathlib import Path

from agentevals.action.checkouts import Checkouts, make_relative, move_path
from agentevals.action.job import Job
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import UnavailableError
from agentevals.model.outcome import Origin
from agentevals.model.review import Review
from agentevals.report import reading


def find(job: Job, checkouts: Checkouts, config: Path) -> Baseline | NoBaseline:
    """Read the base's file: a pull request must not choose its own baseline."""
    given = job.workspace.resolve(job.inputs.baseline, "baseline")
    path = _find_in_base(job, checkouts, given) or given
    name = make_relative(given, job.workspace.root) or given.name
    if not path.is_file():
        return NoBaseline(reason=f"there is no file '{name}'")
    if path is given and job.context.privileged:
        return NoBaseline(reason=f"'{name}' is not in the base, which alone decides here")
    commit = "" if path is given else _choose_base(job) or ""
    origin = Origin(source="file", path=name, commit=commit)
    known = reading.read_run(path)
    if isinstance(known, Review):
        return baselines.find_outcome(known, checkouts.name_config(config), job.matrix_job, origin)
    return baselines.make_baseline(known, origin)


def _choose_base(job: Job) -> str | None:
    """Return the commit to read: in privileged events the author has chosen the merge base."""
    context = job.context
    return context.rules_sha if context.privileged else context.base_sha


def _find_in_base(job: Job, checkouts: Checkouts, given: Path) -> Path | None:
    base = _choose_base(job)
    if not base or not given.is_relative_to(job.workspace.root):
        return None
    try:
        path = move_path(given, job.workspace.root, checkouts.trees.unpack(base))
    except UnavailableError:
        return None
    return path if path.is_file() else None
