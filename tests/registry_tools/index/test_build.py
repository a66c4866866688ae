import hashlib

import pytest

from agentevals.evaluator.published import parse_head
from agentevals.model.errors import InputError
from registry_tools.index.build import build_head

COMMIT = "c" * 40


def test_the_first_has_none_before_it():
    found = parse_head(build_head(None, b"index", COMMIT))

    assert (found.sequence, found.previous, found.commit) == (1, None, COMMIT)
    assert found.index == hashlib.sha256(b"index").hexdigest()


def test_each_names_the_one_before():
    first = build_head(None, b"one", COMMIT)
    second = parse_head(build_head(first, b"two", COMMIT))

    assert (second.sequence, second.previous) == (2, hashlib.sha256(first).hexdigest())


def test_the_same_index_has_the_same_head():
    first = build_head(None, b"one", COMMIT)

    assert build_head(first, b"one", COMMIT) == first


@pytest.mark.parametrize("before", [b"", b"{}", b"nonsense"])
def test_a_chain_that_is_broken_is_not_begun_anew(before):
    with pytest.raises(InputError, match="restore the last one"):
        build_head(before, b"one", COMMIT)
