import pytest

from agentevals.text import harmless_lines
from tests.report.outputs.reports import HOSTILE
from tests.report.outputs.samples import OBEYED


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_text_is_obeyed(text):
    for cleaned in (
        harmless_lines.one_line(text),
        harmless_lines.name(text),
        harmless_lines.lines(text),
    ):
        assert not OBEYED.search(cleaned)
        assert len(cleaned) < 200_000


def test_lines_stay_lines():
    assert (
        harmless_lines.lines("one\r\n\n  two\x0bthree\n::four::")
        == "one\ntwo\nthree\n\u2236:four::"
    )


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_name_is_never_empty(text):
    assert harmless_lines.name(text) == "(unnamed)"


def test_a_name_is_short():
    assert len(harmless_lines.name("x" * 10_000)) < 300
