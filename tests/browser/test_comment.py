import json
import re
from html import unescape

import pytest

from agentevals.model import project_links
from agentevals.report.pages import comment_page
from tests.browser import chromium
from tests.browser.html import document
from tests.browser.picture import PICTURE, draw
from tests.report.pages.reviews import REVIEWS

FACTS = """
const comment = document.querySelector('.comment');
const all = [...comment.querySelectorAll('*')];
document.title = JSON.stringify({
  overflow: comment.scrollWidth - comment.clientWidth,
  clipped: all.filter(e => e.offsetParent && e.getBoundingClientRect().right > 900).length,
  open: comment.querySelectorAll('details[open]').length,
  nested: all.filter(e => e.matches('details') && !e.querySelector('summary')).length,
  requests: performance.getEntriesByType('resource').length,
  links: [...comment.querySelectorAll('a')].map(a => a.href),
  embedded: comment.querySelectorAll('img, iframe, script, object, video, style').length,
  alerts: comment.querySelectorAll('.markdown-alert').length,
  markers: comment.innerText.includes('agentevals:section'),
  first: comment.innerText.split('\\n').filter(line => line.trim())[1],
});
"""


def facts(tab, path, markdown):
    path.write_text(document(markdown, chromium.style(), FACTS), encoding="utf-8")
    written = tab.visit(path.as_uri(), width=900)
    return json.loads(unescape(re.search(r"<title>(.*?)</title>", written, re.DOTALL).group(1)))


@pytest.fixture(scope="module", params=REVIEWS)
def seen(tab, request, tmp_path_factory):
    path = tmp_path_factory.mktemp("comment") / "comment.html"
    return facts(tab, path, comment_page.render(REVIEWS[request.param]))


def test_nothing_is_wider_than_a_comment(seen):
    assert (seen["overflow"], seen["clipped"]) == (0, 0)


def test_details_are_folded_and_each_has_its_summary(seen):
    assert (seen["open"], seen["nested"]) == (0, 0)


def test_nothing_is_fetched_and_nothing_embedded(seen):
    assert (seen["requests"], seen["embedded"]) == (0, 0)


def test_links_stay_in_the_repository_and_on_our_pages(seen):
    known = ("https://github.example/shop/support-agent/", project_links.find_page("docs/"))

    assert [link for link in seen["links"] if not link.startswith(known)] == []


def test_there_is_one_alert_and_its_sentence_comes_first(seen):
    assert seen["alerts"] == 1
    assert re.search(r"merge|running|approval|[Nn]ot evaluated", seen["first"])


def test_what_is_hidden_stays_hidden(seen):
    assert seen["markers"] is False


def test_a_comment_can_be_drawn(tmp_path):
    picture = tmp_path / "comment.png"
    draw(REVIEWS["failed"], picture)
    width = int.from_bytes(picture.read_bytes()[16:20], "big")

    assert width == 934
    assert 50_000 < picture.stat().st_size < 300_000


def test_the_picture_of_the_readme_is_small():
    assert PICTURE.stat().st_size < 220_000
