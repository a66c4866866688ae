import pytest

from agentevals.evaluator.registry_head import HEAD, hash_bytes, parse_head
from agentevals.model.errors import InputError
from registry_tools.index import index_signing

COMMIT = "c" * 40


def index(content):
    """The files that a head vouches for, and another one."""
    named = ("index.json", "index/search.json", "index/tree/root.json", "index.yaml")
    return dict.fromkeys(named, content)


def extend(content, *published):
    """The next files; what was published is looked for in each of these, in this order."""
    return index_signing.extend(
        [p.get for p in published] or [{}.get], index(content), COMMIT, None
    )


def test_the_first_has_none_before_it():
    found = parse_head(extend(b"index")[HEAD])

    assert (found.sequence, found.previous, found.commit) == (1, None, COMMIT)
    assert {found.index, found.search, found.tree} == {hash_bytes(b"index")}


def test_each_names_the_one_before():
    first = extend(b"one")
    second = parse_head(extend(b"two", first)[HEAD])

    assert (second.sequence, second.previous) == (2, hash_bytes(first[HEAD]))


def test_the_same_index_has_the_same_files():
    files = extend(b"two", extend(b"one"))

    assert extend(b"two", files) == files


@pytest.mark.parametrize("before", [b"", b"{}", b"nonsense"])
def test_a_chain_that_is_broken_is_not_begun_anew(before):
    with pytest.raises(InputError, match="restore the last one"):
        extend(b"one", {HEAD: before})


def test_pages_that_somebody_changed_are_taken_from_where_they_are_right():
    right = extend(b"three", extend(b"two", extend(b"one")))
    wrong = {**right, "index/heads/0.json": b'{"first":1,"heads":[]}'}

    assert extend(b"four", wrong, right) == extend(b"four", right)
    with pytest.raises(InputError, match=r"not have the heads before head\.json; restore both"):
        extend(b"four", wrong)
