"""How many configs share the chance of a false alarm."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agentevals.action import scoring
from agentevals.action.checkouts import Checkouts, find_rules_commit
from agentevals.action.job import Job
from agentevals.model.errors import AgentEvalsError


def count_configs(job: Job, checkouts: Checkouts, chosen: Sequence[Path]) -> int:
    """Count the configs of a pull request that its base has as well, and else all of them.

    A config that is new has nothing to compare with, so that it raises no alarm, and must not make
    the others less strict.
    """
    base = find_rules_commit(job) if len(chosen) > 1 and job.context.number is not None else ""
    if not base:
        return len(chosen)
    try:
        there = replace(checkouts, config_root=checkouts.trees.unpack(base))
        known = set(map(there.name_config, scoring.choose_configs(job, there)))
    except AgentEvalsError:  # the base has none, or nobody can read it
        return 1
    return max(1, sum(checkouts.name_config(config) in known for config in chosen))
