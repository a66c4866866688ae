import pytest

from agentevals.graders.judged.questions.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("...", []),
        ("Paris is sunny. It is 30C.", ["Paris is sunny.", "It is 30C."]),
        ("Pi is 3.14! Really? Yes", ["Pi is 3.14!", "Really?", "Yes"]),
        ("42", ["42"]),
        ("one\ntwo\n\nthree", ["one", "two", "three"]),
        ("1. First\n2) Second\n- Third\n# Fourth", ["First", "Second", "Third", "Fourth"]),
        ("パリは晴れ。三十度です。", ["パリは晴れ。", "三十度です。"]),
        ("Run:\n```py\na = 1. \nb\n```\nDone.", ["Run:", "```py\na = 1. \nb\n```", "Done."]),
        ("```\nnever closed. x", ["```\nnever closed. x"]),
    ],
)
def test_sentences_lines_and_blocks(text, found):
    assert split_sentences(text) == found


def test_a_hostile_text_takes_no_time():
    assert len(split_sentences("``" * 20_000 + ". " * 20_000 + "a " * 20_000)) == 1
