from itertools import islice

import pytest

from agentevals.report.pages import check, comment, digest, sticky, summary
from agentevals.report.pages.annotations import MESSAGE, MOST, TITLE, annotations
from agentevals.report.pages.links import within_repository
from agentevals.report.pages.stages import CHECK, COMMENT, SUMMARY, characters, octets
from agentevals.report.pages.status import status
from tests.hostile import COUNT, strings
from tests.report.pages.harmless import COMMAND, OBEYED, complaints
from tests.report.pages.hostile_reviews import hostile

BATCH = 200
EVERYTHING = 10_000_000


def batches():
    texts = strings()
    return [list(islice(texts, BATCH)) for _ in range(COUNT // BATCH)]


BATCHES = batches()
REVIEWS = [hostile(batch, trusted=number % 5 > 0) for number, batch in enumerate(BATCHES)]
PAGES = {
    "comment": lambda review: comment.render(review, EVERYTHING),
    "short comment": comment.render,
    "summary": summary.render,
    "check": lambda review: check.check(review).summary,
    "check text": lambda review: check.check(review).text,
}


def test_the_corpus_is_large_and_always_the_same():
    assert sum(map(len, BATCHES)) == COUNT
    assert batches() == BATCHES
    assert len(set().union(*BATCHES)) > COUNT // 2


@pytest.mark.parametrize("page", PAGES)
def test_nothing_hostile_survives(page):
    found = [complaint for review in REVIEWS for complaint in complaints(PAGES[page](review))]

    assert found[:5] == []


def test_pages_keep_their_limits():
    sizes = [
        (
            characters(comment.render(review)) <= COMMENT,
            octets(summary.render(review)) <= SUMMARY,
            octets(check.check(review).summary) <= CHECK,
            octets(check.check(review).text) <= CHECK,
        )
        for review in REVIEWS
    ]

    assert set(sizes) == {(True, True, True, True)}


def test_no_text_passes_for_a_marker_of_ours():
    for review in REVIEWS:
        body = comment.render(review, EVERYTHING)

        assert body.count("<!--") == 1 + 2 * len(digest.of(review))
        assert sticky.contains(comment.render(review), review)


def test_what_is_shown_as_plain_text_holds_nothing_to_obey():
    plain = []
    for review in REVIEWS:
        plain += [check.check(review).title, status(review).description]
        plain += [text for one in annotations(review) for text in (one.title, one.message)]
    found = [text for text in plain if OBEYED.search(text) or COMMAND.search(text)]

    assert found[:5] == []


def test_annotations_stay_within_the_repository_and_their_limits():
    shown = [one for review in REVIEWS for one in annotations(review)]

    assert max(len(annotations(review)) for review in REVIEWS) <= MOST
    assert all(within_repository(one.path) and one.line > 0 for one in shown)
    assert all(len(one.title) <= TITLE and octets(one.message) <= MESSAGE for one in shown)
    assert len(shown) > 100
