import pytest

from agentevals.model.results import Severity
from registry_tools.manifests import registry_folder
from registry_tools.smoke import smoke_run
from registry_tools.smoke.smoke_program import find_root
from registry_tools.smoke.smoke_run import Options
from tests.registry_tools.smoke.builders import CALM, ONE, found, judge
from tests.support import DATA

LEGACY = DATA / "registries" / "legacy"
HONEST = """
import json, sys
given = json.load(sys.stdin)
turns = given.get("invocations") or []
said = [turn.get("final_response") or "" for turn in turns]
if not said:
    print(json.dumps({"score": 0, "status": "NOT_EVALUATED", "details": {"reason": "no turns"}}))
else:
    print(json.dumps({"score": 1.0 if all(said) else 0.0}))
"""


def fixture(expect, given="{invocations: [{final_response: Hello}]}"):
    return f"fixtures:\n  - name: hello\n    input: {given}\n    expect: {expect}\n"


def test_a_fixture_that_is_met_needs_no_words(tmp_path):
    assert found(judge(tmp_path, HONEST, fixture("{score: 1, status: PASSED}"))) == {}


@pytest.mark.parametrize(
    ("expect", "place", "message"),
    [
        ("{score: 0.5}", (4, 21), "the fixture 'hello' scores 1, not 0.5"),
        ("{score: 0.999, tolerance: 0.0001}", (4, 21), "scores 1, not 0.999"),
        ("{status: FAILED}", (4, 22), "is PASSED, not FAILED"),
        ("{status: NOT_EVALUATED}", (4, 22), "is PASSED, not NOT_EVALUATED"),
    ],
)
def test_another_result_is_shown_where_it_is_expected(tmp_path, expect, place, message):
    finding = found(judge(tmp_path, HONEST, fixture(expect)))["smoke-result"]

    assert (finding.path, finding.line, finding.column) == (
        "evaluators/judge/fixtures.yaml",
        *place,
    )
    assert message in finding.message


@pytest.mark.parametrize("expect", ["{score: 0.99, tolerance: 0.01}", "{status: PASSED}"])
def test_what_is_close_enough_is_right(tmp_path, expect):
    assert found(judge(tmp_path, HONEST, fixture(expect))) == {}


def test_a_score_that_nobody_computed_does_not_count(tmp_path):
    silent = fixture("{score: 0}", "{invocations: []}")

    finding = found(judge(tmp_path, HONEST, silent))["smoke-result"]

    assert "the fixture 'hello' was not evaluated: no turns" in finding.message
    assert finding.severity is Severity.ERROR


def test_not_evaluated_counts_where_it_is_expected(tmp_path):
    silent = fixture("{score: 0, status: NOT_EVALUATED}", "{invocations: []}")

    assert found(judge(tmp_path, HONEST, silent)) == {}


def test_a_threshold_decides_what_the_evaluator_leaves_open(tmp_path):
    strict = ONE.replace("expect: {score: 0.5}", "threshold: 0.6\n    expect: {status: FAILED}")

    assert found(judge(tmp_path, CALM, strict)) == {}


RANDOM = "import json, random\nprint(json.dumps({'score': random.random()}))"
CLOCK = "import json, time\nprint(json.dumps({'score': 0.5, 'details': {'at': time.time_ns()}}))"


def test_two_results_of_one_input_are_an_error(tmp_path):
    finding = found(judge(tmp_path, RANDOM, fixture("{score: 0.5, tolerance: 1}")))["smoke-repeat"]

    assert "the fixture 'hello' has another result each time: the score is 0." in finding.message
    assert (finding.line, finding.severity) == (2, Severity.ERROR)
    assert "deterministic: false" in finding.fix


def test_what_says_that_it_is_not_deterministic_need_not_be(tmp_path):
    registry = judge(tmp_path, RANDOM, fixture("{score: 0.5, tolerance: 1}"), deterministic=False)

    assert found(registry) == {}


def test_details_that_change_are_a_warning(tmp_path):
    finding = found(judge(tmp_path, CLOCK))["smoke-repeat"]

    assert finding.message.endswith("each time: the details")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("raise SystemExit(3)", "exited with code 3"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("print('judging')", 'printed "judging", which is not JSON'),
        ("print('[1]')", "printed [1]; one JSON object was expected"),
        ("""print('{"score": 2}')""", "gave the score 2; it must be from 0 to 1"),
        ("""print('{"score": true}')""", "gave the score true"),
        ("""print('{"score": 1, "status": "GREAT"}')""", 'gave the status "GREAT"'),
        ("pass", "printed nothing"),
        ("print('x' * 60_000_000)", "printed more than 16 MiB"),
        ("import os\nwhile True: os.fork()", ""),
        ("import os\nos.kill(os.getpid(), 9)", "exited with code -9"),
        ("import torch", "No module named 'torch'"),
        ("x = bytearray(3 << 30)", "MemoryError"),
    ],
)
def test_a_program_without_a_result_is_blamed_on_its_fixture(tmp_path, program, message):
    finding = found(judge(tmp_path, program), timeout=2)["smoke-program"]

    assert "the fixture 'hello': it " in finding.message
    assert message in finding.message
    assert (finding.path, finding.line) == ("evaluators/judge/fixtures.yaml", 2)


