"""The committed traces of the merge base, scored now with the config of that commit."""

from pathlib import Path

import msgspec

from agentevals.action import checkout_commits, config_scoring
from agentevals.action.checkouts import Checkouts, move_path
from agentevals.action.job import Job
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.outcome import Origin


def find(job: Job, checkouts: Checkouts, config: Path) -> Baseline | NoBaseline:
    """Score the merge base. No model is asked, so judged scores come from other sources."""
    base = job.context.base_sha
    if not base:
        return NoBaseline(reason="the event names no base")
    if base == (job.context.head_sha or checkout_commits.find_head(job.workspace.root)):
        return NoBaseline(reason="this commit is the base itself")
    tree = checkouts.trees.unpack(base)
    there = move_path(config, checkouts.config_root, tree)
    if not there.is_file():
        return NoBaseline(reason=f"{checkouts.name_config(config)} is not in the base")
    run = checkouts.cache.get(
        ("scored", there), lambda: config_scoring.score_offline(job, checkouts, there, tree)
    )
    unjudged = run.identity.judged
    if not run.counts.get("results_passed", 0) + run.counts.get("results_failed", 0):
        without = " without a judge" if unjudged else ""
        return NoBaseline(reason=f"nothing that is committed in the base can be scored{without}")
    made = baselines.make_baseline(run, Origin(source="merge-base", commit=base))
    return msgspec.structs.replace(made, unjudged=unjudged)
