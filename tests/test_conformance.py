"""`make conformance` compares recordings of any shape, or says why it cannot."""

import json
from pathlib import Path

import pytest

from agentevals.graders.grader import Grader, Services
from agentevals.graders.text import word_stems
from tests import forked
from tests.conformance.reading import compared, graded
from tests.support import case

ROOT = Path(__file__).parents[1]
RIGHT = {"score": 1.0, "status": "PASSED"}
ANSWER = {"id": "same", "actual": "a", "expected": "a", "threshold": 0.8}
GOOD = {**ANSWER, "results": {"2.13.0": RIGHT}}
LEGACY = {
    "id": "key",
    "evaluator": {"type": 1, "targetOutputKey": "a"},
    "output": {"a": 1},
    "criteria": {"expectedOutput": {"a": 1}},
    "result": {"score": True, "score_type": 0, "details": None},
}


@pytest.fixture
def goldens(tmp_path):
    """Writes files of recordings below one folder; what is no text becomes JSON."""

    def write(**systems):
        for system, files in systems.items():
            (tmp_path / system).mkdir(exist_ok=True)
            for name, content in files.items():
                text = content if isinstance(content, str) else json.dumps(content)
                (tmp_path / system / name).write_text(text)
        return tmp_path

    return write


def compare(folder, *systems):
    done = forked.run("tests.conformance", [folder, *systems], cwd=ROOT, env={"LANG": "C.UTF-8"})
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout


def responses(*cases):
    return {"response_match_score.json": {"cases": cases}}


def test_what_is_equal_is_green_and_what_is_wrong_is_red(goldens):
    code, printed = compare(goldens(adk=responses(GOOD)))
    assert (code, printed) == (
        0,
        "adk: 1 rows compared, 1 equal, 0 deviating by decision, 0 wrong, 0 not comparable\n",
    )

    wrong = {**ANSWER, "id": "other", "expected": "b", "results": {"2.13.0": RIGHT}}
    code, printed = compare(goldens(adk=responses(GOOD, wrong)))
    assert code == 1
    assert "2 rows compared, 1 equal, 0 deviating by decision, 1 wrong" in printed
    assert "  wrong: response_match_score/other\n    score: recorded 1.0, ours 0.0\n" in printed


def test_a_row_that_cannot_be_compared_is_counted_with_its_reason(goldens):
    broken = {
        "no-results": ANSWER,
        "other-results": {**ANSWER, "results": {}},
        "list-of-numbers": {**GOOD, "actual": [1]},
        "a-number": {**GOOD, "actual": 1},
        "nothing": None,
        "a-text": "x",
        "no-threshold": {key: value for key, value in GOOD.items() if key != "threshold"},
    }
    cases = [{**one, "id": name} if isinstance(one, dict) else one for name, one in broken.items()]
    legacy = [LEGACY, {**LEGACY, "id": "t", "evaluator": {"type": 99}}, {**LEGACY, "result": {}}]
    prebuilt = {"id": "p", "evaluator": "uipath-nothing", "expected": {"2.14.44": RIGHT}}

    code, printed = compare(
        goldens(
            adk=responses(GOOD, *cases)
            | {"tool_trajectory_avg_score.json": '{"cases": [', "judge_contract.json": {"x": []}},
            uipath={
                "legacy_deterministic.json": {"cases": legacy},
                "prebuilt_deterministic.json": {"cases": [prebuilt, {**prebuilt, "expected": {}}]},
                "reduce_and_aggregators.json": "",
                "new.json": {},
            },
            new={"cases.json": {}},
        )
    )

    assert code == 1  # a list of numbers is an answer that ours refuses
    assert printed.startswith("not read, no system is called that: new\n")
    assert "adk: 2 rows compared, 1 equal, 0 deviating by decision, 1 wrong, 8 not" in printed
    assert "  wrong: response_match_score/list-of-numbers\n" in printed
    for name, reason in {
        "response_match_score/a-number": "an answer is int here",
        "response_match_score/no-results": "this shape is unknown here: KeyError: 'results'",
        "response_match_score/5": "this shape is unknown here: TypeError",
        "tool_trajectory_avg_score.json/cases": "tool_trajectory_avg_score.json is not valid JSON",
        "judge_contract.json/runs": "judge_contract.json has no 'runs'",
        "legacy_deterministic/t": "there are no evaluators of type 99 here",
        "legacy_deterministic/key": "the recording holds neither a score nor an error",
        "prebuilt_deterministic/p": "not recorded with 2.14.44",
        "reduce_and_aggregators.json/results": "reduce_and_aggregators.json is not valid JSON",
    }.items():
        assert any(name in line and reason in line for line in printed.splitlines()), printed
    deviating = "1 deviating by decision (§4.6 x1)"  # true is the score 1.0 here
    assert f"uipath: 1 rows compared, 0 equal, {deviating}, 0 wrong, 5 not" in printed
    assert "  not read, nothing compares it: new.json\n" in printed


def test_where_nothing_can_be_compared_is_red(goldens):
    code, printed = compare(goldens(adk=responses(ANSWER)))

    assert code == 1
    assert "adk: 0 rows compared" in printed
    assert "holds no row that can be compared" in printed


def test_what_ours_refuses_or_fails_on_is_wrong(goldens):
    refused = {**GOOD, "id": "refused", "actual": {"parts": "x"}}
    failed = {**GOOD, "id": "failed", "actual": [{"text": {}}]}

    code, printed = compare(goldens(adk=responses(GOOD, refused, failed)))

    assert code == 1
    assert "wrong: response_match_score/failed\n    ours: recorded 'a result', ours" in printed


