"""What a run is compared with. To add a source: write a module with `find`, then list it here.

They are tried in this order. Whatever a source finds is compared only as far as both runs judged
alike, so that an old or a foreign baseline cannot do any harm but to be refused.
"""

from pathlib import Path
from typing import Protocol

from agentevals.action.job import Job
from agentevals.action.runs import Bench
from agentevals.baselines import Baseline, NoBaseline
from agentevals.errors import AgentEvalsError
from agentevals.seams import Table


class Source(Protocol):
    """What a module of this folder provides."""

    def find(self, job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
        """The baseline for a config, or why this source has none."""
        ...


SOURCES: Table[Source] = Table(
    "baseline",
    {
        "merge-base": "agentevals.action.previous.merge_base",
        "artifact": "agentevals.action.previous.artifact",
        "check": "agentevals.action.previous.check",
    },
)
_NAMED: Table[Source] = Table("baseline", {"file": "agentevals.action.previous.file"})


def found(job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    """What the input `baseline` asks for; with `auto`, the first that there is."""
    wanted = job.inputs.baseline
    if wanted == "none":
        return NoBaseline(reason="the input 'baseline' asks for none")
    if wanted == "auto":
        return _first(job, bench, config)
    source = SOURCES[wanted] if wanted in SOURCES else _NAMED["file"]
    return _tried(source, job, bench, config)


def _first(job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    reasons = []
    for name in SOURCES:
        result = _tried(SOURCES[name], job, bench, config)
        if isinstance(result, Baseline):
            return result
        reasons.append(f"{name}: {result.reason}")
    return NoBaseline(reason="; ".join(reasons))


def _tried(source: Source, job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    """A source that fails is one that has nothing, and says why."""
    try:
        return source.find(job, bench, config)
    except AgentEvalsError as error:
        return NoBaseline(reason=str(error).replace("\n", " "))
