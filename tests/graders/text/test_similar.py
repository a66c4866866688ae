import sys

import pytest

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.text import similar
from agentevals.graders.text.similar import Similar, Tokenizer, Vectors
from agentevals.model.cases import Status
from agentevals.model.errors import EvaluatorError
from tests import wordllama_stand_in
from tests.graders.text.recorded_similarities import RECORDED
from tests.support import case
from tests.wordllama_stand_in import LETTERS, PIECES, tokenizer, weights

TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
WEIGHTS = "weights/l2_supercat_256.safetensors"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(wordllama_stand_in.written_to(tmp_path))
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)
    return tmp_path / "wordllama"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("value", "score", "status"),
    [
        ("abc", 1.0, Status.PASSED),
        (["xyz", "abc"], 1.0, Status.PASSED),
        ("xyz", 0.5, Status.FAILED),
    ],
)
def test_the_nearest_text_counts(value, score, status):
    result = grade_case(Similar(name="s", value=value), case("abc"), Services())

    assert result.score == pytest.approx(score)
    assert result.status is status


@pytest.mark.usefixtures("folder")
def test_a_sentence_says_how_near():
    grade = Similar(name="s", value=["xyz", "abc"]).grade(case("abc"), Services())

    assert grade.hits == ('Output is similar to "abc" (similarity: 1.00, threshold: 0.75)',)
    assert len(grade.details["similarities"]) == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("answer", ["", "  \n", None])
def test_an_empty_answer_is_like_nothing(answer):
    assert Similar(name="s", value="abc").grade(case(answer), Services()).score == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("value", ["", [], [""], 5, None])
def test_there_has_to_be_a_text(value):
    with pytest.raises(ValueError, match="value"):
        Similar(name="s", value=value)


@pytest.mark.usefixtures("folder")
def test_it_is_said_beforehand_whether_texts_can_be_compared():
    assert Similar(name="s", value="abc").problems() == []


def test_the_same_text_is_nearest(folder):
    same, near, far = similar.compute_cosines("abc", ("abc", "abd", "xyz"))

    assert same == pytest.approx(1)
    assert near == pytest.approx(2 / 3)
    assert far == 0


@pytest.mark.parametrize("text", ["", " ", "😀"])
def test_nothing_is_near_a_text_that_says_nothing(folder, text):
    assert similar.compute_cosines("abc", (text,)) == [0]
    assert similar.compute_cosines(text, ("abc",)) == [0]


def test_half_characters_and_long_texts_are_read(folder):
    assert similar.compute_cosines("abc\ud800", ("abc" * similar.LONGEST,))[0] == pytest.approx(1)


def test_the_package_is_not_imported(folder):
    similar.compute_cosines("abc", ("abd",))

    assert "wordllama" not in sys.modules


@pytest.mark.parametrize("name", [TOKENS, WEIGHTS])
def test_a_package_without_its_data_is_an_error(folder, name):
    (folder / name).unlink()

    assert f"it has no {name}" in similar.find_obstacle()
    with pytest.raises(EvaluatorError, match=r"cannot be used: it has no .*; run: pip install"):
        similar.compute_cosines("a", ("b",))


@pytest.mark.parametrize("name", [TOKENS, WEIGHTS])
@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\x00" * 7, b"\xff" * 100, b"null"])
def test_damaged_data_is_an_error(folder, name, data):
    (folder / name).write_bytes(data)

    assert similar.find_obstacle() == ""
    with pytest.raises(EvaluatorError, match=r"cannot be used: .*; run: pip install"):
        similar.compute_cosines("a", ("b",))


def test_where_the_package_is_missing_there_is_a_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)  # as Python marks what cannot be imported

    with pytest.raises(EvaluatorError, match="run: pip install wordllama"):
        similar.compute_cosines("a", ("b",))


@pytest.mark.parametrize(("one", "other", "cosine"), RECORDED)
def test_the_real_data_says_what_the_package_says(one, other, cosine):
    assert similar.compute_cosines(one, (other,))[0] == pytest.approx(cosine, abs=1e-4)


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


A, AB = PIECES.index("a"), PIECES.index("ab")


def compute_mean(tokens):
    return Vectors(weights(), rows=len(PIECES)).mean(tokens)


def test_a_text_is_the_mean_of_its_pieces():
    assert compute_mean([A, A, AB, AB])[:3] == [1, 0.5, 0]


def test_a_text_of_many_pieces_is_too():
    assert compute_mean([*range(len(PIECES))] * 3) == compute_mean(range(len(PIECES)))


def test_a_text_without_pieces_has_no_length():
    assert compute_mean([]) == [0] * len(LETTERS)


@pytest.mark.parametrize("table", [{"dtype": "F32"}, {"shape": [5, 26]}])
def test_vectors_of_another_kind_are_refused(table):
    with pytest.raises(ValueError, match="of another kind"):
        Vectors(weights(**table), rows=len(PIECES))


@pytest.mark.parametrize("length", [0, 7, -1])
def test_what_is_cut_off_is_refused(length):
    with pytest.raises(ValueError, match="cut off"):
        Vectors(weights()[:length], rows=len(PIECES))
