import os

import pytest
from pydantic import ValidationError

from agentevals.graders.adk import adk_function
from agentevals.graders.adk.adk_function import AdkFunction
from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.model.cases import Case, Scenario, Status, Task
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.text import wording
from tests.support import DATA, case, conversation, paired, turn

AGENT = DATA / "foreign/adk/my_agent"
HEAD = """
from google.adk.evaluation.eval_case import *
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def result(score, status, turns, **fields):
    return EvaluationResult(
        overall_score=score,
        overall_eval_status=EvalStatus[status],
        per_invocation_results=[
            PerInvocationResult(actual_invocation=t, score=score, eval_status=EvalStatus[status])
            for t in turns
        ],
        **fields,
    )


"""
PLAIN = "def f(m, a, e, s):"
RANGE = {
    "metric_name": "m",
    "metric_value_info": {"interval": {"min_value": -1.0, "max_value": 1.0}},
}


@pytest.fixture
def written(tmp_path):
    """A grader on the function `own.f`, with this signature and body."""

    def write(body, signature=PLAIN, head=HEAD, **settings):
        (tmp_path / "own.py").write_text(f"{head}{signature}\n    {body}\n")
        return AdkFunction(
            **{"name": "m", "function": "own.f", "folder": tmp_path, "criterion": 0.5, **settings}
        )

    return write


def grade(grader, a_case=None):
    return grader.grade(a_case or case(), Services())


def refused(grader, a_case=None, kind=EvaluatorError):
    with pytest.raises(kind) as error:
        grade(grader, a_case)
    return str(error.value)


def unloaded(grader):
    """What is said of code that cannot be used: a mistake in what the user wrote, in any case."""
    told = refused(grader, kind=InputError)
    assert grader.inspect(Services()) == [told]
    return told


def seen(expression):
    return (
        f"return result(1, 'PASSED', a, overall_rubric_scores="
        f"[RubricScore(rubric_id='seen', rationale=str({expression}))])"
    )


def rationale(grade_):
    return grade_.details["rubric_scores"][0]["rationale"]


@pytest.mark.parametrize(
    ("answers", "expected", "score", "status"),
    [
        (["a", "b"], ["a", "b"], 1.0, Status.PASSED),
        (["a", "b"], ["a", "z"], 0.5, Status.FAILED),
        (["a", "b"], None, None, Status.NOT_EVALUATED),
    ],
)
def test_a_metric_judges_as_it_stands_though_its_agent_cannot_be_imported(
    answers, expected, score, status
):
    function = "my_agent.metrics.check_final_response_exact_match"
    grader = AdkFunction(name="m", function=function, folder=AGENT, criterion=0.8)

    wanted = None if expected is None else map(turn, expected)

    found = grade(grader, paired(map(turn, answers), wanted))

    assert (found.score, found.status) == (score, status)


def test_an_async_metric_is_waited_for():
    grader = AdkFunction(
        name="m", function="my_agent.metrics.check_for_profanity", folder=AGENT, criterion=0.9
    )

    found = grade(grader, paired([turn("fine"), turn("PROFANITY")], None))

    assert (found.score, found.status, found.per_turn) == (0.5, Status.FAILED, (1.0, 0.0))


def test_its_own_status_is_final(written):
    assert grade(written("return result(0.9, 'FAILED', a)")).status is Status.FAILED
    assert grade(written("return result(0.1, 'PASSED', a)")).status is Status.PASSED


@pytest.mark.parametrize(("score", "status"), [(0.4, Status.FAILED), (0.6, Status.PASSED)])
@pytest.mark.parametrize("own", ["NOT_EVALUATED", "FAILED", "PASSED"])
def test_the_threshold_decides_for_a_function_of_three_parameters(written, own, score, status):
    grader = written(f"return result({score}, '{own}', a)", "def f(a, e, s):")

    assert grade(grader).status is status


@pytest.mark.parametrize(
    "signature",
    [
        PLAIN,
        "async def f(m, a, e, s):",
        "def f(m, a, e=None, s=None):",
        "def f(*given):\n    m, a, e, s = given",
        "def f(m, a, e, s, more=1):",
    ],
)
def test_four_arguments_are_handed_to_whatever_takes_them(written, signature):
    assert grade(written("return result(1, 'PASSED', a)", signature)).score == 1


