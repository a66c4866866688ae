import sys

import pytest

from agentevals.graders.text import embedding
from agentevals.model.errors import EvaluatorError
from tests import wordllama_stand_in
from tests.graders.text.embedding.recorded import RECORDED

TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
WEIGHTS = "weights/l2_supercat_256.safetensors"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(wordllama_stand_in.written_to(tmp_path))
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)
    return tmp_path / "wordllama"


def test_the_same_text_is_nearest(folder):
    same, near, far = embedding.compute_cosines("abc", ("abc", "abd", "xyz"))

    assert same == pytest.approx(1)
    assert near == pytest.approx(2 / 3)
    assert far == 0


@pytest.mark.parametrize("text", ["", " ", "😀"])
def test_nothing_is_near_a_text_that_says_nothing(folder, text):
    assert embedding.compute_cosines("abc", (text,)) == [0]
    assert embedding.compute_cosines(text, ("abc",)) == [0]


def test_half_characters_and_long_texts_are_read(folder):
    assert embedding.compute_cosines("abc\ud800", ("abc" * embedding.LONGEST,))[0] == pytest.approx(
        1
    )


def test_the_package_is_not_imported(folder):
    embedding.compute_cosines("abc", ("abd",))

    assert "wordllama" not in sys.modules


@pytest.mark.parametrize("name", [TOKENS, WEIGHTS])
def test_a_package_without_its_data_is_an_error(folder, name):
    (folder / name).unlink()

    assert f"it has no {name}" in embedding.find_obstacle()
    with pytest.raises(EvaluatorError, match=r"cannot be used: it has no .*; run: pip install"):
        embedding.compute_cosines("a", ("b",))


@pytest.mark.parametrize("name", [TOKENS, WEIGHTS])
@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\x00" * 7, b"\xff" * 100, b"null"])
def test_damaged_data_is_an_error(folder, name, data):
    (folder / name).write_bytes(data)

    assert embedding.find_obstacle() == ""
    with pytest.raises(EvaluatorError, match=r"cannot be used: .*; run: pip install"):
        embedding.compute_cosines("a", ("b",))


def test_where_the_package_is_missing_there_is_a_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)  # as Python marks what cannot be imported

    with pytest.raises(EvaluatorError, match="run: pip install wordllama"):
        embedding.compute_cosines("a", ("b",))


@pytest.mark.parametrize(("one", "other", "cosine"), RECORDED)
def test_the_real_data_says_what_the_package_says(one, other, cosine):
    assert embedding.compute_cosines(one, (other,))[0] == pytest.approx(cosine, abs=1e-4)
