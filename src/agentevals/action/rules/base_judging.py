"""The traces of a pull request, judged by a config of its base, and the recordings that it removes.

Where no expectation misses a removed recording, nobody else does.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agentevals.action import config_scoring, freshness, repository_places
from agentevals.action.baseline_sources import find_baseline
from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.action.relevance import list_changed, list_names, list_trace_patterns, matches
from agentevals.action.rules.rule_differences import leaves_results
from agentevals.action.rules.turned_cases import Sides, find_turned
from agentevals.compare import comparison
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.configs.plan import Plan
from agentevals.files.spool import Spool
from agentevals.model.errors import AgentEvalsError
from agentevals.model.outcome import FailOn, Outcome
from agentevals.model.policy import Policy
from agentevals.model.results import CaseReport, Evaluation, Report
from agentevals.model.rule_changes import RuleChange, TurnedCase
from agentevals.run.attempts import list_all

RULE = "recordings"


@dataclass(frozen=True)
class Both:
    """A config of the base, and what the pull request makes of it: nothing if it removes it."""

    name: str
    config: Path  # of the base
    base: Plan
    head: Plan | None
    outcome: Outcome | None  # by the rules of the head
    sharing: int = 1  # configs that share one chance of a false alarm


def run_base(
    job: Job, there: Checkouts, checkouts: Checkouts, both: Both, changes: Sequence[RuleChange]
) -> Evaluation:
    """Evaluate the traces by the base, unless every result is known from the head's rules."""
    outcome = both.outcome
    if outcome and outcome.report and all(map(leaves_results, changes)):
        return _change_policy(outcome.report, both.base.policy)
    with job.log.group(f"Evaluate {both.name} by the rules of the base"):
        return config_scoring.score_by_base(job, there, checkouts, both.config, both.head)


def judge(
    job: Job, there: Checkouts, both: Both, changes: Sequence[RuleChange], run: Evaluation
) -> list[TurnedCase]:
    """Return what fails in a run by the base, and does not by the head."""
    known = dict.fromkeys(wanted.case_id for wanted in both.base.expectations or ())
    new = {e.case_id for e in (both.head.expectations if both.head else None) or ()} - known.keys()
    earlier = find_baseline(job, there, both.config, run.identity)
    whole = _settle(job, there, both, run, earlier)
    own = whole
    if known and new:
        own = _settle(job, there, both, _leave_out(run, new), earlier)
    sides = Sides(
        config=both.name,
        changes=changes,
        expected=tuple(known),
        base=whole,
        gates=own,
        head=both.outcome,
        today=job.now.date(),
    )
    return find_turned(sides)


def _settle(
    job: Job, there: Checkouts, both: Both, run: Evaluation, earlier: Baseline | NoBaseline
) -> Outcome:
    outcome = comparison.settle(
        run,
        earlier,
        config=there.name_config(both.config),
        today=job.now.date(),
        fail_on=FailOn(job.inputs.fail_on),
        configs=both.sharing,
    )
    outcome = freshness.add_arrivals(job, there, outcome)
    outcome = freshness.add_freshness(job, there, both.config, outcome)
    return repository_places.rename_paths(job, outcome)


def _change_policy(report: Report, policy: Policy) -> Evaluation:
    """Return the run of a report, to be judged by another policy."""
    facts = {name: getattr(report, name) for name in Evaluation.__struct_fields__}
    return Evaluation(**facts | {"policy": policy})


def _leave_out(run: Evaluation, new: Set[str]) -> Evaluation:
    """Return the run without the cases that only the head expects: they must not help a gate."""
    kept = Spool(CaseReport)
    for case in run.cases:
        if case.eval_case_id not in new:
            kept.append(case)
    return msgspec.structs.replace(run, cases=kept)


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
            lambda: config_scoring.score_offline(job, there, config, there.config_root),
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
