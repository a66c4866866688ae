import pytest

from agentevals.graders.text.metrics.tokens import split_stems, split_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", "hello world"),
        ("state-of-the-art snake_case", "state of the art snake case"),
        ("don't", "don t"),
        ("1,000.5", "1 000 5"),
        ("a\u00a0b\nc", "a b c"),
        ("**bold** `f(1)`", "bold f 1"),
        ("\uff21\uff22\uff23 ﬁne x² ①", "abc fine x2 1"),
        ("ΟΔΟΣ Straße", "οδος straße"),
        ("Привет, мир!", "привет мир"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("مرحبا بالعالم", "مرحبا بالعالم"),
        ("北京 is 京", "北 京 is 京"),
        ("テスト한글", "テ ス ト 한 글"),
        ("a漢b", "a 漢 b"),
        ("สวัสดี", "ส วั ส ดี"),
        ("กa b", "กa b"),
        ("😀 !?", ""),
        ("", ""),
    ],
)
def test_words(text, expected):
    assert split_words(text) == expected.split()


def test_plain_words_of_more_than_three_letters_are_stemmed():
    assert split_stems("Cats was running") == ["cat", "was", "run"]


def test_other_scripts_are_not_stemmed():
    assert split_stems("cafés") == ["cafés"]