def test_a_program_without_end_is_ended_once(tmp_path):
    finding = found(judge(tmp_path, "while True: pass"), timeout=0.5)

    assert list(finding) == ["smoke-program"]
    assert "took longer than 0.5 s and was ended" in finding["smoke-program"].message


def test_a_crash_is_what_was_raised_and_the_line(tmp_path):
    finding = found(judge(tmp_path, "1 / 0"))["smoke-program"]

    told = "the fixture 'hello': it exited with code 1: ZeroDivisionError: division by zero"
    assert finding.message == f"{told} (judge.py:1)"


def test_a_message_names_the_folder_that_people_know(tmp_path):
    program = "import sys\nprint(__file__, file=sys.stderr)\nsys.exit(3)"
    finding = found(judge(tmp_path, program))["smoke-program"]

    assert "exited with code 3: evaluators/judge/judge.py" in finding.message
    assert "agentevals-smoke-" not in finding.message


def test_what_nobody_expects_must_not_make_it_fall_over(tmp_path):
    careless = """
    import json, sys
    turns = json.load(sys.stdin)["invocations"]
    print(json.dumps({"score": sum(len(t["final_response"]) for t in turns) / len(turns) / 10}))
    """

    finding = found(judge(tmp_path, careless))["smoke-hostile"]

    assert (
        "no turns, a turn that lacks everything, a turn without words, odd letters, "
        in finding.message
    )
    assert "no turns: it exited with code 1: " in finding.message
    assert "ZeroDivisionError" in finding.message
    assert (finding.path, finding.line) == ("evaluators/judge/evaluator.yaml", 5)
    assert finding.severity is Severity.ERROR


def test_a_reason_is_told_on_one_line_and_cut(tmp_path):
    program = """
    import json
    reason = "no\\n::error::" + "x" * 100_000
    print(json.dumps({"score": 0, "status": "NOT_EVALUATED", "details": {"reason": reason}}))
    """

    message = found(judge(tmp_path, program))["smoke-result"].message

    assert "was not evaluated: no ::error::xxx" in message
    assert len(message) < 1_000


