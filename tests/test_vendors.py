"""The table of the vendors' files: what is counted as read, as refused by a decision, and else."""

import json
import subprocess

import pytest

from agentevals.graders.text.text_checks import Contains
from agentevals.model.cases import Grade
from tests.vendors.__main__ import Checked, main
from tests.vendors.checking import mask
from tests.vendors.spoiling import NOBODY, spoil
from tests.vendors.table import VENDORS
from tests.vendors.twins import Twins, judge

READ = "tests:\n- id: a\n  input: hi\n  assertions: [{type: contains, value: x}]\n"
UNJUDGED = "tests:\n- id: a\n  input: hi\n"
WRONG = READ + "scenarios: []\n"


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

    why = "… changes the score in the other system, and is not supported here"
    assert f"| AgentV | 4 | 3 | 1 | 1 (3.11) | 1: {why} | 1 | 1 |" in capsys.readouterr().out


def test_a_file_is_refused_by_a_decision_if_all_its_reasons_are():
    assert Checked("a", ("test 'x' has no evaluator",)).decision == "3.11"
    assert Checked("a", ("test 'x' has no evaluator", "unknown key 'x'")).decision == ""
    assert Checked("a", ()).decision == ""


def test_equal_reasons_are_one_whatever_they_name():
    assert mask("unknown key 'a' (did you mean 'b'?)") == mask("unknown key 'c' (known: d, e)")


PROJECT = {
    "evaluators/e.json": {
        "version": "1.0",
        "id": "E",
        "evaluatorTypeId": "uipath-exact-match",
        "evaluatorConfig": {"name": "E"},
    },
    "eval-sets/s.json": {
        "version": "1.0",
        "id": "s",
        "name": "s",
        "evaluatorRefs": ["E"],
        "evaluations": [
            {
                "id": "a",
                "name": "a",
                "inputs": {"q": "hi"},
                "evaluationCriterias": {"E": {"expectedOutput": {"name": "Ada", "n": 1}}},
            }
        ],
    },
}
CONVERSATION = {
    "user_content": {"parts": [{"text": "hi"}]},
    "final_response": {"parts": [{"text": "hello"}]},
    "intermediate_data": {"tool_uses": [{"name": "look", "args": {}}]},
}
EVAL_SET = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [CONVERSATION]}]}
SEVERAL = """
tests:
- id: a
  input: hi
  expected_output: {total: 3}
  assert:
  - {type: field_accuracy, fields: [{path: total, match: exact}, {path: more.deep, match: exact}]}
  - {type: tool_trajectory, mode: in_order, expected: [{tool: look, args: {x: 1}}]}
- id: b
  input: ho
  assert:
  - {type: contains_all, value: [x, "y"]}
  - {type: composite, aggregator: {type: minimum}, assert: [{type: icontains, value: Z}]}
"""


def write_all(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("files", "is_eval_set", "passed"),
    [
        ({"EVAL.yaml": READ}, False, 1),
        ({"EVAL.yaml": SEVERAL}, False, 4),
        (PROJECT, False, 1),
        ({"a.evalset.json": EVAL_SET}, True, 2),
        ({"EVAL.yaml": UNJUDGED}, False, 0),
    ],
)
def test_a_sample_passes_as_it_expects_and_fails_with_wrong_expectations(
    tmp_path, files, is_eval_set, passed
):
    path = write_all(tmp_path, files)

    assert judge(path, is_eval_set=is_eval_set) == Twins(passed)


def test_an_evaluator_that_passes_whatever_is_expected_is_seen(tmp_path, monkeypatch):
    path = write_all(tmp_path, {"EVAL.yaml": READ})
    monkeypatch.setattr(Contains, "grade", lambda *_: Grade(score=1.0))

    assert judge(path, is_eval_set=False) == Twins(1, ("a: contains-x",))


def test_an_expectation_is_spoilt_in_every_text_and_a_table_keeps_its_columns():
    assert spoil({"a": ["b", {"c": 1}]}) == {"a": [NOBODY, {"c": NOBODY}]}
    assert spoil("name,age\nAda,36") == f"name,age\n{NOBODY},{NOBODY}"
