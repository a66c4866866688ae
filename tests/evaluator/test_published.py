import pytest

from agentevals.evaluator.published import Head, parse_head, watch
from agentevals.model.errors import UnavailableError
from tests.evaluator.conftest import head_of, sha256

INDEX = b"{}"


def seen(folder, sequence, index=INDEX):
    head = head_of(index, sequence)
    watch(folder, "o/r", "main", head=head, index=index, where="o/r")


def test_what_it_says():
    assert parse_head(head_of(INDEX, 3)) == Head(sequence=3, index=sha256(INDEX))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"sequence": -1}',
        b'{"sequence": 1, "index": "x"}',
        b"[" * 10**5,
    ],
)
def test_what_is_none(content):
    assert parse_head(content) is None


def test_the_same_and_later_ones_are_fine(tmp_path):
    for sequence, index in ((1, b"1"), (1, b"1"), (2, b"2"), (9, b"9")):
        seen(tmp_path, sequence, index)

    with pytest.raises(UnavailableError, match=r"no\. 8 stands where no\. 9 was seen before"):
        seen(tmp_path, 8)


def test_what_was_refused_is_not_remembered(tmp_path):
    seen(tmp_path, 5, b"5")
    for _ in range(2):
        with pytest.raises(UnavailableError, match="was put back"):
            seen(tmp_path, 4, b"4")

    seen(tmp_path, 6, b"6")
    assert len(list(tmp_path.iterdir())) == 1


def test_another_branch_has_a_history_of_its_own(tmp_path):
    seen(tmp_path, 5)
    watch(tmp_path, "o/r", "dev", head=head_of(INDEX, 1), index=INDEX, where="o/r")

    assert len(list(tmp_path.iterdir())) == 2


def test_a_registry_without_one_is_an_old_one(tmp_path, caplog):
    watch(tmp_path, "o/r", head=None, index=INDEX, where="o/r")

    assert caplog.text == ""


@pytest.mark.parametrize("head", [None, b"", b"{}", b"<html>"])
@pytest.mark.parametrize("index", [b"older", None])
def test_an_index_without_one_is_refused_where_one_was_seen(tmp_path, head, index):
    seen(tmp_path, 5)
    said = r"o/r may have been put back: its index no\. 5 was seen .* no head\.json names its index"

    for _ in range(2):
        with pytest.raises(UnavailableError, match=said):
            watch(tmp_path, "o/r", "main", head=head, index=index, where="o/r")

    seen(tmp_path, 6, b"6")


def test_the_index_that_was_seen_last_is_used_without_one(tmp_path, caplog):
    seen(tmp_path, 5)
    watch(tmp_path, "o/r", "main", head=None, index=INDEX, where="o/r")

    assert "o/r has no head.json any more; its index is still no. 5" in caplog.text


def test_where_a_rollback_is_allowed_a_registry_may_give_its_head_up(tmp_path, caplog, monkeypatch):
    seen(tmp_path, 5)
    monkeypatch.setenv("AGENTEVALS_ALLOW_ROLLBACK", "1")
    watch(tmp_path, "o/r", "main", head=None, index=b"other", where="o/r")
    monkeypatch.delenv("AGENTEVALS_ALLOW_ROLLBACK")
    watch(tmp_path, "o/r", "main", head=None, index=b"another", where="o/r")

    assert caplog.text.count("o/r may have been put back") == 1


def test_a_folder_that_cannot_be_written_costs_only_the_memory(tmp_path):
    (tmp_path / "file").touch()
    seen(tmp_path / "file", 1)

    assert (tmp_path / "file").is_file()
