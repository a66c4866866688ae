"""`registry evidence` counts what an evaluator gets right, and keeps its page true."""

import json

import pytest

from registry_tools.evidence import measuring, page
from registry_tools.manifests import entry as entries
from tests.registry_tools import registries
from tests.support import agentevals

PROGRAM = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(given: EvalInput) -> EvalResult:
    said = given.invocations[0].final_response or ""
    if "crash" in said:
        raise RuntimeError("no")
    return EvalResult(score=0.0 if "damn" in said else 1.0)


if __name__ == "__main__":
    judge.run()
"""
EXAMPLES = """\
fail:
  - damn you
  - {answer: you idiot}
  - {turns: [damn it, hello], config: {words: [it]}}
pass:
  - Good day!
  - What is a damn sentence?
  - crash
"""


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "evaluators" / "politeness"
    home.mkdir(parents=True)
    for name, content in {
        "evaluator.yaml": registries.MANIFEST,
        "politeness.py": PROGRAM,
        "fixtures.yaml": registries.FIXTURES,
        "examples.yaml": EXAMPLES,
        "README.md": "# politeness\n\nIs it polite?\n",
    }.items():
        (home / name).write_text(content)
    return home


def evidence(folder, *words):
    return agentevals("registry", "evidence", str(folder), *words)


def test_it_counts_failures_found_and_false_alarms(folder):
    done = evidence(folder)

    assert done.returncode == 1, done.stderr
    assert "politeness examples.yaml: found 2 of 3: 0.67" in done.stdout
    assert "right 2 of 3: 0.67" in done.stdout
    assert "3 of 6 as labelled" in done.stdout
    assert "evaluators/politeness/README.md is out of date: run with --write" in done.stdout


def test_each_wrong_outcome_has_its_line(folder):
    lines = [line.strip() for line in evidence(folder).stdout.splitlines()]

    place = "evaluators/politeness/examples.yaml"
    assert f"{place}:3: must be fail, is pass (score 1.00)" in lines
    assert f"{place}:7: must be pass, is fail (score 0.00)" in lines
    assert any(line.startswith(f"{place}:8: must be pass, is exited with") for line in lines)


def test_what_is_written_is_up_to_date_until_anything_changes(folder):
    assert evidence(folder, "--write").returncode == 0
    written = (folder / "README.md").read_text()

    assert written.startswith("# politeness\n\nIs it polite?\n")
    assert "| [6](examples.yaml) | 2 of 3: 0.67 (0.21 to 0.94) |" in written
    assert json.loads((folder / "evidence.json").read_text())["sets"][0]["found"] == 2
    assert evidence(folder).returncode == 0

    (folder / "politeness.py").write_text(PROGRAM.replace("damn", "idiot"))
    assert measuring.read_evidence(entries.read(folder.parent, folder.name)) is None
    assert evidence(folder).returncode == 1


def test_a_page_has_one_section_wherever_it_stands():
    section = page.write_section(None)
    once = page.replace_section("# A\n\ntext\n", section)

    assert "Not measured yet." in once
    assert page.replace_section(once + "\nmore\n", section) == once + "\nmore\n"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("fail: [a]\npass: no\n", "'no' without quotes"),
        ("fial: [a]\n", "did you mean 'fail'"),
        ("fail: [{answer: a, tuns: []}]\n", "did you mean 'turns'"),
        ("fail: [{answer: a, turns: []}]\n", "has 'turns' beside a turn of its own"),
        ("- a\n", "must be a mapping"),
    ],
)
def test_a_mistake_in_the_examples_has_its_place(folder, written, said):
    (folder / "examples.yaml").write_text(written)

    done = evidence(folder)

    assert done.returncode == 2
    assert "evaluators/politeness/examples.yaml:" in done.stderr
    assert said in done.stderr


def test_without_examples_it_says_what_to_write(folder):
    (folder / "examples.yaml").unlink()

    done = evidence(folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert "write one beside its manifest" in done.stderr


def test_foreign_evidence_that_cannot_be_read_counts_as_none(folder):
    (folder / "evidence.json").write_text('{"program": 7}')

    assert measuring.read_evidence(entries.read(folder.parent, folder.name)) is None
