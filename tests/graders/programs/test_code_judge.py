import json
import sys

import pytest
from pydantic import ValidationError

from agentevals.configs.dialects import compile_plan
from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.programs.code_judge import CodeJudge
from agentevals.model.cases import Status
from agentevals.model.errors import ConfigError, EvaluatorError
from agentevals.sandbox.isolation import describe
from tests.graders.llm.questions.scripted import BROKE, ScriptedJudge
from tests.support import case

ECHO = """
import json, sys
print(json.dumps({"score": 0.9, "details": {"told": json.load(sys.stdin)}}))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "judges").mkdir()
    (tmp_path / "judges" / "echo.py").write_text(ECHO)
    return tmp_path


def compiled(folder, **entry):
    """The evaluator of a config that says this."""
    config = folder / "eval_config.yaml"
    written = {"name": "j", "type": "code_judge", **entry}
    config.write_text(json.dumps({"evaluators": [written]}))
    (grader,) = compile_plan(config).graders
    return grader


def refusals(folder, **entry):
    with pytest.raises(ConfigError) as refused:
        compiled(folder, **entry)
    return [problem.message for problem in refused.value.problems]


def told(grader, answer="done"):
    return grader.grade(case(answer), Services()).details["told"]


def test_a_program_is_told_of_the_case_and_judges_it(folder):
    grader = compiled(folder, command=["python", "judges/echo.py"])

    grade = grader.grade(case("the answer"), Services())
    assert (grade.score, grade.details["told"]["candidateAnswer"]) == (0.9, "the answer")
    assert grade.isolation


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "python judges/echo.py"},
        {"script": ["python3", "judges/echo.py"]},
        {"command": None, "script": "python judges/echo.py"},
        {"type": "code-grader", "command": "python judges/echo.py"},
        {"type": "code-judge", "command": "cat | python judges/echo.py"},
        {"script": ["python", "./judges/echo.py"], "cwd": "./judges"},
        {"script": "uv run echo.py", "cwd": "./judges"},
    ],
)
def test_it_is_written_in_every_way_that_agentv_knows(folder, entry):
    assert told(compiled(folder, **entry))["answer"] == "done"


def test_it_passes_at_the_threshold_of_agentv_and_needs_no_name(folder):
    config = folder / "eval_config.yaml"
    config.write_text("evaluators: [{type: code_judge, command: python judges/echo.py}]")
    (grader,) = compile_plan(config).graders

    assert (grader.name, grader.threshold) == ("code-judge", 0.8)


def test_settings_that_are_not_ours_are_those_of_the_program(folder):
    grader = compiled(
        folder, command="python judges/echo.py", keywords=["a"], emit=None, config={"own": 1}
    )

    assert told(grader)["config"] == {"keywords": ["a"], "emit": None, "own": 1}


def test_what_stands_under_config_wins(folder):
    grader = compiled(folder, command="python judges/echo.py", config={"n": 1}, n=2)

    assert told(grader)["config"] == {"n": 1}


@pytest.mark.parametrize(
    ("key", "meant"), [("timout", "timeout"), ("comand", "command"), ("cwdd", "cwd")]
)
def test_a_setting_that_is_misspelt_is_not_taken_for_one_of_the_program(folder, key, meant):
    (problem,) = refusals(folder, command="python judges/echo.py", **{key: 1})

    assert f"{key!r} is no setting (did you mean {meant!r}?)" in problem
    assert "belongs under 'config:'" in problem


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "'command' is missing"),
        ({"command": "  "}, "must name a program"),
        ({"command": []}, "must not be empty"),
        ({"command": ["python", "a\0b"]}, "must name a program"),
        ({"command": 7}, "'command' must be"),
        ({"command": "a", "script": "b"}, "'command' and 'script' are the same"),
        ({"command": "a", "timeout": 0}, "'timeout' must be more than 0"),
        ({"command": "a", "config": [1]}, "'config' must be a mapping"),
        ({"command": "a", "target": {"max_calls": 0}}, "max_calls"),
        ({"command": "a", "target": {"max": 1}}, "unknown key"),
    ],
)
def test_what_makes_no_sense_is_refused(folder, entry, said):
    assert any(said in problem for problem in refusals(folder, **entry)), refusals(folder, **entry)


def test_what_would_keep_it_from_judging_is_known_before_it_runs(folder):
    def problems(**entry):
        return compiled(folder, **entry).problems()

    assert problems(command="python judges/echo.py") == []
    assert "'no-such-program' was not found" in problems(command="no-such-program")[0]
    assert "is no folder" in problems(command="python x.py", cwd="gone")[0]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": ["no-such-program"]}, "cannot be started: 'no-such-program' was not found"),
        ({"command": "python gone.py"}, "cannot be started: there is no file 'gone.py' in "),
        ({"command": "exit 4"}, "exited with code 4"),
        ({"command": "true"}, "printed nothing"),
        ({"command": "sleep 60", "timeout": 0.5}, "took longer than 0.5 s"),
        ({"command": "cat", "cwd": "gone"}, "is no folder"),
        ({"command": "cat", "isolation": "basic"}, "gave no 'score'"),
    ],
)
def test_a_judge_that_does_not_judge_is_an_error_and_costs_no_other(folder, entry, said):
    for negate in (False, True):
        result = grade_case(compiled(folder, negate=negate, **entry), case(), Services())

        assert (result.status, result.score) == (Status.ERROR, None)
        assert result.error.startswith(("evaluator 'j' ", "evaluator 'j': "))
        assert said in result.error


def test_a_run_may_demand_more_isolation_than_the_config(folder):
    grader = compiled(folder, command="python judges/echo.py", isolation="basic")

    with pytest.raises(EvaluatorError, match="no such level"):
        grader.grade(case(), Services(isolation="no such level"))


ASKING = """
import json, os, sys, urllib.request
url, token = (os.environ[f"AGENTV_TARGET_PROXY_{name}"] for name in ("URL", "TOKEN"))
def ask(question):
    request = urllib.request.Request(
        url + "/invoke", json.dumps({"question": question}).encode(),
        {"authorization": "Bearer " + token, "content-type": "application/json"})
    return json.load(urllib.request.urlopen(request))["rawText"]
