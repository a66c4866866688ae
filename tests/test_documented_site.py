"""The pages lead to each other, and to an answer within three clicks."""

import re

import pytest
import yaml

from tests.site import drawings
from tests.site.__main__ import list_entries
from tests.site.pages import ROOT, list_others, list_pages
from tests.site.questions import QUESTIONS
from tests.support import UPDATE

PAGES = {page.name: page for page in list_pages()}
OTHERS = {page.name: page for page in list_others()}
ALL = PAGES | OTHERS
CLICKS = 3
# generated pages of which the navigation has only the list
ONE_BY_ONE = {
    name
    for name in PAGES
    if name.startswith(("docs/rules/", "docs/types/")) and not name.endswith("/README.md")
}
NAVIGATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]


@pytest.mark.parametrize("page", ALL.values(), ids=ALL)
def test_every_link_leads_somewhere(page):
    missing = [
        (name, anchor)
        for name, anchor in page.links
        if not (ROOT / name).exists() or (anchor and anchor not in ALL[name].anchors)
    ]

    assert missing == []


def test_the_navigation_has_every_page_once():
    listed = list_entries(NAVIGATION)

    assert len(listed) == len(set(listed))
    assert {f"docs/{path}" for path in listed} == {name for name in PAGES if name not in ONE_BY_ONE}


def reached(start):
    """The pages within three clicks."""
    found, edge = {start}, {start}
    for _ in range(CLICKS):
        edge = {name for one in edge for name, _ in PAGES[one].links if name in PAGES} - found
        found |= edge
    return found


@pytest.mark.parametrize("question", QUESTIONS, ids=[each.asked for each in QUESTIONS])
def test_every_question_is_answered_within_three_clicks(question):
    name = f"docs/{question.page}"

    assert name in reached("docs/index.md")
    assert not question.anchor or question.anchor in PAGES[name].anchors


def test_all_pages_are_within_three_clicks():
    assert PAGES.keys() - ONE_BY_ONE - reached("docs/index.md") == set()


@pytest.mark.parametrize("name", drawings.DRAWINGS)
def test_a_drawing_is_what_the_generator_draws(name):
    path = drawings.FOLDER / f"{name}.svg"

    assert path.read_text(encoding="utf-8") == drawings.draw(drawings.DRAWINGS[name]), UPDATE


def test_every_drawing_is_shown_with_words_for_those_who_cannot_see_it():
    shown = [
        found
        for page in PAGES.values()
        for found in re.findall(r"!\[([^\]]+)\]\(\.\./images/drawings/(\w+)\.svg\)", page.text)
    ]

    assert {name for _, name in shown} == drawings.DRAWINGS.keys()
    assert all(about.strip() for about, _ in shown)
