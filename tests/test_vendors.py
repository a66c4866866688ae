"""The table of the vendors' files: what is counted as read, as refused by a decision, and else."""

import subprocess

import pytest

from tests.vendors.__main__ import Checked, main
from tests.vendors.checking import mask
from tests.vendors.table import VENDORS

READ = "tests:\n- id: a\n  input: hi\n  assertions: [{type: contains, value: x}]\n"
UNJUDGED = "tests:\n- id: a\n  input: hi\n"
WRONG = READ + "governence: {}\n"


@pytest.fixture
def checkouts(tmp_path):
    """A repository of AgentV's files, with a tag."""
    folder = tmp_path / "agentv"
    for name, text in {"read": READ, "unjudged": UNJUDGED, "wrong": WRONG, "other": "a: 1"}.items():
        path = folder / "examples" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "files")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return tmp_path


def test_a_row_counts_what_is_read_and_why_the_others_are_not(checkouts, monkeypatch, capsys):
    [agentv] = (each for each in VENDORS if each.repository == "agentv")
    one = agentv.__class__(**{**vars(agentv), "releases": (("4", "HEAD"),)})
    monkeypatch.setattr("tests.vendors.__main__.VENDORS", (one,))
    monkeypatch.setattr("tests.vendors.checking._find_path", lambda: "/usr/bin:/bin")
    monkeypatch.setattr("sys.argv", ["vendors", str(checkouts)])

    assert main() == 0

    assert "| AgentV | 4 | 3 | 1 | 1 (3.11) | 1: unknown key … |" in capsys.readouterr().out


def test_a_file_is_refused_by_a_decision_if_all_its_reasons_are():
    assert Checked("a", ("test 'x' has no evaluator",)).decision == "3.11"
    assert Checked("a", ("test 'x' has no evaluator", "unknown key 'x'")).decision == ""
    assert Checked("a", ()).decision == ""


def test_equal_reasons_are_one_whatever_they_name():
    assert mask("unknown key 'a' (did you mean 'b'?)") == mask("unknown key 'c' (known: d, e)")
