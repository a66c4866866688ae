"""A report that somebody keeps in a file: of the base where git has it, else as it lies here."""

from pathlib import Path

from agentevals.action.job import Job
from agentevals.action.locations import relative
from agentevals.action.scoring import Bench
from agentevals.action.trees import moved
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import UnavailableError
from agentevals.model.review import Origin, Review
from agentevals.report.exports import reading


def find(job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    """A pull request must not choose what it is compared with, so the base's file counts."""
    given = job.workspace.path(job.inputs.baseline, "baseline")
    path = _of_base(job, bench, given) or given
    name = relative(given, job.workspace.root) or given.name
    if not path.is_file():
        return NoBaseline(reason=f"there is no file '{name}'")
    if path is given and job.context.privileged:
        return NoBaseline(reason=f"'{name}' is not in the base, which alone decides here")
    commit = "" if path is given else _base(job) or ""
    origin = Origin(source="file", path=name, commit=commit)
    known = reading.read_run(path)
    if isinstance(known, Review):
        return baselines.of_review(known, bench.name(config), job.leg, origin)
    return baselines.of_run(known, origin)


def _base(job: Job) -> str | None:
    """Where a pull request that decides nothing left its base, it has chosen as well."""
    context = job.context
    return context.rules_sha if context.privileged else context.base_sha


def _of_base(job: Job, bench: Bench, given: Path) -> Path | None:
    base = _base(job)
    if not base or not given.is_relative_to(job.workspace.root):
        return None
    try:
        path = moved(given, job.workspace.root, bench.trees.at(base))
    except UnavailableError:
        return None
    return path if path.is_file() else None
