"""Recordings that a pull request removes: where no expectation misses them, nobody else does."""

from collections.abc import Set

from agentevals.action import scoring
from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.action.relevance import list_changed, list_names, list_trace_patterns, matches
from agentevals.action.rules.judging import Both
from agentevals.configs.plan import Plan
from agentevals.model.errors import AgentEvalsError
from agentevals.model.results import Evaluation
from agentevals.run.attempts import list_all

RULE = "recordings"


def describe_lost(job: Job, there: Checkouts, both: Both, run: Evaluation) -> str:
    """Say how many recordings of the base have gone; nothing if as many have come.

    Their ids are made by chance, so that only their number tells. The rules of the base miss those
    of an expectation that was removed. Where these rules allow that some are missing, so be it.
    """
    plan, config = both.base, both.config
    if not plan.policy.fail_on_missing or not _touches_recordings(job, there, plan):
        return ""
    try:
        base = there.cache.get(
            ("scored", config),
            lambda: scoring.score_offline(job, there, config, there.config_root),
        )
    except AgentEvalsError:  # it has none, or none that can be read
        return ""
    kept = _list_kept(both)
    before, now = (_count(side, kept) for side in (base, run))
    return f"{before - now} of {before} committed recordings gone" if now < before else ""


def _list_kept(both: Both) -> Set[str] | None:
    """Return the cases that both sides expect, or None where that is every case."""
    before, now = (
        {wanted.case_id for wanted in plan.expectations or ()}
        for plan in (both.base, both.head or both.base)
    )
    return before & now if both.base.expectations is not None and before != now else None


def _count(run: Evaluation, kept: Set[str] | None) -> int:
    if kept is None:
        return run.counts.get("attempts", run.counts.get("cases", 0))
    return sum(case.eval_case_id in kept for case in list_all(run.cases))


def _touches_recordings(job: Job, there: Checkouts, plan: Plan) -> bool:
    names = list_changed(job, there)
    roots = (there.config_root, job.workspace.root)
    patterns = list_trace_patterns(job, plan)
    places = [name for one in patterns for root in roots for name in list_names(one, root)]
    return names is None or any(matches(name, places) for name in names)
