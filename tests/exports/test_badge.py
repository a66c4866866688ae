import json

import msgspec
import pytest

from agentevals.exports.badge import render
from agentevals.review import Counts
from tests.exports.samples import GOOD, REVIEWS, infected, review


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
    badge = json.loads("".join(render(review(msgspec.structs.replace(GOOD, counts=counts)))))

    assert (badge["message"], badge["color"]) == ("not evaluated", "lightgrey")


@pytest.mark.parametrize("name", REVIEWS)
def test_nothing_foreign_is_on_it(name):
    assert "".join(render(infected(REVIEWS[name], "evil"))) == "".join(render(REVIEWS[name]))
