"""The top of the page: the verdict, and for each config its figures, findings and history.

The history has the figures of the base branch run by run, and a strip for each case.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from agentevals.compare import baselines, branch_trends, comparison
from agentevals.compare.branch_trends import Trend
from agentevals.compare.case_summaries import SummarisedCases
from agentevals.model import project_links
from agentevals.model.outcome import Interval, Origin, Outcome, Place, Point, Unit
from agentevals.model.results import Finding, Report
from agentevals.model.review import Review, Scene
from agentevals.report.outputs.html.html_data import cut, round_number
from agentevals.report.pages import comment_digest, first_line, page_links, page_wording
from agentevals.report.pages.figure_rows import (
    Row,
    describe_apart,
    describe_power,
    is_notable,
    list_rows,
)
from agentevals.text import wording
from agentevals.text.wording import NOTHING

_TEXT = 1_000  # characters of a finding, or of a name
_FINDINGS = 200
_NAME = 300  # characters
_SHOWN = 12  # cases with a strip at the top of the page


def describe(review: Review) -> dict[str, Any]:
    """Return what the page shows before anybody has chosen a case."""
    headline = first_line.make_headline(review)
    step = headline.step
    return {
        "tone": headline.tone.name.lower(),
        "sentence": cut(headline.sentence, _TEXT),
        "facts": [cut(fact, _TEXT) for fact in headline.facts],
        "step": step and {"text": step.text, "url": project_links.find_page(step.heading)},
        "about": list(_describe_scene(review)),
        "run": page_links.find_run(review.scene.run_url, review.scene),
        "help": project_links.find_page("docs/reading.md"),
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
        yield f"head {page_links.short(scene.head_sha)}"
    if scene.base_sha:
        yield f"base {page_links.short(scene.base_sha)}"
    if scene.made_at:
        yield scene.made_at.replace("T", " ").replace("+00:00", " UTC")
    if review.version:
        yield f"agentevals {review.version}"


def _describe_config(review: Review, outcome: Outcome) -> dict[str, Any]:
    report = comparison.report_of(outcome)
    told = (describe_apart(outcome, review.scene.base_ref or "the base"), describe_power(outcome))
    why = outcome.against.reason if outcome.against.state is not None else ""
    return {
        "name": cut(
            " ".join(filter(None, (comment_digest.name_config(outcome), outcome.leg))), _TEXT
        ),
        "verdict": wording.name_verdict(outcome),
        "headline": wording.headline(report, outcome.unknown),
        "base": _name_base(outcome),
        "uncompared": cut(why, _TEXT),
        "figures": [_describe_row(row) for row in list_rows(outcome)],
        "told": [sentence for sentence in told if sentence],
        "findings": [_describe_finding(one, review) for one in outcome.findings[:_FINDINGS]],
        "trend": describe_trend(find_trend(outcome, review.scene)),
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
        filter(None, (page_links.short(origin.commit), origin.source, number, origin.path))
    )


def _describe_row(row: Row) -> dict[str, Any]:
    alone = msgspec.structs.replace(row, better=0, worse=0)
    return {
        "name": cut(row.name or row.figure, _TEXT),
        "cases": row.cases or NOTHING,
        "base": page_wording.figure(row.base, row.unit),
        "head": page_wording.figure(row.head, row.unit),
        "difference": page_wording.difference(alone, interval=True),
        "moved": _count_moved(row),
        "limit": cut(row.limit, _TEXT) or NOTHING,
        "verdict": "; ".join(page_wording.explain(row, str)) or NOTHING,
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


_TONES = {"❌": "bad", page_wording.WARNED: "warn", "✅": "good"}


def _choose_tone(row: Row) -> str:
    return _TONES.get(page_wording.sign(row), "plain")


def _describe_finding(found: Finding, review: Review) -> dict[str, Any]:
    place = Place(path=found.path, line=found.line)
    return {
        "severity": found.severity.value,
        "where": cut(f"{found.path}:{found.line}" if found.line else found.path, _TEXT),
        "url": page_links.find_url(place, review.scene),
        "message": cut(found.message, _TEXT),
        "help": project_links.find_help(found.rule),
    }


def find_trend(outcome: Outcome, scene: Scene) -> Trend:
    """Return the runs of the base branch with this run at the end; nothing without a history."""
    if not outcome.trend:
        return Trend()
    origin = Origin(commit=scene.head_sha, made_at=scene.made_at)
    cases = outcome.report.cases if outcome.report else ()
    return branch_trends.add_run(
        branch_trends.get_trend(outcome), baselines.make_point(outcome, origin), cases
    )


def describe_trend(trend: Trend) -> dict[str, Any]:
    """Return the points, and the strips of cases that did not always pass, worst first."""
    uneven = {name: strip for name, strip in trend.strips.items() if strip.strip("p-")}
    ranked = sorted(uneven.items(), key=lambda item: (item[1][-1:] in "p-", -_count_bad(item[1])))
    return {
        "points": [_describe_point(point) for point in trend.points],
        "strips": [{"id": cut(name, _NAME), "letters": strip} for name, strip in ranked[:_SHOWN]],
        "more": max(0, len(uneven) - _SHOWN),
        "even": len(trend.strips) - len(uneven),
    }


def _count_bad(strip: str) -> int:
    return sum(letter not in "p-" for letter in strip)


def _describe_point(point: Point) -> dict[str, Any]:
    figures: Sequence[tuple[str, float | None, Unit]] = (
        ("pass rate", point.pass_rate, Unit.SHARE),
        ("score", point.score, Unit.SCORE),
        ("cost", point.cost, Unit.MONEY),
        ("latency", point.latency, Unit.MILLISECONDS),
    )
    return {
        "commit": page_links.short(point.commit),
        "made_at": cut(point.made_at, _NAME),
        "figures": [
            {"name": name, "value": round_number(value), "text": page_wording.value(value, unit)}
            for name, value, unit in figures
        ],
    }
