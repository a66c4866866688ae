"""docs/statistics.md: its examples and tables are what the product says."""

import re

import msgspec
import pytest

from agentevals.compare.statistics import confidence_intervals, significance
from agentevals.model.outcome import FailOn
from agentevals.model.policy import Limit
from agentevals.report.pages import page_wording
from agentevals.report.pages.figure_rows import Row
from tests.compare.runs import against, run
from tests.simulate import chooser, tables
from tests.simulate.limits import judge
from tests.simulate.pull_requests import Drawn, measure_figure
from tests.support import DOCS

NAMES = ("statistics", "statistics-measured")
PAGE = "\n".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in NAMES)
SPENT = (1.1, 0.9, 1.2, 1.05, 1.0, 1.3, 0.95, 1.1, 1.15, 1.2)


_PARTS = re.MULTILINE | re.DOTALL


def section(heading):
    """A part of the page in one line."""
    (found,) = re.findall(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE, _PARTS)
    return " ".join(found.split())


def write(figure, cases, limit):
    """The difference as the comment shows it, and the reason of the gate."""
    gate = judge(measure_figure(figure, cases), limit)
    told = page_wording.difference(gate, interval=True).replace(page_wording.TIED, " ")
    return f"`{told}`", gate.reason


def single(both, only_base=0, only_head=0, neither=0):
    sides = {(1, 1): both, (1, 0): only_base, (0, 1): only_head, (0, 0): neither}
    return [Drawn([was], [now]) for (was, now), times in sides.items() for _ in range(times)]


@pytest.mark.parametrize(
    ("heading", "figure", "cases", "limit"),
    [
        ("Pass rates", "pass_rate", single(90, 6, 1, 3), Limit(max_drop=0.02)),
        ("Pass rates", "pass_rate", single(30), Limit(max_drop=0.05)),
        (
            "Scores, attempts and few cases",
            "score",
            [*[Drawn([0.9], [0.9])] * 9, Drawn([0.9], [0.5])],
            Limit(max_drop=0.05),
        ),
        (
            "Scores, attempts and few cases",
            "pass_rate",
            [*[Drawn([1] * 10, [1] * 10)] * 8, *[Drawn([1] * 10, [1] * 6 + [0] * 4)] * 2],
            Limit(max_drop=0.05),
        ),
        (
            "Many scores",
            "score",
            [Drawn([0.8], [0.8 + step / 100]) for step in (-4, -3, -2, -1, 0, 1, 2, 3) * 5],
            Limit(max_drop=0.03),
        ),
        (
            "Cost, tokens and latency",
            "cost",
            [Drawn([at], [at * ratio]) for at, ratio in enumerate(SPENT, start=1)],
            Limit(max_ratio=1.2),
        ),
        (
            "Cost, tokens and latency",
            "latency",
            [Drawn([1000], [1000 * ratio]) for ratio in SPENT],
            Limit(max_ratio=1.5),
        ),
        (
            "Cost, tokens and latency",
            "latency",
            [Drawn([1000], [1000 * ratio]) for ratio in SPENT * 4],
            Limit(max_ratio=1.5),
        ),
    ],
)
def test_an_example_is_what_the_comment_shows(heading, figure, cases, limit):
    shown, reason = write(figure, cases, limit)

    assert shown in section(heading)
    assert reason in section(heading)


DROP = Limit(max_drop=0.05)
FREE = Limit()


