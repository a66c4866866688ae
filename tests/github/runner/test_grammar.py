import pytest

from tests.github.runner.grammar import Command, commands


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("::error::x", Command("error", {}, "x")),
        ("\u3000 ::error::x", Command("error", {}, "x")),
        (
            "::ERROR file=a%2Cb,line=1::x%0Ay%250A",
            Command("ERROR", {"file": "a,b", "line": "1"}, "x\ny%0A"),
        ),
        ("said ##[add-mask]x", Command("add-mask", {}, "x")),
        ("##[set-output name=a%3Bb;]x]y", Command("set-output", {"name": "a;b"}, "x]y")),
        ("quiet\r::group::x", Command("group", {}, "x")),
        ("::nothing::##[error]x", Command("error", {}, "x")),
    ],
)
def test_what_the_runner_would_obey_is_found(log, found):
    assert commands(log) == [found]


@pytest.mark.parametrize(
    "log", ["", "x ::error::y", "::error:x", "::nothing::x", "##[error", "# #[error]"]
)
def test_everything_else_is_text(log):
    assert commands(log) == []
