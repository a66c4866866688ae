import socket

import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.programs.code import Code
from agentevals.model.conversations import Turn
from agentevals.model.errors import EvaluatorError, InputError
from tests.support import case, paired

ECHO = """
import json, sys
given = json.load(sys.stdin)
print(json.dumps({"score": 0.5, "details": given}))
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "ev.py"
    path.write_text(ECHO)
    return path


def code(path, **settings):
    return Code(name="ev", path=path, **settings)


def grade(path, a_case=None, services=None, **settings):
    return code(path, **settings).grade(a_case or case(), services or Services())


def test_a_program_judges_a_case(program):
    expected = [Turn(user="hello", response="done")]
    told = grade(
        program, paired([Turn(user="hello")], expected), threshold=0.7, config={"a": [1]}
    ).details

    assert (told["metric_name"], told["threshold"], told["config"]) == ("ev", 0.7, {"a": [1]})
    assert told["expected_invocations"][0]["final_response"] == "done"


def test_a_program_is_told_the_figures_of_the_conversation_and_of_each_turn(program):
    first, second = grade(program, paired([Turn(), Turn()], None)).details["invocations"]

    assert first["performance_metrics"]["counts"]["invocations"] == 2
    assert second["performance_metrics"] == first["performance_metrics"]
    assert second["turn_performance_metrics"]["counts"]["invocations"] == 1


def test_the_isolation_that_was_reached_is_in_the_grade(program):
    assert grade(program).isolation


def test_a_run_may_demand_more_isolation_than_the_config(program):
    with pytest.raises(EvaluatorError, match="evaluator 'ev'"):
        grade(program, services=Services(isolation="no such level"), isolation="basic")


NETWORK = """
import json, socket
try:
    socket.create_connection(("127.0.0.1", %d), timeout=5).close()
    print('{"score": 1}')
except OSError as error:
    print(json.dumps({"score": 0, "details": {"reason": str(error)}}))
"""


@pytest.mark.parametrize(("granted", "score"), [(False, 0.0), (True, 1.0)])
def test_the_network_is_granted_by_the_config(tmp_path, listener, granted, score):
    program = tmp_path / "ev.py"
    program.write_text(NETWORK % listener)

    assert grade(program, network=granted).score == score


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    "settings",
    [
        {"timeout": 0},
        {"timeout": -5},
        {"timeout": "abc"},
        {"timeout": True},
        {"timeout": float("inf")},
        {"threshold": 2},
        {"memory_mb": 0},
        {"isolation": "total"},
        {"treshold": 0.5},
        {"image": "python:3.12-slim"},
    ],
)
def test_settings_that_make_no_sense_are_refused(program, settings):
    with pytest.raises(ValidationError):
        code(program, **settings)


def test_what_is_wrong_is_found_before_anything_runs(program, tmp_path):
    assert code(program).problems() == []
    assert "does not exist" in code(tmp_path / "nope.py").problems()[0]
    assert "did you mean 'local'" in code(program, executor="locl").problems()[0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"path": "nope.py"}, "does not exist"),
        ({"path": f"{'x' * 5000}.py"}, "does not exist"),
        ({"path": "nul\0.py"}, "does not exist"),
        ({"path": "/dev/null"}, "is not a file"),
        ({"path": "."}, "is a directory"),
        ({"executor": "locl"}, "unknown executor 'locl'"),
    ],
)
def test_what_is_wrong_costs_only_this_evaluator(program, settings, said):
    wrong = Code(name="ev", **({"path": program} | settings))

    with pytest.raises(InputError, match=f"^evaluator 'ev': .*{said}"):
        wrong.grade(case(), Services())


def test_the_answer_is_checked(program):
    program.write_text("""print('{"score": true}')""")

    with pytest.raises(EvaluatorError, match="gave the score true"):
        grade(program)
