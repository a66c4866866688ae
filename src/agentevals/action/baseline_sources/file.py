"""A report in a file: that of the base if git has it, else one that a step of this run has fetched.

A file that a pull request has committed is no baseline: it could say anything.
"""

import os
from pathlib import Path

from agentevals.action.checkouts import Checkouts, make_relative, move_path
from agentevals.action.freshness import find_arrival
from agentevals.action.job import Job
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import UnavailableError
from agentevals.model.outcome import Origin
from agentevals.model.provenance import Arrival
from agentevals.model.review import Review
from agentevals.report import untrusted_report


def find(job: Job, checkouts: Checkouts, config: Path) -> Baseline | NoBaseline:
    """Read the base's file: a pull request must not choose its own baseline."""
    given = job.workspace.resolve(job.inputs.baseline, "baseline")
    path = _find_in_base(job, checkouts, given) or given
    name = make_relative(given, job.workspace.root) or given.name
    if not path.is_file():
        return NoBaseline(reason=f"there is no file '{name}'")
    if path is given and _is_claim(job, checkouts, given):
        reason = f"'{name}' is not in the base; a pull request does not bring its own baseline"
        return NoBaseline(reason=reason)
    commit = "" if path is given else _choose_base(job) or ""
    origin = Origin(source="file", path=name, commit=commit)
    known = untrusted_report.read_run(path)
    if isinstance(known, Review):
        return baselines.find_outcome(known, checkouts.name_config(config), job.matrix_job, origin)
    return baselines.make_baseline(known, origin)


def _is_claim(job: Job, checkouts: Checkouts, given: Path) -> bool:
    """Return whether a pull request has brought the file: then it may say anything."""
    if job.context.privileged:
        return True
    if job.context.number is None and job.context.event != "merge_group":
        return False
    return find_arrival(job, checkouts, given) is not Arrival.RECORDED


def _choose_base(job: Job) -> str | None:
    """Return the commit to read: in privileged events the author has chosen the merge base."""
    context = job.context
    return context.rules_sha if context.privileged else context.base_sha


def _find_in_base(job: Job, checkouts: Checkouts, given: Path) -> Path | None:
    """Find the file under the name that the workflow gives: the head may have a link there."""
    base, root = _choose_base(job), job.workspace.root
    named = Path(os.path.normpath(job.workspace.folder / job.inputs.baseline))
    if not base or not given.is_relative_to(root):
        return None
    try:
        tree = checkouts.trees.unpack(base)
    except UnavailableError:
        return None
    path = move_path(named if named.is_relative_to(root) else given, root, tree)
    return path if path.is_file() else None
