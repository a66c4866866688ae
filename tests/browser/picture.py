"""`docs/images/comment.png`, the picture of the README: the comment on a pull request that fails.

`python -m tests.browser.picture` draws it anew.
"""

import re
import sys
from pathlib import Path

import msgspec

from agentevals.model.review import Review
from agentevals.model.version import VERSION
from agentevals.report.pages import comment_page
from tests.browser import chromium
from tests.browser.html import document
from tests.report.pages.reviews import REVIEWS

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "comment.png"
WIDTH, MARGIN = 934, 16
# as a reader has left it who wanted to know what the agent did
PREPARE = """
document.querySelector('details')?.setAttribute('open', '');
document.title = document.querySelector('.framed').offsetHeight;
"""


def draw(review: Review, picture: Path) -> None:
    """As high as the comment is, and of the version that draws it."""
    current = msgspec.structs.replace(review, version=VERSION)
    page = document(comment_page.render(current), chromium.style(), PREPARE, framed=True)
    height = re.search(r"<title>(\d+)</title>", chromium.dom(page, width=WIDTH))
    assert height is not None
    chromium.screenshot(page, picture, width=WIDTH, height=int(height.group(1)) + 2 * MARGIN)


if __name__ == "__main__":
    chosen, *elsewhere = [*sys.argv[1:], "failed"] if len(sys.argv) < 2 else sys.argv[1:]
    draw(REVIEWS[chosen], Path(elsewhere[0]) if elsewhere else PICTURE)
