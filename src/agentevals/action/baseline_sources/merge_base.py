"""The traces and the config as they are committed where the branch left its base, scored now."""

from pathlib import Path

import msgspec

from agentevals.action import git, scoring
from agentevals.action.job import Job
from agentevals.action.scoring import Bench
from agentevals.action.trees import moved
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.review import Origin


def find(job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    """No model is asked, so that it costs nothing; judged scores come from other sources."""
    base = job.context.base_sha
    if not base:
        return NoBaseline(reason="the event names no base")
    if base == (job.context.head_sha or git.head(job.workspace.root)):
        return NoBaseline(reason="this commit is the base itself")
    tree = bench.trees.at(base)
    there = moved(config, bench.root, tree)
    if not there.is_file():
        return NoBaseline(reason=f"{bench.name(config)} is not in the base")
    run = scoring.judged_offline(job, bench, there, tree)
    unjudged = run.identity.judged
    if not run.counts.get("results_passed", 0) + run.counts.get("results_failed", 0):
        without = " without a judge" if unjudged else ""
        return NoBaseline(reason=f"nothing that is committed in the base can be scored{without}")
    made = baselines.of_run(run, Origin(source="merge-base", commit=base))
    return msgspec.structs.replace(made, unjudged=unjudged)
