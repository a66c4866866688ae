import pytest

from agentevals.graders.text.metrics.porter import stem


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
