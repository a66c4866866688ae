"""Sources of baselines. To add one: write a module with `find`, then list it here.

They are tried in this order until one can be compared in whole; else the first one counts. A
baseline is compared only as far as both runs judged alike, so that an old or an untrusted baseline
can do no harm but to be refused.
"""

from pathlib import Path
from typing import Protocol, cast

import msgspec

from agentevals.action import repository_places
from agentevals.action.baseline_sources import artifact
from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.compare import baselines, branch_trends, case_history
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import AgentEvalsError
from agentevals.model.plugins import Table
from agentevals.model.results import Identity
from agentevals.text.redaction import redact_texts


class Source(Protocol):
    """The interface of a module in this folder."""

    def find(self, job: Job, checkouts: Checkouts, config: Path) -> Baseline | NoBaseline:
        """Return the baseline for a config, or the reason why this source has none."""
        ...


SOURCES: Table[Source] = Table(
    "baseline",
    {
        "merge-base": "agentevals.action.baseline_sources.merge_base",
        "artifact": "agentevals.action.baseline_sources.artifact",
        "check": "agentevals.action.baseline_sources.check",
    },
)
_REMEMBERING = ("check", "artifact")  # the cheaper one first
_NAMED: Table[Source] = Table("baseline", {"file": "agentevals.action.baseline_sources.file"})


def find_baseline(
    job: Job, checkouts: Checkouts, config: Path, identity: Identity
) -> Baseline | NoBaseline:
    """Return the baseline that the input names; with `auto`, the one with most detail."""
    wanted = job.inputs.baseline
    if wanted == "none":
        return NoBaseline(reason="the input 'baseline' asks for none")
    if wanted == "auto":
        found = _find_best(job, checkouts, config, identity)
    else:
        source = SOURCES[wanted] if wanted in SOURCES else _NAMED["file"]
        found = _try_source(source, job, checkouts, config)
    return found if isinstance(found, NoBaseline) else _add_missed(found, job, checkouts, config)


def _find_best(
    job: Job, checkouts: Checkouts, config: Path, identity: Identity
) -> Baseline | NoBaseline:
    reasons, partial = [], []
    for name in SOURCES:
        result = _try_source(SOURCES[name], job, checkouts, config)
        if isinstance(result, NoBaseline):
            reasons.append(f"{name}: {result.reason}")
        elif baselines.find_common(identity, result).whole:
            return _add_history(result, job, checkouts, config)
        else:
            partial.append(result)
    if partial:
        return _add_history(partial[0], job, checkouts, config)
    return NoBaseline(reason="; ".join(reasons))


def _add_history(known: Baseline, job: Job, checkouts: Checkouts, config: Path) -> Baseline:
    """Add the history of a kept run: a baseline that is scored now has none."""
    for name in _REMEMBERING:
        if known.trend.points:
            break
        kept = _try_source(SOURCES[name], job, checkouts, config)
        if isinstance(kept, Baseline):
            known = msgspec.structs.replace(known, trend=kept.trend)
            known = case_history.recall_earlier(known, kept)
    return known


def _add_missed(known: Baseline, job: Job, checkouts: Checkouts, config: Path) -> Baseline:
    """Add the runs that ran beside those of the trend. Without them it is only shorter."""
    missed = list(artifact.find_missed(job, checkouts, config, known.trend))
    if not missed:
        return known
    return msgspec.structs.replace(known, trend=branch_trends.add_missed(known.trend, missed))


def _try_source(
    source: Source, job: Job, checkouts: Checkouts, config: Path
) -> Baseline | NoBaseline:
    """Ask one source. A failure counts as no baseline, with the reason."""
    try:
        result = source.find(job, checkouts, config)
    except AgentEvalsError as error:
        result = NoBaseline(reason=str(error))
    if isinstance(result, Baseline):  # its run may not have known the secrets of this one
        return cast("Baseline", redact_texts(result, job.log.redact))
    return NoBaseline(reason=repository_places.shorten(job, result.reason).replace("\n", " "))
