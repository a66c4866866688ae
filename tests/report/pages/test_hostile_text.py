from functools import cache
from itertools import islice

import pytest

from agentevals.report.pages import check_run_page, comment_digest, comment_page, summary_page
from agentevals.report.pages.check_run_page import make_status
from agentevals.report.pages.line_annotations import MESSAGE, MOST, TITLE, annotations
from agentevals.report.pages.page_links import is_within_repository
from agentevals.report.pages.page_shortening import CHECK, COMMENT, SUMMARY, characters, octets
from tests.hostile import COUNT, strings
from tests.report.pages.harmless import COMMAND, OBEYED, complaints
from tests.report.pages.hostile_reviews import hostile

BATCH = 400  # of more, a page would not show nearly all
EVERYTHING = 10_000_000


def make_batches():
    texts = strings()
    return [list(islice(texts, BATCH)) for _ in range(COUNT // BATCH)]


@cache
def batches():
    return make_batches()


@cache
def reviews():
    return [hostile(batch, trusted=number % 5 > 0) for number, batch in enumerate(batches())]


@cache
def checks():
    return [check_run_page.check(review) for review in reviews()]


PAGES = {
    "comment": lambda: [comment_page.render(review, EVERYTHING) for review in reviews()],
    "short comment": lambda: [comment_page.render(review) for review in reviews()],
    "summary": lambda: [summary_page.render(review) for review in reviews()],
    "check": lambda: [one.summary for one in checks()],
    "check text": lambda: [one.text for one in checks()],
}


@cache
def pages(name):
    """Render a page of every review once for all tests."""
    return PAGES[name]()


def test_the_corpus_is_large_and_always_the_same():
    assert sum(map(len, batches())) == COUNT
    assert make_batches() == batches()
    assert len(set().union(*batches())) > COUNT // 2


@pytest.mark.parametrize("page", PAGES)
def test_nothing_hostile_survives(page):
    found = [complaint for text in pages(page) for complaint in complaints(text)]

    assert found[:5] == []


def test_pages_keep_their_limits():
    assert max(map(characters, pages("short comment"))) <= COMMENT
    assert max(map(octets, pages("summary"))) <= SUMMARY
    assert max(map(octets, pages("check") + pages("check text"))) <= CHECK


def test_no_text_passes_for_a_marker_of_ours():
    whole = zip(reviews(), pages("comment"), pages("short comment"), strict=True)
    for review, body, short in whole:
        offers = len(review.rules.offers)
        assert body.count("<!--") == 1 + 2 * len(comment_digest.make_all(review)) + offers
        assert comment_page.contains(short, review)


def test_what_is_shown_as_plain_text_holds_nothing_to_obey():
    plain = []
    for review, made in zip(reviews(), checks(), strict=True):
        plain += [made.title, make_status(review).description]
        plain += [text for one in annotations(review) for text in (one.title, one.message)]
    found = [text for text in plain if OBEYED.search(text) or COMMAND.search(text)]

    assert found[:5] == []


def test_annotations_stay_within_the_repository_and_their_limits():
    shown = [one for review in reviews() for one in annotations(review)]

    assert max(len(annotations(review)) for review in reviews()) <= MOST
    assert all(is_within_repository(one.path) and one.line > 0 for one in shown)
    assert all(len(one.title) <= TITLE and octets(one.message) <= MESSAGE for one in shown)
    assert len(shown) > 100
