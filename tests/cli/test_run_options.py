import json

import pytest

from agentevals.cli import command_process, run_options
from agentevals.sandbox import isolation
from tests.support import EXAMPLES, agentevals


def test_the_levels_of_isolation_are_those_there_are():
    assert {level.value for level in run_options.Isolation} == {isolation.BEST, *isolation.LEVELS}


PARIS = str(EXAMPLES / "traces" / "paris.jsonl")
EVAL_SET = ("-e", str(EXAMPLES / "eval_set.json"), "--allow-missing")


def test_one_run_writes_as_many_files_as_are_asked_for(tmp_path):
    names = ["out.json", "out.xml", "out.md", "out.txt", "report=full", "summary=a=b"]
    files = [word for name in names for word in ("--output-file", name)]

    done = agentevals("run", PARIS, *EVAL_SET, *files, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["verdict"] == "pass"
    assert (tmp_path / "out.xml").read_text().startswith("<?xml")
    assert (tmp_path / "out.md").read_text().startswith("> [!TIP]\n> **Ready to merge")
    assert (tmp_path / "out.txt").read_text() == done.stdout
    assert json.loads((tmp_path / "full").read_text())["cases"]
    assert (tmp_path / "a=b").read_text().startswith("PASS")


def test_a_file_that_cannot_be_written_costs_nothing_else(tmp_path):
    (tmp_path / "folder.json").mkdir()
    files = ("--output-file", "folder.json", "--output-file", "later/out.json")

    done = agentevals("run", PARIS, *EVAL_SET, *files, cwd=tmp_path)

    assert done.returncode == 2
    assert "--output-file folder.json: cannot be written: is a directory" in done.stderr
    assert done.stdout.startswith("PASS")
    assert (tmp_path / "later" / "out.json").is_file()


def test_a_file_needs_a_place():
    done = agentevals("run", PARIS, "--output-file", "json=")

    assert (done.returncode, done.stdout) == (2, "")
    assert "say where, as in 'json=report.json'" in done.stderr


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colours_are_for_those_who_want_them(variables, coloured):
    done = agentevals("run", PARIS, *EVAL_SET, **variables)

    assert ("\x1b[" in done.stdout) is coloured


def test_a_terminal_that_is_dumb_gets_no_colours(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    monkeypatch.setenv("TERM", "xterm")
    assert command_process.shows_colours()
    monkeypatch.setenv("TERM", "dumb")
    assert not command_process.shows_colours()