def test_three_parameters_are_not_taken_for_the_turns_that_the_first_of_them_is_not(written):
    signature = "def f(eval_metric, actual_invocations, expected_invocations):"
    body = "return result(1, 'PASSED', actual_invocations)"

    assert unloaded(written(body, signature)) == (
        "evaluator 'm': own.f takes (eval_metric, actual_invocations, expected_invocations), which "
        "is not what a metric is called with: write (eval_metric, actual_invocations, "
        "expected_invocations, conversation_scenario), or as in the first release "
        "(actual_invocations, expected_invocations, conversation_scenario)"
    )


@pytest.mark.parametrize("recorded", [1, 3])
def test_more_or_fewer_turns_than_expected_are_not_evaluated(written, recorded):
    a_case = paired([turn("a")] * recorded, [turn("a")] * 2)

    found = grade_case(written("return result(1, 'PASSED', a)"), a_case, Services())

    assert (found.status, found.score) == (Status.NOT_EVALUATED, None)
    assert f"the number of turns differs: {recorded} recorded, 2 expected" in found.misses[0]


def test_the_turns_of_a_task_only_say_how_a_conversation_begins(written):
    conversed = conversation(turn("a"), turn("b"))
    a_case = Case(conversation=conversed, expected=(turn("a"),), task=Task(question="hello"))

    found = grade_case(written("return result(1, 'PASSED', a)"), a_case, Services())

    assert found.status is Status.PASSED


@pytest.mark.parametrize(("score", "share"), [(-1, 0.0), (0, 0.5), (1, 1.0), (0.5, 0.75)])
def test_a_score_is_a_share_of_the_range_and_stays_visible_as_it_is(written, score, share):
    grader = written(f"return result({score}, 'PASSED', a)", metric_info=RANGE)

    found = grade(grader)

    assert (found.score, found.per_turn) == (share, (share,))
    assert (found.details["raw_score"], found.details["range"]) == (score, [-1.0, 1.0])
    assert (grader.threshold, found.details["raw_threshold"]) == (0.75, 0.5)
    assert found.scale == (-1.0, 1.0)


def test_a_score_outside_the_range_is_shown_as_it_is_and_said(written):
    found = grade_case(written("return result(7, 'PASSED', a)"), case(), Services())

    assert (found.score, found.details["raw_score"]) == (1.0, 7)
    assert wording.write_judgement(found) == "7.00"
    assert found.reasoning == "the score 7 lies outside 0 to 1; metric_info can give the range"


@pytest.mark.parametrize(
    ("score", "threshold", "shown"),
    [
        (30, 60, "30.00, needs 60.00"),
        (87, 60, "87.00"),
        (0.9, 60, "0.90, needs 60.00"),
        (-3, 0.5, "-3.00, needs 0.50"),
        (1.7e308, 0.5, "1.00"),
    ],
)
def test_without_a_range_a_threshold_is_shown_as_it_is_too(written, score, threshold, shown):
    status = "PASSED" if score >= threshold else "FAILED"
    grader = written(f"return result({score}, '{status}', a)", criterion=threshold)

    found = grade_case(grader, case(), Services())

    assert wording.write_judgement(found) == shown
    # a score is compared with those of other runs, so that its range cannot be that of one run
    assert found.per_turn == (found.score,) == (max(0.0, min(1.0, score)),)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return result(0.7, 'NOT_EVALUATED', a)", "says NOT_EVALUATED beside the score 0.7"),
        ("return result(None, 'PASSED', a)", "gave no overall_score"),
        ("return EvaluationResult()", "gave no overall_score"),
        ("return EvaluationResult(overall_score=1.0)", "says NOT_EVALUATED beside the score 1"),
    ],
)
def test_what_was_not_evaluated_says_so(written, body, reason):
    found = grade(written(body))

    assert (found.score, found.status) == (None, Status.NOT_EVALUATED)
    assert reason in found.misses[0]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return None", "own.f returned NoneType; return an EvaluationResult"),
        ("return 0.5", "own.f returned float; return an EvaluationResult"),
        ("raise ValueError('x')", "evaluator 'm': raised ValueError: x (own.py:"),
        ("return result(float('nan'), 'PASSED', a)", "gave the score 'nan'"),
        ("return result(1, 'PASSED', [])", "gave 0 per_invocation_results for 1 invocations"),
        ("return result(1, 'PASSED', a + a)", "gave 2 per_invocation_results for 1 invocations"),
    ],
)
def test_what_is_no_result_is_an_error(written, body, why):
    assert why in refused(written(body))


