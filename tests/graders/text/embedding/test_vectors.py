import pytest

from agentevals.graders.text.embedding.vectors import Vectors
from tests.wordllama_stand_in import LETTERS, PIECES, weights

A, AB = PIECES.index("a"), PIECES.index("ab")


def mean(tokens):
    return Vectors(weights(), rows=len(PIECES)).mean(tokens)


def test_a_text_is_the_mean_of_its_pieces():
    assert mean([A, A, AB, AB])[:3] == [1, 0.5, 0]


def test_a_text_of_many_pieces_is_too():
    assert mean([*range(len(PIECES))] * 3) == mean(range(len(PIECES)))


def test_a_text_without_pieces_has_no_length():
    assert mean([]) == [0] * len(LETTERS)


@pytest.mark.parametrize("table", [{"dtype": "F32"}, {"shape": [5, 26]}])
def test_another_kind_is_refused(table):
    with pytest.raises(ValueError, match="of another kind"):
        Vectors(weights(**table), rows=len(PIECES))


@pytest.mark.parametrize("length", [0, 7, -1])
def test_what_is_cut_off_is_refused(length):
    with pytest.raises(ValueError, match="cut off"):
        Vectors(weights()[:length], rows=len(PIECES))
