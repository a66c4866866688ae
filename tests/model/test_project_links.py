"""The pages that messages link to have the headings that the links name."""

import re

import pytest

from agentevals.model import project_links
from tests.support import DOCS


def list_anchors(page):
    """The anchors that GitHub makes of the headings of a page."""
    text = (DOCS.parent / page).read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("rule", project_links.HELP)
def test_each_link_of_a_message_leads_to_a_heading(rule):
    page, _, anchor = project_links.HELP[rule].partition("#")

    assert anchor in list_anchors(page)
    assert project_links.find_help(rule) == f"{project_links.REPOSITORY}/blob/main/{page}#{anchor}"


def test_what_explains_itself_has_no_link():
    assert project_links.find_help("gate") == ""


# what no finding names; people find it by the words of the heading
FOUND_BY_WORDS = {
    "a-file-is-not-a-known-trace-format",
    "a-registry-cannot-be-used",
    "an-evaluator-is-in-error",
    "not-affected",
    "rule-change-needs-approval",
    "the-sandbox-does-not-hold-here",
    "there-is-no-baseline",
    "there-is-no-comment",
    "too-few-cases-to-tell",
    "troubleshooting",
}


def test_every_heading_is_linked_or_found_by_its_words():
    linked = {target.partition("#")[2] for target in project_links.HELP.values()}

    assert list_anchors("docs/troubleshooting.md") - FOUND_BY_WORDS == linked
