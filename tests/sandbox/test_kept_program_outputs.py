"""What programs have printed is kept by all that they were given, and by nothing less."""

import os
import shutil
from pathlib import Path

import pytest

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.programs.code import Code
from agentevals.sandbox.kept_program_outputs import Answer, KeptRuns
from tests.support import case, turn

# a program that never says the same twice, so that the same words were kept
DICE = """
import json, sys, time, pathlib
asked = json.load(sys.stdin)
print(json.dumps({"score": 1.0, "details": {"drawn": time.time_ns()}}))
"""


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "evaluators"
    place.mkdir()
    (place / "dice.py").write_text(DICE)
    return place


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "kept"


def draw(folder, kept, of=None, *, runs=None, **settings):
    """What the program says of a case: a number, or the error."""
    usual = {"name": "dice", "path": folder / "dice.py", "threshold": 0.5}
    grader = Code(**usual | settings)
    result = grade_case(grader, of or case(), Services(kept=runs or KeptRuns(kept)))
    return result.error or result.details["drawn"]


def entries(kept):
    return [path for path in kept.rglob("*") if path.is_file() and path.name != "key"]


def test_what_was_said_once_is_said_again(folder, kept):
    assert draw(folder, kept) == draw(folder, kept)


def test_without_a_folder_nothing_is_kept(folder):
    grader = Code(name="dice", path=folder / "dice.py")
    drawn = {grade_case(grader, case(), Services()).details["drawn"] for _ in range(2)}

    assert len(drawn) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "dice.py").write_text(f"{DICE}\n# other"),
        lambda folder: (folder / "beside.txt").write_text("new"),
        lambda folder: (folder / "dice.py").chmod(0o755),
        lambda folder: (folder / "link").symlink_to("dice.py"),
    ],
    ids=["its text", "a file beside it", "its mode", "a link"],
)
def test_what_it_may_read_decides(folder, kept, change):
    before = draw(folder, kept)
    change(folder)
    forget_files()

    assert draw(folder, kept) != before


def forget_files():
    """As a new process: what lies in a folder is looked at once in each."""
    from agentevals.sandbox import program_surroundings

    program_surroundings._digest_tree.cache_clear()


@pytest.mark.parametrize(
    "other",
    [
        {"of": case("another answer")},
        {"of": case(expected=(turn(),))},
        {"config": {"a": 1}},
        {"threshold": 0.7},
        {"name": "die"},
        {"memory_mb": 512},
    ],
    ids=["trace", "expectation", "config", "threshold", "name", "memory"],
)
def test_what_it_is_given_decides(folder, kept, other):
    before = draw(folder, kept)

    assert draw(folder, kept, **other) != before
    assert draw(folder, kept) == before


def test_what_is_not_for_the_program_does_not_decide(folder, kept):
    before = draw(folder, kept)

    assert draw(folder, kept, weight=2.0, required=0.3, negate=True) == before


def test_a_granted_file_counts_by_its_content(folder, kept, tmp_path):
    granted = tmp_path / "rules.txt"
    granted.write_text("a")
    before = draw(folder, kept, files=(granted,))
    assert draw(folder, kept, files=(granted,)) == before
    granted.write_text("b")
    forget_files()

    assert draw(folder, kept, files=(granted,)) != before


@pytest.mark.parametrize(
    "settings",
    [{"network": True}, {"subprocess": True}, {"env": ("TOWN",)}, {"cache": False}],
    ids=lambda settings: next(iter(settings)),
)
def test_what_may_depend_on_more_is_never_kept(folder, kept, settings, monkeypatch):
    monkeypatch.setenv("TOWN", "Rome is a town")

    assert draw(folder, kept, **settings) != draw(folder, kept, **settings)
    assert not entries(kept)


@pytest.mark.parametrize(
    "text",
    ["raise SystemExit(3)", "print('no JSON')", "print('{\"score\": 7}')", "pass"],
    ids=["exit", "text", "score", "nothing"],
)
def test_an_error_is_never_kept(folder, kept, text):
    (folder / "dice.py").write_text(text)

    assert "dice" in str(draw(folder, kept))
    assert not entries(kept)


class TestForged:
    @pytest.fixture
    def before(self, folder, kept):
        return draw(folder, kept)

    @pytest.mark.parametrize("at", [0, 31, 32, 60, -1])
    def test_a_changed_entry_is_computed_again(self, folder, kept, before, at):
        (entry,) = entries(kept)
        data = bytearray(entry.read_bytes())
        data[at] ^= 1
        entry.write_bytes(data)

        again = draw(folder, kept)

        assert again != before
        assert draw(folder, kept) == again

    @pytest.mark.parametrize("size", [0, 10, 40])
    def test_an_entry_that_was_cut_off_is_computed_again(self, folder, kept, before, size):
        (entry,) = entries(kept)
        entry.write_bytes(entry.read_bytes()[:size])

        assert draw(folder, kept) != before

    def test_an_entry_of_another_key_is_computed_again(self, folder, kept, before):
        other = KeptRuns(kept, "of this repository")

        assert draw(folder, kept, runs=other) != before

    def test_an_entry_in_the_place_of_another_is_computed_again(self, folder, kept, before):
        (entry,) = entries(kept)
        other = draw(folder, kept, case("another answer"))
        (second,) = set(entries(kept)) - {entry}
        shutil.copy(entry, second)

        assert draw(folder, kept, case("another answer")) not in {before, other}

    def test_a_link_or_a_pipe_is_no_entry(self, folder, kept, before, tmp_path):
        (entry,) = entries(kept)
        for make in (lambda: entry.symlink_to(tmp_path / "moved"), lambda: os.mkfifo(entry)):
            shutil.move(entry, tmp_path / "moved")
            make()
            assert draw(folder, kept) != before


def test_a_reader_writes_nothing(folder, kept):
    before = draw(folder, kept)
    here = {path: path.stat().st_mtime_ns for path in kept.rglob("*")}
    reader = KeptRuns(kept, writes=False)

    assert draw(folder, kept, runs=reader) == before
    draw(folder, kept, case("another answer"), runs=reader)

    assert {path: path.stat().st_mtime_ns for path in kept.rglob("*")} == here


def test_what_was_used_least_recently_goes_first(tmp_path):
    answer = Answer(stdout=b"x" * 1000, stderr="", isolation="")
    runs = KeptRuns(tmp_path, budget=5_000)
    names = [runs.make_name(bytes([number])) for number in range(6)]
    for at, name in enumerate(names):
        runs.keep(name, answer)
        (path,) = tmp_path.rglob(name)
        os.utime(path, (at, at))
    runs.find(names[0])
    runs.find("not there")

    runs.trim()

    assert [name for name in names if runs.find(name)] == [names[0], *names[3:]]


def test_a_folder_that_cannot_be_written_costs_time_and_no_result(folder, tmp_path):
    (tmp_path / "file").write_text("")

    assert isinstance(draw(folder, tmp_path / "file"), int)


def test_a_folder_with_too_much_in_it_is_not_looked_through(folder, kept):
    for number in range(5_001):
        Path(folder, f"{number}.txt").write_text("")

    assert draw(folder, kept) != draw(folder, kept)
