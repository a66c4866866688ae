import errno
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentevals.files.spool import Column, Spool, make_storable
from agentevals.model.errors import UnavailableError


class Note(msgspec.Struct, frozen=True):
    number: int
    text: Any = ""


def spool(count, *, budget):
    filled = Spool(Note, budget=budget)
    for number in range(count):
        filled.append(Note(number, "x" * number))
    return filled


def on_disk(filled):
    return filled._frames is not None


BUDGETS = pytest.mark.parametrize("budget", [2**20, 500, 0], ids=["memory", "both", "disk"])


@BUDGETS
def test_it_is_a_sequence_wherever_it_lies(budget):
    filled = spool(50, budget=budget)

    assert on_disk(filled) == (budget < 2**20)
    assert len(filled) == 50
    assert [note.number for note in filled] == list(range(50))
    assert [note.number for note in filled] == list(range(50))
    assert filled[7] == Note(7, "xxxxxxx")
    assert (filled[0].number, filled[-1].number, filled[-50].number) == (0, 49, 0)
    assert [note.number for note in filled[48:]] == [48, 49]
    assert Note(3, "xxx") in filled


@BUDGETS
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("text", ["", "x" * 2**20, os.urandom(2**19).hex()])
def test_another_process_takes_it_along(budget, before, text):
    filled = spool(20, budget=budget)
    filled.append(Note(20, text))
    taken = spool(before, budget=2**20)

    taken.append_packed(pickle.loads(pickle.dumps(filled.pack())))
    taken.append(Note(21))

    assert list(taken) == [*spool(before, budget=2**20), *filled, Note(21)]


@BUDGETS
def test_there_is_nothing_past_the_end(budget):
    filled = spool(3, budget=budget)

    for index in (3, -4):
        with pytest.raises(IndexError):
            filled[index]


@BUDGETS
def test_an_empty_one(budget):
    assert list(Spool(Note, budget=budget)) == []


def test_what_was_read_stays_readable_while_more_is_added():
    filled = spool(2, budget=0)

    assert filled[1].text == "x"
    filled.append(Note(9, "more"))
    assert [note.number for note in filled] == [0, 1, 9]


def test_the_weight_that_is_given_counts():
    filled = Spool(Note, budget=10)
    filled.append(Note(1, "x" * 100), weight=10)

    assert not on_disk(filled)
    filled.append(Note(2), weight=1)
    assert on_disk(filled)


def test_many_threads_may_read():
    filled = Spool(Note, budget=0)
    for number in range(2000):
        filled.append(Note(number, "x" * 2000))

    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda index: filled[index].number, range(2000)))

    assert read == list(range(2000))


def test_its_file_has_no_name(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    filled = spool(3, budget=0)

    assert on_disk(filled)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [10**400, "\ud800", {"a": [10**30, "\udfff"]}])
def test_what_msgpack_cannot_hold_is_kept_in_another_way(text):
    filled = Spool(Note, budget=0)
    filled.append(Note(1, text))

    assert filled[0] == Note(1, make_storable(text))


def test_storable_values():
    deep: Any = "bottom"
    for _ in range(1000):
        deep = [deep]

    assert make_storable({1: 10**30, "t": ("é", "\ud800", 0.5, None, True)}) == {
        "1": str(10**30),
        "t": ["é", "?", 0.5, None, True],
    }
    assert make_storable(10**5000).startswith("0x")
    assert "(nested too deeply)" in str(make_storable(deep))


def test_no_room_for_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))

    with pytest.raises(UnavailableError, match="no such file or directory; set TMPDIR to a folder"):
        spool(1, budget=0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(monkeypatch):
    full = os.open("/dev/full", os.O_RDWR)
    monkeypatch.setattr("tempfile.mkstemp", lambda **_: (full, str(Path("/dev/null/x"))))
    monkeypatch.setattr("os.unlink", lambda _: None)
    filled = spool(1, budget=0)

    with pytest.raises(UnavailableError, match=os.strerror(errno.ENOSPC).lower()):
        filled[0]


def test_an_exact_spool_changes_nothing():
    rewritten, exact = Spool(Note, budget=0), Spool(Note, budget=0, exact=True)
    rewritten.append(Note(1, 2**70))

    with pytest.raises(OverflowError):
        exact.append(Note(1, 2**70))

    assert rewritten[0].text == str(2**70)


@pytest.mark.parametrize("count", [0, 5, 8192, 20_000])
def test_a_column_has_all_of_its_numbers(count):
    column, joined = Column(), Column()
    for number in range(count):
        column.append(number / 3)
    for start in range(0, count, 1000):
        part = Column()
        for number in range(start, min(start + 1000, count)):
            part.append(number / 3)
        joined.join(part)

    assert list(column) == list(joined) == [number / 3 for number in range(count)]
    assert len(column) == len(joined) == count
    assert list(column) == list(column)
