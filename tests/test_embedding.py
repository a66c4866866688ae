import sys
from importlib.util import find_spec

import pytest

from agentevals import embedding
from agentevals.errors import EvaluatorError
from tests import wordllama_stand_in

HERE = find_spec("wordllama") is not None


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(wordllama_stand_in.written_to(tmp_path))
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)
    embedding._model.cache_clear()
    yield tmp_path
    embedding._model.cache_clear()
    sys.modules.pop("wordllama", None)


def test_the_same_text_is_nearest(folder):
    same, near, far = embedding.cosines("abc", ("abc", "abd", "xyz"))

    assert same == pytest.approx(1)
    assert same > near > far


def test_nothing_is_near_an_empty_text(folder):
    assert embedding.cosines("abc", ("",)) == [0]


def test_half_characters_and_long_texts_are_read(folder):
    assert embedding.cosines("abc\ud800", ("abc" * embedding.LONGEST,))[0] == pytest.approx(1)


def test_a_package_without_its_weights_is_an_error(folder):
    (folder / "wordllama" / "no weights").touch()

    with pytest.raises(EvaluatorError, match="cannot be used: no weights"):
        embedding.cosines("a", ("b",))


@pytest.mark.skipif(HERE, reason="wordllama is installed")
def test_where_the_package_is_missing_there_is_a_command_that_installs_it():
    with pytest.raises(EvaluatorError, match="pip install 'agentevals-action"):
        embedding.cosines("a", ("b",))


@pytest.mark.skipif(not HERE, reason="wordllama is not installed")
def test_the_real_package_needs_no_network():
    embedding._model.cache_clear()

    near, far = embedding.cosines("the cat sat", ("a cat was sitting", "invoice total"))

    assert near > 0.7
    assert far < 0.3
