"""The top of the page: the verdict, and for each config its figures, findings and history."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agentevals.compare import comparison
from agentevals.compare.summaries import SummarisedCases
from agentevals.model import project
from agentevals.model.outcome import Interval, Outcome, Place
from agentevals.model.results import Finding, Report
from agentevals.model.review import Review
from agentevals.report.outputs.html import history
from agentevals.report.outputs.html.embedding import cut, round_number
from agentevals.report.pages import digest, line, links, numbers, words
from agentevals.report.pages.rows import Row, describe_apart, describe_power, is_notable, list_rows
from agentevals.text import wording
from agentevals.text.wording import NOTHING

_TEXT = 1_000  # characters of a finding, or of a name
_FINDINGS = 200


def describe(review: Review) -> dict[str, Any]:
    """Return what the page shows before anybody has chosen a case."""
    headline = line.make_headline(review)
    step = headline.step
    return {
        "tone": headline.tone.name.lower(),
        "sentence": cut(headline.sentence, _TEXT),
        "facts": [cut(fact, _TEXT) for fact in headline.facts],
        "step": step and {"text": step.text, "url": project.find_page(step.heading)},
        "about": list(_describe_scene(review)),
        "run": links.find_run(review.scene.run_url, review.scene),
        "help": project.find_page("docs/reading.md"),
        "findings": [_describe_finding(one, review) for one in review.notes[:_FINDINGS]],
        "configs": [_describe_config(review, outcome) for outcome in review.sections],
    }


def list_evaluators(report: Report | None) -> list[str]:
    """Return the names of the evaluators in the order of the config, then of the cases."""
    if report is None:
        return []
    found = dict.fromkeys(report.evaluators)
    if isinstance(report.cases, SummarisedCases):
        for summary in report.cases.summaries:
            found |= dict.fromkeys(summary.kept.outcomes)
    elif not found:
        found = dict.fromkeys(one.name for case in report.cases for one in case.results)
    return list(found)


def _describe_scene(review: Review) -> Iterator[str]:
    scene = review.scene
    if scene.repository:
        yield f"{scene.repository} #{scene.number}" if scene.number else scene.repository
    if scene.head_sha:
        yield f"head {links.short(scene.head_sha)}"
    if scene.base_sha:
        yield f"base {links.short(scene.base_sha)}"
    if scene.made_at:
        yield scene.made_at.replace("T", " ").replace("+00:00", " UTC")
    if review.version:
        yield f"agentevals {review.version}"


def _describe_config(review: Review, outcome: Outcome) -> dict[str, Any]:
    report = comparison.report_of(outcome)
    told = (describe_apart(outcome, review.scene.base_ref or "the base"), describe_power(outcome))
    why = outcome.against.reason if outcome.against.state is not None else ""
    return {
        "name": cut(" ".join(filter(None, (digest.name_config(outcome), outcome.leg))), _TEXT),
        "verdict": wording.name_verdict(outcome),
        "headline": wording.headline(report, outcome.unknown),
        "base": _name_base(outcome),
        "uncompared": cut(why, _TEXT),
        "figures": [_describe_row(row) for row in list_rows(outcome)],
        "told": [sentence for sentence in told if sentence],
        "findings": [_describe_finding(one, review) for one in outcome.findings[:_FINDINGS]],
        "trend": history.describe_trend(history.find_trend(outcome, review.scene)),
        "used": list(wording.performance(report)),
        "reproduce": cut(outcome.reproduce, 4 * _TEXT),
        "evaluators": [cut(name, _TEXT) for name in list_evaluators(outcome.report)],
        "complete": outcome.report is not None,
    }


def _name_base(outcome: Outcome) -> str:
    origin = outcome.against.origin
    if origin is None or not outcome.against.paired:
        return ""
    number = f"run #{origin.run_number}" if origin.run_number is not None else ""
    return " · ".join(
        filter(None, (links.short(origin.commit), origin.source, number, origin.path))
    )


def _describe_row(row: Row) -> dict[str, Any]:
    alone = msgspec.structs.replace(row, better=0, worse=0)
    return {
        "name": cut(row.name or row.figure, _TEXT),
        "cases": row.cases or NOTHING,
        "base": numbers.figure(row.base, row.unit),
        "head": numbers.figure(row.head, row.unit),
        "difference": numbers.difference(alone, interval=True),
        "moved": _count_moved(row),
        "limit": cut(row.limit, _TEXT) or NOTHING,
        "verdict": "; ".join(words.explain(row, str)) or NOTHING,
        "tone": _choose_tone(row),
        "notable": is_notable(row),
        "picture": _draw(row),
    }


def _count_moved(row: Row) -> str:
    counts = ((row.better, "better"), (row.worse, "worse"))
    return ", ".join(f"{count:,} {how}" for count, how in counts if count and row.pairs > 1)


def _draw(row: Row) -> dict[str, Any] | None:
    """Return what a picture of the difference needs, where it has an interval."""
    if row.interval is None or row.difference is None:
        return None
    margin = row.margin if isinstance(row.margin, float) else None
    nought = 1.0 if row.is_ratio else 0.0
    drawn = _list_ends(row.interval)
    return {"at": round_number(row.difference), "ends": drawn, "nought": nought, "margin": margin}


def _list_ends(interval: Interval) -> list[float | None]:
    return [round_number(interval.low), round_number(interval.high)]


_TONES = {"❌": "bad", words.WARNED: "warn", "✅": "good"}


def _choose_tone(row: Row) -> str:
    return _TONES.get(words.sign(row), "plain")


def _describe_finding(found: Finding, review: Review) -> dict[str, Any]:
    place = Place(path=found.path, line=found.line)
    return {
        "severity": found.severity.value,
        "where": cut(f"{found.path}:{found.line}" if found.line else found.path, _TEXT),
        "url": links.find_url(place, review.scene),
        "message": cut(found.message, _TEXT),
        "help": project.find_help(found.rule),
    }
