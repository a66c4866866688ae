import pytest

from agentevals.graders.text.word_stems import split_stems, split_words, stem


@pytest.mark.parametrize(
    "pairs",
    [
        "caresses caress  ponies poni  cats cat  grass grass",
        "agreed agre  feed feed  plastered plaster  bled bled  motoring motor  sing sing",
        "conflated conflat  troubled troubl  sized size  hopping hop  tanned tan  falling fall",
        "hissing hiss  fizzed fizz  failing fail  filing file  snowed snow",
        "happy happi  enjoy enjoy  cry cri",
        "relational relat  conditional condit  rational ration  vietnamization vietnam",
        "operator oper  decisiveness decis  hopefulness hope  sensibility sensibl",
        "triplicate triplic  formalize formal  electrical electr  goodness good",
        "revival reviv  allowance allow  airliner airlin  adjustable adjust  replacement replac",
        "adoption adopt  communism commun  effective effect  bowdlerize bowdler",
        "probate probat  rate rate  cease ceas  controlling control  roll roll",
    ],
)
def test_the_steps_of_the_published_algorithm(pairs):
    words = pairs.split()

    assert [stem(word) for word in words[::2]] == words[1::2]


@pytest.mark.parametrize(
    "pairs",
    [
        "skies sky  dying die  news news  innings inning  proceed proceed",
        "as as  us us  ed ed",
        "dies die  ties tie  flies fli  tied tie  denied deni",
        "say say  by by  syllogy syllog",
        "formally formal  nationally nation",
        "possibly possibl  archaeology archaeolog  carefully care",
        "vermeille vermeil",
    ],
)
def test_the_customary_extensions(pairs):
    words = pairs.split()

    assert [stem(word) for word in words[::2]] == words[1::2]


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