try:
    said = ask("is it good?")
except Exception as error:
    said = str(error)
print(json.dumps({"score": 1.0 if said == "yes" else 0.0, "reasoning": said}))
"""


@pytest.fixture
def asking(folder):
    (folder / "asking.py").write_text(ASKING)
    return folder


@pytest.mark.skipif("landlock 7" not in describe(), reason="older kernels know no ports")
@pytest.mark.parametrize("target", [True, {"max_calls": 2}])
def test_a_judge_may_ask_the_model_of_the_run(asking, target):
    judge = ScriptedJudge("yes")
    grader = compiled(asking, command="python asking.py", target=target)

    grade = grader.grade(case(), Services(judge=judge))
    assert (grade.score, judge.prompts) == (1.0, ["is it good?"])
    assert grade.details["target_proxy"]["call_count"] == 1
    assert grader.judged


def test_without_a_target_there_is_nobody_to_ask(asking):
    grader = compiled(asking, command="python asking.py")
    result = grade_case(grader, case(), Services(judge=ScriptedJudge("yes")))

    assert not grader.judged
    assert "KeyError: 'AGENTV_TARGET_PROXY_URL'" in result.error


@pytest.mark.skipif("landlock 7" not in describe(), reason="older kernels know no ports")
def test_a_model_that_does_not_answer_is_an_error_and_not_what_the_program_makes_of_it(asking):
    grader = compiled(asking, command="python asking.py", target=True)

    with pytest.raises(EvaluatorError, match="did not answer: the judge's budget is spent"):
        grader.grade(case(), Services(judge=ScriptedJudge(BROKE)))


def test_its_own_text_counts_as_what_judges(folder):
    grader = compiled(folder, command="python judges/echo.py")
    before = grader.content
    (folder / "judges" / "echo.py").write_text("print(1)")

    assert before != grader.content


def test_it_can_be_made_without_a_config(folder):
    grader = CodeJudge(name="j", command=(sys.executable, "judges/echo.py"), cwd=folder)

    assert told(grader)["answer"] == "done"
    with pytest.raises(ValidationError):
        CodeJudge(name="j")


# as the guide for people who write judges has it: reads snake case, prints a result in any case
GUIDED = """
import json
import sys


def judged(told):
    answer = told.get("candidate_answer", "")
    wanted = ["async", "await"]
    hits = [f"Contains required keyword: {word}" for word in wanted if word in answer]
    misses = [f"Missing required keyword: {word}" for word in wanted if word not in answer]
    return {
        "score": len(hits) / len(wanted),
        "hits": hits,
        "misses": misses,
        "reasoning": f"Found {len(hits)}/{len(wanted)} required keywords",
    }


def main():
    try:
        print(json.dumps(judged(json.loads(sys.stdin.read())), indent=2))
    except Exception as error:
        failed = f"Evaluator error: {error}"
        print(json.dumps({"score": 0.0, "hits": [], "misses": [failed], "reasoning": failed}))
        sys.exit(1)


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def guided(folder):
    (folder / "evaluators").mkdir()
    (folder / "evaluators" / "my_validator.py").write_text(GUIDED)
    return folder


@pytest.mark.parametrize(
    ("answer", "score"), [("async def f(): await g()", 1.0), ("await", 0.5), ("def f(): pass", 0.0)]
)
def test_a_judge_after_the_guide_gives_the_score_that_it_is_meant_to(guided, answer, score):
    grader = compiled(guided, script="uv run my_validator.py", cwd="./evaluators")

    grade = grader.grade(case(answer), Services())
    assert (grade.score, len(grade.hits)) == (score, 2 * score)
    assert grade.reasoning == f"Found {int(2 * score)}/2 required keywords"


def test_a_judge_after_the_guide_that_fails_keeps_its_words_and_is_an_error(guided):
    path = guided / "evaluators" / "my_validator.py"
    path.write_text(GUIDED.replace('["async", "await"]', "None"))
    grader = compiled(guided, script="uv run my_validator.py", cwd="./evaluators")

    with pytest.raises(EvaluatorError, match="exited with code 1: Evaluator error: 'NoneType'"):
        grader.grade(case(), Services())


def test_what_will_run_it_is_started_before_the_first_case(folder):
    grader = compiled(folder, command="python judges/echo.py")
    grader.prepare()

    assert told(grader)["answer"] == "done"


def test_what_is_no_mapping_is_refused():
    with pytest.raises(ValidationError):
        CodeJudge.model_validate("python judge.py")


def test_an_editor_knows_both_names_of_the_command_and_lets_other_keys_be():
    schema = CodeJudge.model_json_schema()

    [beside, old_name, in_config] = schema["anyOf"]
    assert [beside, old_name] == [{"required": ["command"]}, {"required": ["script"]}]
    assert in_config["properties"]["config"]["anyOf"] == [beside, old_name]
    assert {"command", "script"} <= schema["properties"].keys()
    assert schema["additionalProperties"]
