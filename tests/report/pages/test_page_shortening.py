import re

import pytest

from agentevals.report.pages import comment_page, page_layout
from agentevals.report.pages.page_shortening import COMMENT, FULL, STAGES, characters, octets
from tests.report.pages.harmless import complaints
from tests.report.pages.hostile_reviews import hostile
from tests.report.pages.reviews import CASES, FAILING, GATES, review, section

HUGE = section(
    verdict=FAILING.verdict,
    exit_code=1,
    gates=GATES * 30,
    highlights=CASES * 100,
    findings=FAILING.findings,
    counts=FAILING.counts,
    trend=FAILING.trend,
)
SHRINKING = review(HUGE)
LONG = hostile(["w" * 5_000, "it broke " * 300, "| a | b |", "```"])


def page(stage):
    return page_layout.page(page_layout.parts(SHRINKING, stage))


def test_every_stage_is_smaller_than_the_one_before():
    sizes = [characters(page(stage)) for stage in STAGES]

    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(STAGES)


@pytest.mark.parametrize("stage", STAGES[1:], ids=lambda stage: stage.name)
def test_what_is_left_out_is_said_in_one_line(stage):
    said = re.findall(r"^\*Left out to fit: (.*); all of it is in .*\*$", page(stage), re.MULTILINE)

    assert said == [stage.left_out]


def test_nothing_is_left_out_where_there_is_room():
    assert "Left out" not in page(FULL)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_the_answer_and_the_failures_are_the_last_to_go(stage):
    shown = page(stage)

    assert "Not ready to merge: 60 of 180 gates fail." in shown
    assert ("❌ below the limit" in shown) is (stage.name != "link")
    assert ("#### Regressed" in shown) is (stage.name not in {"gates only", "link"})


@pytest.mark.parametrize("subject", [SHRINKING, LONG], ids=["many", "long"])
@pytest.mark.parametrize("limit", [*range(1_500, 20_000, 1_300), 40_000, COMMENT])
def test_whatever_the_limit_the_page_fits_and_everything_is_closed(subject, limit):
    body = comment_page.render(subject, limit)

    assert characters(body) <= limit
    assert complaints(body) == []


@pytest.mark.parametrize(
    ("text", "units", "length"), [("a", 1, 1), ("é", 1, 2), ("日", 1, 3), ("👩", 2, 4)]
)
def test_a_comment_is_counted_in_units_and_a_check_in_bytes(text, units, length):
    assert (characters(text), octets(text)) == (units, length)
