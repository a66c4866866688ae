"""The history of the base branch in the page: figures run by run, and a strip for each case."""

from collections.abc import Sequence
from typing import Any

from agentevals.compare import baselines, trends
from agentevals.compare.trends import Trend
from agentevals.model.outcome import Origin, Outcome, Point, Unit
from agentevals.model.review import Scene
from agentevals.report.outputs.html.embedding import cut, round_number
from agentevals.report.pages import links, numbers

_NAME = 300  # characters
_SHOWN = 12  # cases with a strip at the top of the page


def find_trend(outcome: Outcome, scene: Scene) -> Trend:
    """Return the runs of the base branch with this run at the end; nothing without a history."""
    if not outcome.trend:
        return Trend()
    origin = Origin(commit=scene.head_sha, made_at=scene.made_at)
    cases = outcome.report.cases if outcome.report else ()
    return trends.add_run(trends.get_trend(outcome), baselines.make_point(outcome, origin), cases)


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
        "commit": links.short(point.commit),
        "made_at": cut(point.made_at, _NAME),
        "figures": [
            {"name": name, "value": round_number(value), "text": numbers.value(value, unit)}
            for name, value, unit in figures
        ],
    }