@pytest.mark.parametrize(
    ("signature", "settings", "why"),
    [
        ("def f(a, e):", {}, "own.f takes (a, e), which is not what a metric is called with"),
        (PLAIN, {"function": "own.ff"}, "has no 'ff'; did you mean 'f'?"),
        (PLAIN, {"function": "own.__name__"}, "does not refer to a callable, but to str"),
        (PLAIN, {"function": "owned.f"}, "there is no module 'owned'; looked in "),
        ("import nosuch\n" + PLAIN, {}, "No module named 'nosuch' (own.py:"),
        ("import google.adk.agents\n" + PLAIN, {}, "stands in for google-adk does not have it"),
        ("x = = 1\n" + PLAIN, {}, "could not import own.f: it raised SyntaxError"),
    ],
)
def test_a_function_that_cannot_be_called_says_why(written, signature, settings, why):
    assert why in unloaded(written("return 1", signature, **settings))


def test_the_function_sees_what_the_agent_did(written):
    calls = (
        ToolCall(name="T", args={"a": 1}, call_id="7", response={"z": 1}, answered=True),
        ToolCall(name="U", response=[1], answered=True),
        ToolCall(name="V", failed=True, error="boom"),
    )
    a_case = Case(
        conversation=conversation(turn("done", tool_calls=calls, intermediate=("hm",))),
        expected=(turn("wanted"),),
        scenario=Scenario(opening="hi", plan="ask"),
    )
    body = seen(
        "[[(c.id, c.name, c.args) for c in get_all_tool_calls(a[0].intermediate_data)],"
        " [r.response for r in get_all_tool_responses(a[0].intermediate_data)],"
        " a[0].intermediate_data.intermediate_responses[0][1][0].text,"
        " a[0].user_content.parts[0].text, e[0].final_response.parts[0].text,"
        " s.starting_prompt, m.criterion.threshold, m.criterion.foo, m.threshold]"
    )

    found = rationale(grade(written(body, criterion={"threshold": 0.5, "foo": "bar"}), a_case))

    assert found == str(
        [
            [("7", "T", {"a": 1}), (None, "U", {}), (None, "V", {})],
            [{"z": 1}, {"result": [1]}, {"error": "boom"}],
            "hm",
            "hello",
            "wanted",
            "hi",
            0.5,
            "bar",
            None,
        ]
    )


@pytest.mark.parametrize(
    ("settings", "threshold"),
    [
        ({"criterion": 0.25}, 0.25),
        ({"criterion": {"threshold": "0.25"}}, 0.25),
        ({"criterion": True}, 1.0),
        ({"criterion": 1.5}, 1.0),
        ({"criterion": 0.5, "metricInfo": RANGE}, 0.75),
        ({"criterion": 0.5, "threshold": 0.1}, 0.1),
    ],
)
def test_the_threshold_is_that_of_the_criterion(written, settings, threshold):
    assert written("pass", **settings).threshold == threshold


def test_a_package_is_found_by_the_config_in_it_without_a_repository(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "secret.py").write_text("KEY = 1")
    (folder / "helper.py").write_text("SCORE = 1")
    (folder / "own.py").write_text(
        f"from .helper import SCORE\n{HEAD}{PLAIN}\n    return result(SCORE, 'PASSED', a)\n"
        "def g(m, a, e, s):\n    import secret\n"
    )
    grader = AdkFunction(name="m", function="mine.own.f", folder=folder)

    assert grade(grader).score == 1
    assert "No module named 'secret'" in refused(
        grader.model_copy(update={"function": "mine.own.g"})
    )


def test_what_judges_is_known_by_the_text_of_its_module(written):
    first, again, other = (written(body).content for body in ("return 1", "return 1", "return 2"))

    assert first == again
    assert first != other


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": None},
        {"criterion": {"foo": 1}},
        {"criterion": float("nan")},
        {"criterion": [1]},
        {"function": "f"},
        {"function": "a..f"},
        {"metric_info": {**RANGE, "more": 1}},
        {"metric_info": {"metric_name": "m", "metric_value_info": {
            "interval": {"min_value": 1, "max_value": 1}}}},
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(written, settings):
    with pytest.raises(ValidationError):
        written("pass", **settings)