@pytest.mark.parametrize(
    ("cases", "limit", "interval", "end"),
    [
        (single(60, 40), DROP, "lies beyond the limit (adjusted p ≤ 5 %)", "fails"),
        (single(30), DROP, "has the limit inside", "[`on_inconclusive`]"),
        (single(90, 2, 6, 2), DROP, "keeps the limit", "passes"),
        (single(300), DROP, "keeps the limit, and the same limit of a rise", "passes"),
        (single(60, 0, 40), DROP, "is better than the base", "passes"),
        (single(30), FREE, "no case differs", "–"),  # noqa: RUF001 -- of the page
        (single(90, 6, 1, 3), FREE, "has no change (0, or ×1) inside", "–"),  # noqa: RUF001
        (single(60, 40), FREE, "is worse than the base (adjusted p ≤ 5 %)", "warns"),
        (single(60, 0, 40), FREE, "is better than the base (adjusted p ≤ 5 %)", "–"),  # noqa: RUF001
    ],
)
def test_a_figure_has_the_word_of_the_table(cases, limit, interval, end):
    gate = judge(measure_figure("pass_rate", cases), limit)
    row = Row(**msgspec.structs.asdict(gate), by_interval=limit.compares)
    told = (
        "; ".join(page_wording.explain(row, str)) or page_wording.difference(gate).split(": ")[-1]
    )
    word = re.sub(r" \(adjusted.*|, .* would decide", "", told.replace(page_wording.TIED, " "))

    kind = "a limit of the change" if limit.compares else "no limit"
    assert f"| {kind} | {interval} | `{word}` | {end}" in section("From the figure to the gate")
    assert page_wording.sign(row) == SIGNS[end]


SIGNS = {
    "fails": "❌",
    "[`on_inconclusive`]": "⚠️",
    "warns": "⚠️",
    "passes": "✅",
    "–": "•",  # noqa: RUF001
}


def test_a_rate_of_one_run_has_the_interval_of_the_page():
    low, high = confidence_intervals.wilson(27, 30)

    assert f"27 of 30 is {low:.1%} to {high:.1%}".replace("%", " %") in section("Pass rates")


@pytest.mark.parametrize(
    ("cases", "lost", "attempts", "code"), [(30, 4, 1, 0), (30, 5, 1, 1), (300, 1, 1, 0)]
)
def test_a_decision_is_that_of_the_page(cases, lost, attempts, code):
    names = [f"case {at:03}" for at in range(cases)]
    base = run(dict.fromkeys(names, 1.0))
    head = run({name: float(at >= lost) for at, name in enumerate(names)})

    ended = against(head, base, fail_on=FailOn.REGRESSED)

    row = f"| {lost} of {cases:,} cases fell, none rose | {ended.decline.p_value:.3f} |"
    assert row in section("Has the agent got worse?")
    assert ended.exit_code == code


def test_attempts_tell_the_noise_of_a_case():
    names = [f"case {at:03}" for at in range(30)]
    base = run({name: [1.0] * 10 for name in names})
    head = run({name: [1.0] * 10 for name in names} | {"case 000": [1.0] * 5 + [0.0] * 5})

    ended = against(head, base, fail_on=FailOn.REGRESSED)

    row = f"| 1 of 30 cases fell, from 10 of 10 attempts to 5 | {ended.decline.p_value:.3f} |"
    assert row in section("Has the agent got worse?")
    assert ended.exit_code == 1


def test_one_case_with_attempts_is_tested_by_fishers_test():
    assert f"`p = {significance.fell(10, 0, 6, 4):.3f}`" in section("One case")


@pytest.mark.parametrize(
    ("adjust", "name"),
    [(significance.holm, "Holm"), (significance.benjamini_hochberg, "Benjamini and Hochberg")],
)
def test_p_values_are_adjusted_as_in_the_example(adjust, name):
    adjusted = ", ".join(f"{p:.2f}" for p in adjust([0.01, 0.03, 0.04]))

    assert f"{name}: {adjusted}" in section("Several questions at once")


def test_the_tables_of_needed_cases_are_those_of_the_product():
    assert chooser.render_page() == chooser.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("promise", tables.PROMISES, ids=lambda promise: promise.name)
def test_the_page_says_every_promise_and_that_it_is_kept(promise):
    (row,) = re.findall(rf"^\| {promise.name} \| (.+) \|$", PAGE, re.MULTILINE)

    assert row.startswith(promise.sentence)
    assert row.endswith("| yes")
