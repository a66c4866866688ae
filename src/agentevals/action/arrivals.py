"""How a file arrived: with a commit, or from a step of this run.

The author of a commit may write anything into it, so a committed trace is a claim. The names and
contents that the commits list decide: neither links, filters nor submodules of a pull request make
a committed file look like one that this run has recorded.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agentevals.action import commits
from agentevals.action.checkouts import Checkouts, make_relative
from agentevals.action.job import Job
from agentevals.compare.summaries import list_recordings
from agentevals.model.outcome import Outcome
from agentevals.model.provenance import Arrival
from agentevals.model.results import Finding, Severity

_NAMED = 5  # traces in a sentence


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
    if commits.compute_file_id(file, known) in listed.contents:
        return Arrival.COMMITTED
    return Arrival.CHANGED if make_relative(file, top) in listed.names else Arrival.RECORDED


def _find_repository(file: Path, root: Path) -> Path:
    """Return the innermost checkout around a file: submodules and others lie in the workspace."""
    inner = (folder for folder in file.parents if folder.is_relative_to(root))
    return next((folder for folder in inner if os.path.lexists(folder / ".git")), root)


def _list_files(job: Job, top: Path) -> _Listing | None:
    """List what is checked out and, at the root, the commits of the event as well."""
    event = (job.context.sha, job.context.head_sha) if top == job.workspace.root else ()
    wanted = dict.fromkeys(filter(None, (*event, commits.find_head(top))))
    found = [files for sha in wanted if (files := commits.list_contents(top, sha)) is not None]
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
