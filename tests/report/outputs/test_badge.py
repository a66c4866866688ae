import json

import pytest
from msgspec.structs import replace

from agentevals.model.outcome import Counts
from agentevals.report.outputs.badge import render
from tests.report.outputs.samples import GOOD, REVIEWS, infected, review


@pytest.mark.parametrize(
    ("name", "message", "colour"),
    [
        ("passed", "1 of 1 passed", "brightgreen"),
        ("failed", "1 of 3 passed, 1 regressed", "red"),
        ("broken", "error", "lightgrey"),
        ("running", "running", "blue"),
        ("unchanged", "not evaluated", "lightgrey"),
    ],
)
def test_a_badge_is_the_verdict_in_three_words(name, message, colour):
    assert json.loads("".join(render(REVIEWS[name]))) == {
        "schemaVersion": 1,
        "label": "agent evals",
        "message": message,
        "color": colour,
    }


@pytest.mark.parametrize("counts", [Counts(), Counts(cases=4, unscored=4)])
def test_a_run_without_a_score_is_not_green(counts):
    badge = json.loads("".join(render(review(replace(GOOD, counts=counts)))))

    assert (badge["message"], badge["color"]) == ("not evaluated", "lightgrey")


def test_an_accepted_failure_is_on_it():
    (section,) = REVIEWS["passed"].sections
    counts = Counts(cases=4, passed=3, failed=1, accepted=1)
    accepting = replace(REVIEWS["passed"], sections=(replace(section, counts=counts),))

    badge = json.loads("".join(render(accepting)))

    assert (badge["message"], badge["color"]) == ("3 of 4 passed, 1 accepted", "brightgreen")


@pytest.mark.parametrize("name", REVIEWS)
def test_nothing_foreign_is_on_it(name):
    assert "".join(render(infected(REVIEWS[name], "evil"))) == "".join(render(REVIEWS[name]))