def test_it_begins_in_the_folder_of_the_config_or_above_it_within_the_repository(tmp_path):
    (tmp_path / ".git").mkdir()
    config = tmp_path / "evaluation" / "configs"
    config.mkdir(parents=True)
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "own.py").write_text(
        f"{HEAD}{PLAIN}\n    return result(1, 'PASSED', a)\n"
    )
    grader = AdkFunction(name="m", function="metrics.own.f", folder=config)

    assert grade(grader).score == 1


@pytest.fixture
def repository(tmp_path):
    """A repository with a package, an agent in it, and a config beside the agent."""
    (tmp_path / "outside.py").touch()
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "agents" / "mine").mkdir(parents=True)
    (root / "agents" / "mine" / "metrics.py").touch()
    (root / "shared.py").touch()
    return root


def test_folders_are_tried_from_the_config_up_to_the_repository(repository):
    folder = repository / "agents" / "mine"

    assert adk_function.find_places("nosuch.f", folder).tried == (
        folder,
        repository / "agents",
        repository,
    )


@pytest.mark.parametrize(
    ("function", "root", "home"),
    [
        ("metrics.f", "agents/mine", "agents/mine"),
        ("mine.metrics.f", "agents", "agents/mine"),
        ("agents.mine.metrics.f", "", "agents/mine"),
        ("shared.f", "", ""),
    ],
)
def test_the_folder_that_has_it_may_be_read_and_the_one_of_the_config(
    repository, function, root, home
):
    folder = repository / "agents" / "mine"

    places = adk_function.find_places(function, folder)

    assert places.roots == tuple(dict.fromkeys((repository / root, folder)))
    assert places.home == repository / home


def test_a_module_that_is_called_nearly_the_same_is_named(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/metrics.py").write_text("def f(m, a, e, s): ...\n")

    told = unloaded(AdkFunction(name="m", function="mine.metric.f", folder=tmp_path))

    assert "there is no module 'mine.metric' (did you mean 'mine.metrics'?); looked in" in told


def test_nothing_outside_of_the_repository_is_looked_at(repository):
    assert adk_function.find_places("outside.f", repository / "agents").roots == (
        repository / "agents",
    )


def test_without_a_repository_nothing_above_is_looked_at(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    (tmp_path / "above.py").touch()

    assert adk_function.find_places("above.f", folder) == ((folder,), (folder,), folder, None)


def test_the_folder_of_the_config_may_be_the_package_though_what_is_around_it_is_not_read(tmp_path):
    folder = tmp_path / "mine"
    (folder / "inner").mkdir(parents=True)

    places = adk_function.find_places("mine.inner.metrics.f", folder)

    assert places == ((folder,), (folder,), folder / "inner", folder)


def test_without_a_repository_the_working_directory_is_looked_at_too(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert adk_function.find_places("x.f", folder).tried[-1] == tmp_path


def test_a_link_that_leads_out_of_the_repository_opens_nothing(repository):
    outside = repository.parent / "private"
    (outside / "inner").mkdir(parents=True)
    (repository / "private").symlink_to(outside)

    places = adk_function.find_places("private.inner.metrics.f", repository)

    assert places.home == repository
    assert places.roots == (repository,)


def test_a_link_within_the_repository_is_followed(repository):
    (repository / "linked").symlink_to(repository / "agents")

    assert (
        adk_function.find_places("linked.mine.metrics.f", repository).home
        == repository / "linked/mine"
    )


@pytest.mark.parametrize("function", ["f", "", "a..f", "a.f ", "a/b.f", "1a.f"])
def test_what_is_no_import_path_is_refused(function):
    with pytest.raises(ValueError, match="no import path"):
        adk_function.check_import_path(function)


def test_a_folder_that_is_not_there_is_found_out_before_a_run(tmp_path):
    (problem,) = adk_function.find_problems("a.f", tmp_path / "nosuch")

    assert problem.endswith("nosuch is no folder, so a.f cannot lie in it")


def test_pipes_and_devices_are_no_source(tmp_path):
    os.mkfifo(tmp_path / "requirements.txt")
    (tmp_path / "metrics.py").symlink_to("/dev/zero")

    assert adk_function.read_source("metrics.f", tmp_path) == b"\0\0"
