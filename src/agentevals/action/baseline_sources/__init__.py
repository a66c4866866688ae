"""What a run is compared with. To add a source: write a module with `find`, then list it here.

They are tried in this order, until one can be compared in whole; else the first counts. Whatever
a source finds is compared only as far as both runs judged alike, so that an old or a foreign
baseline cannot do any harm but to be refused.
"""

from pathlib import Path
from typing import Protocol

import msgspec

from agentevals.action import findings
from agentevals.action.job import Job
from agentevals.action.scoring import Bench
from agentevals.compare import compatibility
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.model.errors import AgentEvalsError
from agentevals.model.plugins import Table
from agentevals.model.results import Identity


class Source(Protocol):
    """What a module of this folder provides."""

    def find(self, job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
        """The baseline for a config, or why this source has none."""
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


def found(job: Job, bench: Bench, config: Path, identity: Identity) -> Baseline | NoBaseline:
    """What the input `baseline` asks for; with `auto`, the one that tells most."""
    wanted = job.inputs.baseline
    if wanted == "none":
        return NoBaseline(reason="the input 'baseline' asks for none")
    if wanted == "auto":
        return _best(job, bench, config, identity)
    source = SOURCES[wanted] if wanted in SOURCES else _NAMED["file"]
    return _tried(source, job, bench, config)


def _best(job: Job, bench: Bench, config: Path, identity: Identity) -> Baseline | NoBaseline:
    reasons, partial = [], []
    for name in SOURCES:
        result = _tried(SOURCES[name], job, bench, config)
        if isinstance(result, NoBaseline):
            reasons.append(f"{name}: {result.reason}")
        elif compatibility.common(identity, result).whole:
            return _with_history(result, job, bench, config)
        else:
            partial.append(result)
    if partial:
        return _with_history(partial[0], job, bench, config)
    return NoBaseline(reason="; ".join(reasons))


def _with_history(known: Baseline, job: Job, bench: Bench, config: Path) -> Baseline:
    """What is scored anew knows nothing of earlier runs; those that were kept do."""
    for name in _REMEMBERING:
        if known.history:
            break
        kept = _tried(SOURCES[name], job, bench, config)
        if isinstance(kept, Baseline):
            known = msgspec.structs.replace(known, history=kept.history)
    return known


def _tried(source: Source, job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    """A source that fails is one that has nothing, and says why."""
    try:
        result = source.find(job, bench, config)
    except AgentEvalsError as error:
        result = NoBaseline(reason=str(error))
    if isinstance(result, Baseline):
        return result
    return NoBaseline(reason=findings.shortened(job, result.reason).replace("\n", " "))
