import pytest

from agentevals.report.outputs import comment
from agentevals.report.pages.page_shortening import COMMENT, characters
from tests.report.outputs.samples import REVIEWS


@pytest.mark.parametrize("state", REVIEWS)
def test_it_says_what_the_pull_request_is_told(state):
    text = "".join(comment.render(REVIEWS[state]))

    assert text.startswith("<!-- agentevals:v1 key=")
    assert text.splitlines()[1].startswith("> [!")
    assert characters(text) <= COMMENT
