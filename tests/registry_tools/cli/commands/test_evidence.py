"""`registry evidence` counts what an evaluator gets right, and keeps its page true."""

import json
import shutil

import pytest
import yaml

from registry_tools.evidence import evidence_measuring, evidence_page
from registry_tools.manifests import registry_entry as entries
from tests.judge.models import completion
from tests.registry_tools import registries
from tests.servers import as_json, serve
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


def test_bad_examples_of_all_evaluators_are_named_at_once(folder):
    other = folder.with_name("brevity")
    shutil.copytree(folder, other)
    (other / "politeness.py").rename(other / "brevity.py")
    (other / "evaluator.yaml").write_text(registries.MANIFEST.replace("politeness", "brevity"))
    (other / "examples.yaml").write_text("fail: [{answr: damn}]\npass: none\n")
    (other / "held_out.yaml").write_text("- a\n")
    (folder / "examples.yaml").write_text("fail: [damn]\nthreshold: 7\n")
    done = evidence(folder.parent)

    assert (done.returncode, done.stdout) == (2, "")
    for place in ("brevity/examples.yaml:1:9", "brevity/examples.yaml:2:", "brevity/held_out.yaml",
                  "politeness/examples.yaml:2:"):  # fmt: skip
        assert f"evaluators/{place}" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("{usr: damn}", "unknown key 'pass[0].usr' (did you mean 'user'?)"),
        ("{turns: [{answr: a}]}", "unknown key 'pass[0].turns[0].answr' (did you mean 'answer'?)"),
        ("{zzz: 1}", "unknown key 'pass[0].zzz' (known: user, answer, tools, "),
    ],
)
def test_an_unknown_key_of_an_example_is_answered_with_the_keys_of_examples(folder, example, said):
    (folder / "examples.yaml").write_text(f"fail: [a]\npass:\n  - {example}\n")
    done = evidence(folder)

    assert done.returncode == 2
    assert said in done.stderr


def test_an_unknown_key_of_the_file_is_answered_with_the_keys_that_people_write(folder):
    (folder / "examples.yaml").write_text("fail: [a]\nzzz: 1\n")

    assert "(known: threshold, config, fail, pass, not_evaluated)" in evidence(folder).stderr


def test_a_program_is_given_what_its_manifest_asks_for(folder):
    manifest = folder / "evaluator.yaml"
    asked = "capabilities: {environment: [RUDE_WORD], subprocess: true}\n"
    manifest.write_text(manifest.read_text() + asked)
    program = PROGRAM.replace('"damn" in', 'os.environ["RUDE_WORD"] in')
    (folder / "politeness.py").write_text(f"import os\n{program}")
    done = agentevals("registry", "evidence", str(folder), RUDE_WORD="damn")

    assert "politeness: its program was given the values of RUDE_WORD; other" in done.stdout
    assert "3 of 6 as labelled" in done.stdout


def test_what_is_written_is_up_to_date_until_anything_changes(folder):
    assert evidence(folder, "--write").returncode == 0
    written = (folder / "README.md").read_text()

    assert written.startswith("# politeness\n\nIs it polite?\n")
    assert "| [6](examples.yaml) | 2 of 3: 0.67 (0.21 to 0.94) |" in written
    assert json.loads((folder / "evidence.json").read_text())["sets"][0]["found"] == 2
    assert evidence(folder).returncode == 0

    (folder / "politeness.py").write_text(PROGRAM.replace("damn", "idiot"))
    assert evidence_measuring.read_evidence(entries.read(folder.parent, folder.name)) is None
    assert evidence(folder).returncode == 1


def test_a_page_has_one_section_wherever_it_stands():
    section = evidence_page.write_section(None)
    once = evidence_page.replace_section("# A\n\ntext\n", section)

    assert "Not measured yet." in once
    assert evidence_page.replace_section(once + "\nmore\n", section) == once + "\nmore\n"


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

    assert evidence_measuring.read_evidence(entries.read(folder.parent, folder.name)) is None


ASKS = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator
from agentevals_evaluator_sdk.judge import Verdict, ask_judge


@evaluator
def judge(given: EvalInput) -> EvalResult:
    return EvalResult(score=ask_judge(given.invocations[0].final_response or "", Verdict).score)


if __name__ == "__main__":
    judge.run()
"""


@pytest.fixture
def judged(folder):
    """An evaluator that asks a judge."""
    (folder / "politeness.py").write_text(ASKS)
    asking = yaml.safe_load(registries.MANIFEST) | {"capabilities": {"judge": True}}
    (folder / "evaluator.yaml").write_text(yaml.safe_dump(asking))
    return folder


def decide(seen):
    """A judge that dislikes one word."""
    score = 0.0 if "damn" in seen.document["messages"][-1]["content"] else 1.0
    return completion({"reason": "so it is", "score": score})


def ask(folder, server, *words):
    address = ("--judge-model", "judge-1", "--judge-base-url", f"{server.url}/v1")
    return agentevals(
        *("registry", "evidence", str(folder), *address, *words),
        XDG_CACHE_HOME=str(folder.parents[1] / "cache"),
    )


def test_an_evaluator_that_asks_a_judge_is_not_measured_without_one(judged):
    done = evidence(judged, "--write")

    assert (
        "politeness: not measured: its 6 examples need a judge; give --judge-model" in done.stdout
    )
    assert "Not measured yet." in (judged / "README.md").read_text()
    assert not (judged / "evidence.json").exists()
    assert evidence(judged).returncode == 0


def test_evidence_names_the_model_that_judged_and_lasts_as_long_as_the_files(judged):
    with serve(decide) as server:
        done = ask(judged, server, "--write")

    assert (done.returncode, len(server.seen)) == (0, 6), done.stderr
    assert json.loads((judged / "evidence.json").read_text())["judge"] == "judge-1"
    assert "Judged by the model `judge-1`." in (judged / "README.md").read_text()
    assert evidence(judged).returncode == 0

    (judged / "prompt.md").write_text("version: 2\n")
    done = evidence(judged)
    assert (done.returncode, "README.md is out of date" in done.stdout) == (1, True)


def test_a_judge_that_does_not_answer_leaves_no_evidence(judged):
    with serve(lambda _: as_json({"error": {"message": "no such model"}}, 404)) as server:
        done = ask(judged, server, "--write")

    assert done.returncode != 0
    assert "the judge that it asked did not answer" in done.stderr
    assert "no such model" in done.stderr
    assert not (judged / "evidence.json").exists()
