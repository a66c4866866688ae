import pytest

from agentevals.graders.text.embedding.tokens import Tokenizer
from tests.wordllama_stand_in import PIECES, tokenizer


def pieces(text):
    return [PIECES[number] for number in Tokenizer(tokenizer()).tokenise(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("abc", ["▁", "abc"]),
        ("ab ab", ["▁", "ab", "▁", "ab"]),
        ("ca", ["▁ca"]),
        ("bca", ["▁", "b", "c", "a"]),
        ("cab", ["▁c", "ab"]),  # the pair that comes first in the list is joined first
        ("aab", ["▁", "a", "ab"]),
        (" ", ["▁▁"]),
        ("   ", ["▁▁▁▁"]),
        ("    ", ["▁▁▁▁", "▁"]),
    ],
)
def test_neighbours_are_joined_in_the_order_of_the_list(text, expected):
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("é", ["▁", "<0xC3>", "<0xA9>"]),
        ("a\nb", ["▁", "a", "<0x0A>", "b"]),
        ("<0x0A>", ["▁", "<0x3C>", "<0x30>", "x", "<0x30>", "<0x41>", "<0x3E>"]),
    ],
)
def test_what_is_unknown_is_its_bytes(text, expected):
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<s>", ["<s>"]),
        ("ab</s>ab", ["▁", "ab", "</s>", "▁", "ab"]),
        ("<s><s> ", ["<s>", "<s>", "▁▁"]),
    ],
)
def test_what_stands_for_itself_is_a_piece(text, expected):
    assert pieces(text) == expected


def test_words_of_any_length_are_read():
    assert pieces("xy" * 5000) == ["▁", *["xy"] * 5000]


@pytest.mark.parametrize(
    "model", [{"type": "WordPiece"}, {"byte_fallback": False}, {"continuing_subword_prefix": "##"}]
)
def test_another_kind_is_refused(model):
    with pytest.raises(ValueError, match="of another kind"):
        Tokenizer(tokenizer(**model))
