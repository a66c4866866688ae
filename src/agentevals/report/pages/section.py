"""One section of a page: what one config has to say, at one stage of leaving things out."""

from collections.abc import Iterator
from itertools import chain, islice

from agentevals.model.results import Finding, Severity
from agentevals.model.review import Outcome, Review
from agentevals.report import together
from agentevals.report.pages import cases, gates, links, notes
from agentevals.report.pages.stages import FULL, Stage
from agentevals.text import markdown

_TABLES = 5  # of what all cases together say


def render(review: Review, section: Outcome | None, stage: Stage = FULL) -> str:
    """Blocks of finished Markdown, an empty line between them."""
    parts = chain(_blocks(review, section, stage), _end(review, section, stage))
    return "\n".join(part for part in parts if part)


def _blocks(review: Review, section: Outcome | None, stage: Stage) -> Iterator[str]:
    scene = review.scene
    if scene.secondhand:
        yield _FORK if scene.fork else _READ_ONLY
    yield from notes.findings(_choose_findings(review, section), scene, stage)
    if section is None:
        return
    yield _explain_uncompared(section)
    yield gates.table(section, scene.base_ref, stage)
    yield from cases.list_accepted(section, stage)
    yield from cases.worst(section, scene, stage)
    yield from cases.fold_others(section, stage)
    if stage.passing:
        yield from _together(section)
        yield gates.others(section, scene.base_ref)
        yield notes.trend(section, scene.base_ref)
        yield notes.reproduce(section)


def _together(section: Outcome) -> Iterator[str]:
    """What only all cases together say, without anything to compare it with."""
    if section.report is not None:
        yield from islice(together.tables(section.report), _TABLES)


def _end(review: Review, section: Outcome | None, stage: Stage) -> Iterator[str]:
    if stage.left_out:
        run = links.to_run("the run", review.scene.run_url, review.scene) or "the run"
        where = f"all of it is in the summary and the files of {run}"
        yield f"*Left out to fit: {stage.left_out}; {where}.*\n"
    yield notes.footer(review, section)


def _choose_findings(review: Review, section: Outcome | None) -> tuple[Finding, ...]:
    """Return its own findings. Notes of the whole review are in its first section only."""
    if section is None:
        return review.notes
    if section is not review.sections[0]:
        return section.findings
    notes = (note for note in review.notes if note.severity is not Severity.ERROR)
    return (*notes, *section.findings)


def _explain_uncompared(section: Outcome) -> str:
    against = section.against
    if against.state is None or not against.reason:
        return ""
    return f"⚪ **Not compared with the base:** {markdown.text(against.reason, 600)}\n"


_FORK = "🍴 *From a fork: these results are what the fork's own run reported.*\n"
_READ_ONLY = "ℹ️ *These results are what a run without the right to publish them reported.*\n"  # noqa: RUF001 -- a sign
