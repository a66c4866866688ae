"""Whether recordings show the agent of this pull request, or one that it was before.

Where a config lists the files of the agent, their digest decides: that of the recording is the one
of the tree that is checked out. Elsewhere only what this run has recorded is known to be fresh.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from agentevals.action import scoring
from agentevals.action.checkouts import Checkouts, find_rules_commit
from agentevals.action.job import Job
from agentevals.action.relevance import list_changed
from agentevals.compare.summaries import Recording, list_recordings
from agentevals.configs.plan import Plan
from agentevals.files.agent_files import AgentFiles
from agentevals.github.context import EventContext
from agentevals.model.errors import AgentEvalsError
from agentevals.model.outcome import FailOn, Outcome
from agentevals.model.provenance import Arrival, Freshness
from agentevals.model.results import Finding, Severity, Verdict

_OF_THIS_RUN = {Arrival.RECORDED, Arrival.CHANGED}
_RULE, _MISSING_RULE = "stale-recording", "missing-recording"
# findings about recordings that did not arrive, or arrived empty
_MISSING = {"nothing-recorded", "no-trace-file", "no-trace", "empty-trace"}


def add_freshness(job: Job, checkouts: Checkouts, config: Path, outcome: Outcome) -> Outcome:
    """Return the section with the freshness of its recordings, and the verdict that follows."""
    report = outcome.report
    if job.context.number is None or report is None:
        return outcome
    plan = scoring.compile_once(job, checkouts, checkouts.config_root, config)
    judge = _choose_test(plan, checkouts, outcome)
    found = Freshness(agent_listed=plan.agent is not None)
    for recording in list_recordings(report.cases):
        state = judge(recording)
        found = msgspec.structs.replace(found, **{state: getattr(found, state) + 1})
    if not outcome.counts.cases and plan.agent and _lacks_recordings(outcome):
        found = msgspec.structs.replace(found, missing=True)
    if found.is_complete:
        return msgspec.structs.replace(outcome, freshness=found)
    changed = _is_changed(job, checkouts, config, plan)
    found = msgspec.structs.replace(found, agent_changed=changed)
    blocks = (report.policy.on_stale_recording or ("fail" if changed else "warn")) == "fail"
    blocks = blocks and outcome.fail_on is not FailOn.NEVER
    rule = _MISSING_RULE if found.missing else _RULE
    severity = Severity.ERROR if blocks else Severity.WARNING
    finding = Finding(severity=severity, rule=rule, message=_explain(found, job.context))
    return _settle(outcome, found, finding, blocks=blocks)


def _choose_test(plan: Plan, checkouts: Checkouts, outcome: Outcome) -> Callable[[Recording], str]:
    """Return what says of a recording how fresh it is."""
    if plan.agent is None:
        arrivals = outcome.arrivals or {}
        return lambda one: (
            "fresh"
            if one.sources and all(arrivals.get(name) in _OF_THIS_RUN for name in one.sources)
            else "unknown"
        )
    start, goal = checkouts.config_root, checkouts.trace_root
    unpacked = goal != checkouts.worktree.root
    digest = plan.agent.move(start, goal, unpacked=unpacked).compute_digest()

    def compare(recording: Recording) -> str:
        if not recording.agents:
            return "unknown"
        # without a file there is no digest, whatever a recording says
        return "fresh" if digest and digest in recording.agents else "stale"

    return compare


def _is_changed(job: Job, checkouts: Checkouts, config: Path, plan: Plan) -> bool:
    """Return whether the pull request changes the agent, by the lists of both sides together.

    Without a list nobody knows.
    """
    listed = [agent for agent in (plan.agent, _find_earlier(job, checkouts, config)) if agent]
    if not listed:
        return False
    names = list_changed(job, checkouts)
    root = job.workspace.root
    here = [agent.move(checkouts.config_root, root) for agent in listed]
    return names is None or any(agent.matches(root / name) for agent in here for name in names)


def _find_earlier(job: Job, checkouts: Checkouts, config: Path) -> AgentFiles | None:
    """Return the list of the base, as if it stood in the tree of the head."""
    base = find_rules_commit(job)
    if not base or job.context.privileged:
        return None
    try:
        tree = checkouts.trees.unpack(base)
        there = tree / checkouts.name_config(config)
        earlier = scoring.compile_once(job, replace(checkouts, config_root=tree), tree, there)
    except AgentEvalsError:  # what the base lists is unknown, and a change of rules says so
        return None
    return earlier.agent.move(tree, checkouts.config_root) if earlier.agent else None


def _settle(outcome: Outcome, found: Freshness, finding: Finding, *, blocks: bool) -> Outcome:
    """Return the section with what stale recordings mean, unless it fails by itself."""
    outcome = msgspec.structs.replace(outcome, findings=(*outcome.findings, finding))
    if not found.missing and outcome.verdict.is_bad:
        return msgspec.structs.replace(outcome, freshness=found)
    found = msgspec.structs.replace(found, decides=True)
    if not blocks and not found.missing:
        return msgspec.structs.replace(outcome, freshness=found)
    failed = {"verdict": Verdict.FAIL, "exit_code": int(outcome.fail_on is not FailOn.NEVER)}
    report = outcome.report and msgspec.structs.replace(outcome.report, **failed)
    return msgspec.structs.replace(outcome, freshness=found, report=report, **failed)


def _lacks_recordings(outcome: Outcome) -> bool:
    """Return whether nothing is wrong but that no recording arrived, or an empty one."""
    serious = {f.rule for f in outcome.findings if f.severity is Severity.ERROR}
    return bool(serious) and serious <= _MISSING


def _explain(found: Freshness, context: EventContext) -> str:
    """Say what is not fresh, and how that is mended."""
    if found.missing and (context.fork or context.dependabot):
        whose = "a fork" if context.fork else "Dependabot"
        return (
            f"{found.describe()}; a run for {whose} gets no secrets, so the agent had no key: push "
            "the branch to this repository to record it"
        )
    if found.missing:
        return (
            f"{found.describe()}; see the log of the job that records, or commit what "
            "'agentevals record' writes"
        )
    if found.agent_listed:
        return (
            f"{found.describe()}; record it again with 'agentevals record' after the last change "
            "of the agent"
        )
    return (
        f"{found.describe()}; list the agent's files under 'agent:' in the config and record "
        "again, or record in a step of this run"
    )
