"""A baseline out of the report of an earlier run."""

from pathlib import Path

import msgspec

from agentevals import baselines
from agentevals.action.job import Job
from agentevals.action.runs import Bench
from agentevals.action.sites import relative
from agentevals.baselines import Baseline, NoBaseline
from agentevals.review import Figure, Origin, Point, Review, Section

HISTORY = 30  # earlier runs that a trend shows


def of_section(
    review: Review, job: Job, bench: Bench, config: Path, origin: Origin
) -> Baseline | NoBaseline:
    """The section of the same config, as the same leg of a matrix made it."""
    name = relative(config, bench.root) or config.name
    named = [section for section in review.sections if section.config == name]
    section = next((s for s in named if s.leg == job.leg), named[0] if len(named) == 1 else None)
    if section is None or section.report is None:
        return NoBaseline(reason=f"the report of that run says nothing about {name}")
    scene = review.scene
    known = msgspec.structs.replace(
        origin, commit=origin.commit or scene.head_sha, made_at=origin.made_at or scene.made_at
    )
    made = baselines.of_report(section.report, known, figures=figures_of(section))
    return msgspec.structs.replace(made, history=history(section, review))


def figures_of(section: Section) -> dict[str, Figure]:
    """The figures of a run by themselves."""
    return {gate.figure: gate.head for gate in section.gates if gate.head is not None}


def history(section: Section, review: Review) -> tuple[Point, ...]:
    """What that run knew of earlier ones, and the run itself."""
    figures = figures_of(section)
    rate, cost = figures.get("pass_rate"), figures.get("cost")
    point = Point(
        commit=review.scene.head_sha,
        made_at=review.scene.made_at,
        pass_rate=rate.value if rate else None,
        score=section.score,
        cost=cost.value if cost else None,
    )
    return (*section.trend, point)[-HISTORY:]
