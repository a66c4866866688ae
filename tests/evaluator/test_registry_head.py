import json
import logging

import pytest

from agentevals.evaluator.registry_head import HEAD, Head, Memory, hash_bytes, name_page, parse_head
from agentevals.model.errors import UnavailableError
from registry_tools.index import index_signing as heads
from tests.evaluator.conftest import head_of, sha256

INDEX = b"{}"
PARTS = ("index.json", "index/search.json", "index/tree/root.json")


@pytest.fixture
def memory(tmp_path):
    return Memory.open(tmp_path, "o/r", "main", where="o/r")


def nothing(name, /, digest=""):
    return None


def seen(memory, sequence, index=INDEX):
    memory.accept(head_of(index, sequence), nothing, "")


class Registry:
    """The files of a registry that publishes again and again; `fetch` hands them out."""

    def __init__(self):
        self.files = {}
        self.heads = []

    def publish(self, times=1):
        for _ in range(times):
            content = str(len(self.heads)).encode()
            index = dict.fromkeys(PARTS, content)
            self.files |= heads.extend([self.fetch], index, "", None)
            self.heads.append(self.files[HEAD])
        return self

    def fetch(self, name, /, digest=""):
        return self.files.get(name)

    def look(self, memory):
        """As a client that reads the head now."""
        memory.accept(self.files[HEAD], self.fetch, "")


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


def test_the_same_and_later_ones_are_fine(memory):
    for sequence, index in ((1, b"1"), (1, b"1"), (2, b"2"), (9, b"9")):
        seen(memory, sequence, index)

    with pytest.raises(UnavailableError, match=r"no\. 8 stands where no\. 9 was seen before"):
        seen(memory, 8)


def test_what_was_refused_is_not_remembered(memory, tmp_path):
    seen(memory, 5, b"5")
    for _ in range(2):
        with pytest.raises(UnavailableError, match="was put back"):
            seen(memory, 4, b"4")

    seen(memory, 6, b"6")
    assert len(list(tmp_path.iterdir())) == 1


def test_another_branch_has_a_history_of_its_own(memory, tmp_path):
    seen(memory, 5)
    seen(Memory.open(tmp_path, "o/r", "dev", where="o/r"), 1)

    assert len(list(tmp_path.iterdir())) == 2


def test_a_registry_without_one_is_an_old_one(memory, caplog):
    memory.accept_none(INDEX)

    assert caplog.text == ""


@pytest.mark.parametrize("index", [b"older", None])
def test_an_index_without_one_is_refused_where_one_was_seen(memory, index):
    seen(memory, 5)
    said = r"o/r may have been put back: its index no\. 5 was seen .* no head\.json names its index"

    for _ in range(2):
        with pytest.raises(UnavailableError, match=said):
            memory.accept_none(index)

    seen(memory, 6, b"6")


def test_the_index_that_was_seen_last_is_used_without_one(memory, caplog):
    seen(memory, 5)
    memory.accept_none(INDEX)

    assert "o/r has no head.json any more; its index is still no. 5" in caplog.text


def test_where_a_rollback_is_allowed_a_registry_may_give_its_head_up(memory, caplog, monkeypatch):
    seen(memory, 5)
    monkeypatch.setenv("AGENTEVALS_ALLOW_ROLLBACK", "1")
    memory.accept_none(b"other")
    monkeypatch.delenv("AGENTEVALS_ALLOW_ROLLBACK")
    memory.accept_none(b"another")

    assert caplog.text.count("o/r may have been put back") == 1


def test_a_folder_that_cannot_be_written_costs_only_the_memory(tmp_path, caplog):
    (tmp_path / "file").touch()
    caplog.set_level(logging.DEBUG)
    seen(Memory.open(tmp_path / "file", "o/r", where="o/r"), 1)

    assert "is not kept" in caplog.text


class TestChain:
    """Each head has folded all heads before it."""

    @pytest.mark.parametrize("missed", [1, 2, 3, 127, 128, 300])
    def test_whoever_missed_some_can_tell_that_the_newest_follows(self, memory, missed):
        registry = Registry().publish(5)
        registry.look(memory)
        registry.publish(missed)
        registry.look(memory)

        assert memory.recall().sequence == 5 + missed

    def test_a_page_names_128_of_them_and_the_last_one_grows(self):
        registry = Registry().publish(130)
        first, second = (json.loads(registry.files[name_page(at)]) for at in (1, 129))

        assert (first["first"], len(first["heads"])) == (1, 127)
        assert second == {"first": 128, "heads": [*map(hash_bytes, registry.heads[127:129])]}

    @pytest.mark.parametrize("ahead", [0, 1, 5])
    def test_a_copy_of_an_older_state_that_went_its_own_way_is_refused(self, memory, ahead):
        registry, older = Registry().publish(3), Registry().publish(3)
        registry.publish(4).look(memory)
        older.heads.append(b"another history")
        older.publish(4 + ahead)

        with pytest.raises(UnavailableError, match="put back"):
            older.look(memory)

    @pytest.mark.parametrize("content", [None, b"", b"{}", b'{"first":1,"heads":[]}'])
    def test_without_the_heads_between_nothing_is_proved(self, memory, content):
        registry = Registry().publish(3)
        registry.look(memory)
        registry.publish(3)
        registry.files[name_page(1)] = content
        said = r"nothing proves that its index no\. 6 follows no\. 3, which was seen before"

        with pytest.raises(UnavailableError, match=said):
            registry.look(memory)

    def test_a_higher_number_without_a_chain_is_refused(self, memory):
        Registry().publish(3).look(memory)

        with pytest.raises(UnavailableError, match="nothing proves"):
            seen(memory, 9)

    def test_two_heads_of_one_number_are_two_histories(self, memory):
        Registry().publish(2).look(memory)
        other = Registry()
        other.heads.append(b"another history")

        with pytest.raises(UnavailableError, match="was put back"):
            other.publish(2).look(memory)

    def test_a_registry_of_before_begins_its_chain_later(self, memory):
        registry = Registry()
        registry.files[HEAD] = head_of(b"old", 7)
        registry.look(memory)
        registry.publish(2).look(memory)
        found = parse_head(registry.files[HEAD])

        assert (found.sequence, found.since) == (9, 7)
        registry.publish(2).look(memory)
        assert memory.recall().sequence == 11

    def test_endless_promises_are_not_followed(self, memory):
        registry = Registry().publish(2)
        registry.look(memory)
        found = json.loads(registry.files[HEAD])
        registry.files[HEAD] = json.dumps(found | {"sequence": 2**50}).encode()

        with pytest.raises(UnavailableError, match="nothing proves"):
            registry.look(memory)
