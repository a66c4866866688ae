import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

PROGRAM = """
import asyncio, os, sys
from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

print("printed while importing")

@evaluator
def judge(input: EvalInput) -> EvalResult:
    match input.config.get("mode"):
        case "raise": raise ValueError("boom")
        case "dict": return {"score": 1}
        case "print": print("from python"); os.system("echo from a child")
        case "high": return EvalResult(score=2.0)
        case "set": return EvalResult(score=1, details={"a": object()})
    status = EvalStatus.PASSED if input.config.get("mode") == "status" else None
    details = {"version": input.protocol_version, "turns": len(input.invocations)}
    return EvalResult(
        score=0.5, status=status, per_invocation_scores=[0.5, None], details=details
    )

@evaluator
async def later(input):
    await asyncio.sleep(0)
    return EvalResult(score=0.25)

if __name__ == "__main__":
    (later if len(sys.argv) > 1 else judge).run()
    print("printed after the result")
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("sdk") / "judge.py"
    path.write_text(PROGRAM)
    return path


def run(program: Path, stdin: object, *args: str):
    text = stdin if isinstance(stdin, str) else json.dumps(stdin)
    return execute(program, *args, stdin=text)


def execute(*args: object, stdin: str = ""):
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, *args],
        input=stdin,
        env=env,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_function_becomes_a_program(program):
    done = run(program, {"metric_name": "x", "invocations": [{"final_response": None}]})

    assert done.returncode == 0
    assert done.stdout == (
        '{"score":0.5,"status":null,"per_invocation_scores":[0.5,null],'
        '"details":{"version":"1.1","turns":1}}\n'
    )


def test_an_async_function_becomes_a_program_too(program):
    done = run(program, {"metric_name": "x"}, "later")

    assert done.stdout == (
        '{"score":0.25,"status":null,"per_invocation_scores":[],"details":null}\n'
    )


def test_a_status_is_written_as_its_name(program):
    done = run(program, {"metric_name": "x", "config": {"mode": "status"}})

    assert json.loads(done.stdout)["status"] == "PASSED"


def test_whatever_the_author_prints_goes_to_stderr(program):
    done = run(program, {"metric_name": "x", "config": {"mode": "print"}})

    assert json.loads(done.stdout)["score"] == 0.5
    for said in ("while importing", "from python", "from a child", "after the result"):
        assert said in done.stderr


@pytest.mark.parametrize("version", ["2.0", "9.7", "next"])
def test_an_unknown_major_version_is_warned_about_and_still_scored(program, version):
    done = run(program, {"protocol_version": version, "metric_name": "x", "new": [1]})

    assert done.returncode == 0
    assert f"protocol {version}" in done.stderr
    assert json.loads(done.stdout)["details"]["version"] == version


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.99"])
def test_every_minor_version_is_taken_silently(program, version):
    done = run(program, {"protocol_version": version, "metric_name": "x"})

    assert "Warning" not in done.stderr


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        ("", "No input received on stdin"),
        ("hi", "Failed to parse input"),
        ({}, "metric_name"),
        (
            {
                "metric_name": "x",
                "invocations": [
                    {"intermediate_steps": {"tool_calls": [{"name": "a", "args": [1]}]}}
                ],
            },
            "tool_calls.0.args",
        ),
        ({"metric_name": "x", "config": {"mode": "raise"}}, "Evaluator function raised: boom"),
        ({"metric_name": "x", "config": {"mode": "dict"}}, "must return EvalResult, got dict"),
        ({"metric_name": "x", "config": {"mode": "high"}}, "less than or equal to 1"),
        ({"metric_name": "x", "config": {"mode": "set"}}, "cannot be written as JSON"),
    ],
)
def test_what_goes_wrong_is_said_on_stderr_and_ends_with_1(program, stdin, said):
    done = run(program, stdin)

    assert done.returncode == 1
    assert done.stdout == ""
    assert said in done.stderr


def test_an_exception_keeps_its_traceback_for_the_author(program):
    done = run(program, {"metric_name": "x", "config": {"mode": "raise"}})

    assert "judge.py" in done.stderr
    assert done.stderr.rstrip().endswith("ValueError: boom")


@evaluator
def long_enough(given: EvalInput) -> EvalResult:
    return EvalResult(score=float(len(given.invocations) > 1))


def test_the_function_can_be_called_directly_in_a_test():
    result = long_enough(EvalInput(metric_name="x", invocations=[{}, {}]))

    assert result.score == 1.0
    assert long_enough.__name__ == "long_enough"


@pytest.mark.parametrize("score", [True, "0.5", None, -0.1, 1.01, float("nan"), float("inf")])
def test_a_score_is_a_number_from_0_to_1(score):
    with pytest.raises(ValidationError):
        EvalResult(score=score)


@pytest.mark.parametrize("score", [0, 1, 0.5])
def test_whole_numbers_are_scores_too(score):
    assert EvalResult(score=score).score == score


def test_a_status_is_given_by_name_or_member():
    assert EvalResult(score=1, status="NOT_EVALUATED").status is EvalStatus.NOT_EVALUATED
    with pytest.raises(ValidationError):
        EvalResult(score=1, status="passed")


def test_the_sdk_is_imported_without_agentevals_and_without_asyncio():
    code = (
        "import sys, agentevals_evaluator_sdk;"
        "print([m for m in sys.modules if m.split('.')[0] in ('agentevals', 'asyncio')])"
    )

    assert execute("-c", code).stdout == "[]\n"


def test_a_turn_tells_what_the_recording_lacks():
    turn = {"completeness": {"tool_calls": "withheld", "a_fact_of_tomorrow": "recorded"}}
    said = EvalInput.model_validate({"metric_name": "m", "invocations": [turn, {}]})

    assert said.invocations[0].completeness == turn["completeness"]
    assert said.invocations[1].completeness is None


def test_lines_of_a_batch_become_lines_with_their_ids(program, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_BATCH", "1")
    modes = {"a": "print", "b": "raise", "c": "dict", "d": "set", "e": "status"}
    asked = [{"id": n, "metric_name": "x", "config": {"mode": m}} for n, m in modes.items()]
    asked.append({"id": "f"})

    done = run(program, "".join(f"{json.dumps(one)}\n" for one in asked))

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in answers] == ["a", "b", "c", "d", "e", "f"]
    assert (answers[0]["score"], answers[4]["status"]) == (0.5, "PASSED")
    assert answers[1]["error"].endswith("ValueError: boom\n")
    assert "must return EvalResult, got dict" in answers[2]["error"]
    assert "cannot be written as JSON" in answers[3]["error"]
    assert "metric_name" in answers[5]["error"]
    assert "from a child" in done.stderr
    assert done.returncode == 0


def test_without_a_batch_nothing_is_read_line_by_line(program):
    done = run(program, json.dumps({"metric_name": "x"}, indent=1))

    assert json.loads(done.stdout)["score"] == 0.5