def test_a_machine_that_keeps_nothing_still_runs_everything(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert smoke_run.run(judge(tmp_path / "registry")) == []


def test_who_never_answers_is_blamed_once(tmp_path):
    assert list(found(judge(tmp_path, "1 / 0"))) == ["smoke-program"]


def test_without_fixtures_an_evaluator_only_runs(tmp_path):
    finding = found(judge(tmp_path, fixtures=""))["smoke-unproven"]

    assert finding.message == "it runs, but nothing is proven: an ordinary input scores 0.5"
    assert finding.severity is Severity.NOTE


def test_without_fixtures_it_still_has_to_run(tmp_path):
    finding = found(judge(tmp_path, "import nothing_like_it", fixtures=""))["smoke-program"]

    assert "given an ordinary input, it exited with code 1" in finding.message


def test_fixtures_that_nobody_names_are_run_as_well(tmp_path):
    judge(tmp_path, CALM, fixture("{score: 1}"))
    registry = judge(tmp_path, fixtures="")

    assert "scores 0.5, not 1" in found(registry)["smoke-result"].message


def test_fixtures_that_nobody_names_and_nobody_can_read_are_a_note(tmp_path):
    judge(tmp_path, CALM, "fixtures: {}\n")
    registry = judge(tmp_path, fixtures="")

    finding = found(registry)["smoke-unproven"]

    assert finding.message == "not run: 'fixtures' must be a list, not a mapping"
    assert (finding.path, finding.line) == ("evaluators/judge/fixtures.yaml", 1)


def test_fixtures_that_are_wrong_are_not_run(tmp_path):
    assert found(judge(tmp_path, CALM, fixture("{}"))) == {}


@pytest.mark.parametrize(
    ("file", "program"),
    [
        ("judge.js", "console.log(JSON.stringify({ score: 0.5 }));"),
        ("judge.ts", "const score: number = 0.5;\nconsole.log(JSON.stringify({ score }));"),
    ],
)
def test_other_languages_run_on_the_same_fixtures(tmp_path, file, program):
    assert found(judge(tmp_path, program, file=file)) == {}


@pytest.mark.parametrize("file", ["judge.js", "judge.ts"])
def test_other_languages_are_held_to_the_same(tmp_path, file):
    program = "console.log(JSON.stringify({ score: Math.random() }));"

    said = found(judge(tmp_path, program, fixture("{score: 0.5, tolerance: 1}"), file=file))

    assert list(said) == ["smoke-repeat"]


def test_a_registry_of_the_predecessor_runs_without_a_change():
    every = smoke_run.run(registry_folder.read(LEGACY), Options(cached=False))

    assert {finding.severity for finding in every} == {Severity.NOTE}
    unproven = {one.entry: one.message for one in every if one.rule == "smoke-unproven"}
    assert unproven["bertscore"].startswith("not run: requirements.txt is no lock: 'torch>=2.0'")
    assert unproven["tool_coverage"].startswith("it runs, but nothing is proven")
    assert not unproven.keys() & {"contains", "equals", "levenshtein_ratio", "regex_match"}
    assert [one.entry for one in every if one.rule == "smoke-repeat"] == ["random_evaluator"]


def test_only_the_chosen_entries_are_run(tmp_path):
    judge(tmp_path, "1 / 0")

    assert smoke_run.run(registry_folder.read(tmp_path, {"other"}), Options(cached=False)) == []


@pytest.fixture(autouse=True)
def _no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def kept():
    folder = find_root() / "results"
    return list(folder.iterdir()) if folder.exists() else []


def test_what_had_no_error_is_not_run_again(tmp_path):
    told = tmp_path / "registry"
    first = smoke_run.run(judge(told, CALM, fixtures=""))

    again = smoke_run.run(registry_folder.read(told), Options(environ={}))

    assert again == first
    assert len(kept()) == 1


def test_a_change_of_any_file_is_run_again(tmp_path):
    smoke_run.run(judge(tmp_path, CALM))

    assert [one.rule for one in smoke_run.run(judge(tmp_path, "1 / 0"))] == ["smoke-program"]


def test_an_error_is_tried_again(tmp_path):
    smoke_run.run(judge(tmp_path, "1 / 0"))

    assert not kept()


ASKS = """
from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator
from agentevals_evaluator_sdk.judge import Verdict, ask_judge


@evaluator
def judge(given: EvalInput) -> EvalResult:
    if not given.invocations:
        return EvalResult(score=0, status=EvalStatus.NOT_EVALUATED)
    return EvalResult(score=ask_judge("Is it good?", Verdict).score)


if __name__ == "__main__":
    judge.run()
"""


def test_nobody_judges_here_which_is_no_mistake_of_an_evaluator_that_asks_for_a_judge(tmp_path):
    silent = fixture("{status: NOT_EVALUATED}", "{invocations: []}")

    asked_for = found(judge(tmp_path, ASKS, silent, capabilities={"judge": True}))
    in_secret = found(judge(tmp_path, ASKS, silent))

    assert asked_for == {}
    assert "AGENTEVALS_JUDGE_URL is not set" in in_secret["smoke-hostile"].message


def test_a_fixture_that_needs_a_judge_cannot_be_met(tmp_path):
    finding = found(judge(tmp_path, ASKS, ONE, capabilities={"judge": True}))["smoke-program"]

    assert "AGENTEVALS_JUDGE_URL is not set" in finding.message


LINES = """
import json, os, sys
for at, line in enumerate(sys.stdin):
    told = json.loads(line)
    named = {"id": told["id"]} if os.environ.get("AGENTEVALS_BATCH") else {}
    print(json.dumps(named | {"score": 0.5, "details": {"at": COUNTED}}))
"""
TWO = fixture("{score: 0.5}") + fixture("{score: 0.5}").partition("\n")[2].replace("hello", "you")


def test_a_program_that_promises_to_take_a_batch_is_given_one(tmp_path):
    assert found(judge(tmp_path, LINES.replace("COUNTED", "0"), TWO, batch=True)) == {}


def test_another_result_in_a_batch_is_an_error(tmp_path):
    finding = found(judge(tmp_path, LINES.replace("COUNTED", "at"), TWO, batch=True))["smoke-batch"]

    assert finding.message == "given as one line of a batch: the details"
    assert (finding.line, finding.severity) == (5, Severity.ERROR)


def test_one_answer_for_a_batch_is_an_error(tmp_path):
    finding = found(judge(tmp_path, CALM, TWO, batch=True))["smoke-batch"]

    assert 'it printed "{\\"score\\": 0.5}", which has no \'id\'' in finding.message
