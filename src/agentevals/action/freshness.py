"""Whether recordings show the agent of this pull request, or one that it was before.

Where a config lists the files of the agent, their digest decides: that of the recording is the one
of the tree that is checked out. Elsewhere only what this run has recorded is known to be fresh.

So it matters how a file arrived: with a commit, or from a step of this run. The author of a commit
may write anything into it, so a committed trace is a claim. The names and contents that the commits
list decide: neither links, filters nor submodules of a pull request make a committed file look like
one that this run has recorded.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from agentevals.action import checkout_commits, job_configs
from agentevals.action.checkouts import Checkouts, find_rules_commit, make_relative
from agentevals.action.job import Job
from agentevals.action.relevance import list_changed
from agentevals.compare.case_summaries import Recording, list_recordings
from agentevals.configs.plan import Plan
from agentevals.files.agent_files import AgentFiles
from agentevals.github.event_context import EventContext
from agentevals.model.errors import AgentEvalsError
from agentevals.model.outcome import FailOn, Outcome
from agentevals.model.provenance import Arrival, Freshness
from agentevals.model.results import Finding, Severity, Verdict

_OF_THIS_RUN = {Arrival.RECORDED, Arrival.CHANGED}
_RULE, _MISSING_RULE = "stale-recording", "missing-recording"
# findings about recordings that did not arrive, or arrived empty
_MISSING = {"nothing-recorded", "no-trace-file", "no-trace", "empty-trace"}
_NAMED = 5  # traces in a sentence


def add_freshness(job: Job, checkouts: Checkouts, config: Path, outcome: Outcome) -> Outcome:
    """Return the section with the freshness of its recordings, and the verdict that follows."""
    report = outcome.report
    if job.context.number is None or report is None:
        return outcome
    plan = job_configs.compile_once(job, checkouts, checkouts.config_root, config)
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
        earlier = job_configs.compile_once(job, replace(checkouts, config_root=tree), tree, there)
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


@dataclass(frozen=True)
class _Listing:
    """The files that the commits of one repository hold, by name and by content."""

    names: frozenset[str]
    contents: frozenset[str]


def add_arrivals(job: Job, checkouts: Checkouts, outcome: Outcome) -> Outcome:
    """Return the section with the arrival of each trace, and a warning if they differ."""
    cases = outcome.report.cases if outcome.report else ()
    sources = dict.fromkeys(name for one in list_recordings(cases) for name in one.sources)
    arrivals = {name: find_arrival(job, checkouts, Path(name)) for name in sources}
    findings = (*outcome.findings, *_warn_of_mixture(arrivals))
    return msgspec.structs.replace(outcome, arrivals=arrivals, findings=findings)


def find_arrival(job: Job, checkouts: Checkouts, path: Path) -> Arrival:
    """Return how a file arrived. A relative path belongs to the tree of the traces."""
    root = job.workspace.root
    if checkouts.trace_root != root:  # the tree of a commit
        return Arrival.COMMITTED
    file = (root / path).resolve()
    if not file.is_relative_to(root):
        return Arrival.RECORDED
    return checkouts.cache.get(("arrival", file), lambda: _compare(job, checkouts, file))


def _compare(job: Job, checkouts: Checkouts, file: Path) -> Arrival:
    top = _find_repository(file, job.workspace.root)
    listed = checkouts.cache.get(("listing", top), lambda: _list_files(job, top))
    if listed is None or not file.is_file():
        return Arrival.UNKNOWN
    known = next(iter(listed.contents), "")
    if checkout_commits.compute_file_id(file, known) in listed.contents:
        return Arrival.COMMITTED
    return Arrival.CHANGED if make_relative(file, top) in listed.names else Arrival.RECORDED


def _find_repository(file: Path, root: Path) -> Path:
    """Return the innermost checkout around a file: submodules and others lie in the workspace."""
    inner = (folder for folder in file.parents if folder.is_relative_to(root))
    return next((folder for folder in inner if os.path.lexists(folder / ".git")), root)


def _list_files(job: Job, top: Path) -> _Listing | None:
    """List what is checked out and, at the root, the commits of the event as well."""
    event = (job.context.sha, job.context.head_sha) if top == job.workspace.root else ()
    wanted = dict.fromkeys(filter(None, (*event, checkout_commits.find_head(top))))
    found = [
        files for sha in wanted if (files := checkout_commits.list_contents(top, sha)) is not None
    ]
    if not found:
        return None
    return _Listing(
        names=frozenset(name for files in found for name in files),
        contents=frozenset(content for files in found for content in files.values()),
    )


def _warn_of_mixture(arrivals: dict[str, Arrival]) -> Iterator[Finding]:
    """Warn of traces that were committed beside those that this run has recorded."""
    recorded = sum(1 for arrival in arrivals.values() if arrival is Arrival.RECORDED)
    others = [name for name, arrival in arrivals.items() if arrival is not Arrival.RECORDED]
    if recorded and others:
        verb = "was" if len(others) == 1 else "were"
        message = (
            f"{_list_names(others)} {verb} not recorded by this run, unlike {recorded} of "
            f"{len(arrivals)} traces. Remove committed traces before you record"
        )
        yield Finding(severity=Severity.WARNING, rule="committed-traces", message=message)


def _list_names(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
    return f"{', '.join(shown[:_NAMED])}{more}"
