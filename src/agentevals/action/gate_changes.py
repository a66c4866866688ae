"""Whether a pull request changes what it is judged by: allowed, and never silent."""

from pathlib import Path

import msgspec

from agentevals.action.job import Job
from agentevals.action.runs import Bench, plan_of
from agentevals.action.trees import moved
from agentevals.comparison import policies
from agentevals.errors import AgentEvalsError
from agentevals.report import Report


def said(job: Job, bench: Bench, config: Path, report: Report) -> Report:
    """The report with a word about it, where the tree of the base is at hand."""
    at = job.occasion
    tree = bench.trees.known(at.base_sha or "")
    if tree is None or at.number is None or at.privileged:
        return report
    there = moved(config, bench.root, tree)
    try:
        base = plan_of(job, tree, there).policy if there.is_file() else report.policy
    except AgentEvalsError:  # a base that cannot be read has no gate to compare with
        return report
    found = policies.changed(base, report.policy, bench.name(config))
    return msgspec.structs.replace(report, findings=(*report.findings, *found))