def test_a_failure_of_ours_is_never_a_row_that_cannot_be_compared():
    class Broken(Grader):
        type = "broken"

        def grade(self, case, services):
            return 1 / 0

    failed = compared("stem", word_stems.stem, None)
    broken = compared("bug", graded, Broken(name="b"), case(), Services())
    unread = compared("shape", lambda: {}["score"])

    assert "TypeError" in str(failed.unexplained[0])
    assert "ZeroDivisionError" in str(broken.unexplained[0])
    assert (unread.unexplained, unread.incomparable) == (
        (),
        "this shape is unknown here: KeyError: 'score'",
    )


@pytest.mark.parametrize(
    ("turns", "recorded", "counted"),
    [
        (2, {"raised": "ValueError", "message": "the same length"}, "1 equal"),
        (2, {"overall_score": 1.0, "overall_eval_status": "PASSED"}, "1 wrong"),
        (1, {"overall_score": 1.0, "overall_eval_status": "PASSED"}, "1 equal"),
    ],
)
def test_turns_are_compared_one_by_one(goldens, turns, recorded, counted):
    content = {"parts": [{"text": "q"}]}
    turn = {"user_content": content, "final_response": content}
    turns_case = {
        "id": "turns",
        "criterion": {"threshold": 1.0},
        "actual": [turn] * turns,
        "expected": [turn],
        "results": {"2.13.0": recorded},
    }

    _, printed = compare(goldens(adk={"tool_trajectory_avg_score.json": {"cases": [turns_case]}}))

    assert counted in printed


def test_a_path_that_one_side_lacks_deviates_by_decision(goldens):
    lacking = {**LEGACY, "output": {"b": 1}}

    code, printed = compare(goldens(uipath={"legacy_deterministic.json": {"cases": [lacking]}}))

    assert (code, "1 deviating by decision (§4.9 x1)" in printed) == (0, True)


def test_an_evaluator_whose_program_was_not_kept_is_not_comparable(goldens):
    folder = goldens(agentevals={})
    entry = "  - name: {}\n    type: code\n    path: {}\n"
    for name, programs in {"all": ["../a.py"], "some": ["../a.py", "own.py"]}.items():
        place = folder / "agentevals" / name
        place.mkdir()
        listed = "".join(
            entry.format(path.strip("./").replace(".", "-"), path) for path in programs
        )
        (place / "c.yaml").write_text(f"evaluators:\n{listed}")
        (place / "command.txt").write_text(
            "# agentevals-cli 0.11.0\nagentevals run none.json -c c.yaml"
        )
        (place / "exit_code.txt").write_text("2")

    _, printed = compare(folder)

    assert "1 rows compared" in printed
    assert "3 not comparable" in printed
    assert "not comparable: all: the program of no evaluator was kept" in printed
    assert "all/a-py, some/a-py: the program of this evaluator was not kept" in printed


def test_every_recorded_command_is_compared_or_has_a_reason(goldens):
    folder = goldens(agentevals={})
    commands = {
        "empty": "",
        "other": "# agentevals-cli 0.11.0\nagentevals evaluator list\n",
        "no-exit-code": "# agentevals-cli 0.11.0\nagentevals run trace.json\n",
        "unclosed": "# agentevals-cli 0.11.0\nagentevals run 'trace.json\n",
    }
    for name, text in commands.items():
        (folder / "agentevals" / name).mkdir()
        (folder / "agentevals" / name / "command.txt").write_text(text)
    (folder / "agentevals/lost").mkdir()
    (folder / "agentevals/lost/exit_code.txt").write_text("0")
    (folder / "agentevals/rouge1_vectors.json").write_text('[{"candidate": null}]')

    code, printed = compare(folder)

    assert code == 1
    assert "agentevals: 0 rows compared" in printed
    assert "6 not comparable" in printed
    assert "not comparable: lost: there is no command.txt" in printed
    assert "not comparable: other: another command than 'run': 'evaluator list'" in printed


def test_of_agentv_each_test_and_unit_is_compared_or_has_a_reason(goldens):
    skipped = {"test_skipped_at_load": True, "load_messages": []}
    one = {
        "group": "g",
        "test": {"id": "t", "input": "q", "assertions": [{"type": "nothing"}]},
        "agent": {"output": [{"role": "assistant", "content": "a"}]},
    }
    units = {
        "cases": [{"id": "new-1"}, {"id": "em-1"}, {}],
        "primitives": {"scoreToVerdict": [{"score": 1}], "newOne": [1], "clampScore": []},
    }
    files = {
        "cases_new.json": {
            "cases": [
                {**one, "id": "skipped", "expected": {"agentv-3.1.0": skipped}},
                {**one, "id": "scored", "expected": {"agentv-3.1.0": {"evaluators": None}}},
                {**one, "id": "older", "expected": {"agentv-2.6.1": skipped}},
            ]
        },
        "unit_goldens.json": units,
        "code_judge_stdin_by_version.json": {"releases": [None]},
    }
    meta = {"meta.json": {"judges": {}, "prompt_file": {}, "mock_graders": {}}}

    code, printed = compare(goldens(agentv=files | meta))
    assert code == 0
    assert "agentv: 1 rows compared, 1 equal, 0 deviating by decision, 0 wrong, 9 not" in printed
    assert "cases_new/older, unit_goldens/primitives/scoreToVerdict/0: not recorded with" in printed

    code, printed = compare(goldens(agentv={"meta.json": "{"}))
    assert code == 1
    assert "cases_new/skipped" in printed
    assert "meta.json has no judges and prompts: meta.json is not valid JSON" in printed
