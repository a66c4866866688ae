"""The run in a few kilobytes that the check run of the base commit carries."""

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.github import check_runs
from agentevals.github.api import Api
from agentevals.github.check_runs import Check
from agentevals.model.errors import InputError
from agentevals.model.outcome import Origin

# a line of its own; what stands within a line is what somebody has said
_HIDDEN = re.compile(rf"<!-- {re.escape(baselines.DIGEST)}\S+ -->")


def find(job: Job, checkouts: Checkouts, config: Path) -> Baseline | NoBaseline:
    """Read the check runs of our own app only."""
    context = job.context
    if job.api is None or not context.base_sha:
        return NoBaseline(reason="there is no token, or no base commit, to look for a check with")
    name = checkouts.name_config(config)
    told = checkouts.cache.get(
        "checks", lambda: _read_checks(job.github, job, context.base_sha or "")
    )
    unknown = told.reason or f"the base commit has no check run that tells about {name}"
    return told.known.get(name) or NoBaseline(reason=unknown)


class _Told(NamedTuple):
    """The newest baseline of each config, and why another could not be read."""

    known: dict[str, Baseline]
    reason: str = ""


def _read_checks(api: Api, job: Job, commit: str) -> _Told:
    known: dict[str, Baseline] = {}
    reason = ""
    for check in check_runs.list_checks(api, job.context.repository, commit, job.name):
        for line in filter(_HIDDEN.fullmatch, (check.output.text or "").splitlines()):
            try:
                found = baselines.unpack(line)
            except InputError as error:
                reason = f"the check run of the base commit: {error}"
                continue
            made = msgspec.structs.replace(found, origin=_build_origin(check, commit))
            known.setdefault(found.origin.path, made)
    return _Told(known, reason)


def _build_origin(check: Check, commit: str) -> Origin:
    return Origin(
        source="check",
        commit=commit,
        run_url=check.html_url or "",
        made_at=check.completed_at or "",
    )
