import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Expectation, Overrides, Plan
from agentevals.graders.agentv.composite import Composite
from agentevals.graders.text.text_checks import Contains
from agentevals.model.errors import InputError

CONFIG = """
judge: {model: gpt-5-mini}
gate: {on_not_evaluated: warn, allow_missing: true}
group_by: conversation
pair: position
trace_format: otlp-json
evaluators:
- {name: tool_trajectory_avg_score, type: builtin, threshold: 0.2}
- {name: mine, type: code, path: mine.py, threshold: 0.3}
- {name: safety_v1, type: builtin, threshold: 0.4, judge_model: gpt-5}
- {name: cheap, type: token_usage_v1, max: 1}
"""


@pytest.fixture
def compiled(tmp_path):
    def with_overrides(**given):
        path = tmp_path / "c.yaml"
        path.write_text(CONFIG)
        return compile_plan(path, Overrides(**given))

    return with_overrides


def thresholds(plan):
    return [(grader.name, grader.threshold) for grader in plan.graders]


def test_without_options_the_config_holds(compiled):
    plan = compiled()

    assert thresholds(plan) == [
        ("tool_trajectory_avg_score", 0.2),
        ("mine", 0.3),
        ("safety_v1", 0.4),
        ("cheap", 0.5),
    ]
    assert (plan.group_by, plan.trace_format) == ("conversation", "otlp-json")
    assert plan.pair == "position"
    assert not plan.policy.fail_on_not_evaluated
    assert not plan.policy.fail_on_missing


def test_options_for_builtins_reach_every_builtin_of_the_config(compiled):
    plan = compiled(threshold=0.9, judge_model="gpt-4.1", trajectory_match_type="IN_ORDER")

    assert thresholds(plan) == [
        ("tool_trajectory_avg_score", 0.9),
        ("mine", 0.3),
        ("safety_v1", 0.9),
        ("cheap", 0.9),
    ]
    assert plan.graders[0].trajectory_match_type == "IN_ORDER"
    assert plan.graders[2].judge_model == "gpt-4.1"
    assert plan.judge.model == "gpt-4.1"


def test_named_metrics_replace_their_namesakes_and_take_the_options_alone(compiled):
    plan = compiled(
        metrics=("response_match_score", "tool_trajectory_avg_score"),
        threshold=0.9,
        judge_model="gpt-4.1",
    )

    assert thresholds(plan) == [
        ("tool_trajectory_avg_score", 0.9),
        ("mine", 0.3),
        ("safety_v1", 0.4),
        ("cheap", 0.5),
        ("response_match_score", 0.9),
    ]
    assert plan.graders[2].judge_model == "gpt-5"
    assert plan.judge.model == "gpt-5-mini"


def test_the_other_options_win_over_the_config(compiled):
    plan = compiled(
        group_by="trace",
        pair="auto",
        trace_format="jaeger-json",
        on_not_evaluated="fail",
        allow_missing=False,
    )

    assert (plan.group_by, plan.trace_format) == ("trace", "jaeger-json")
    assert plan.pair == "auto"
    assert plan.policy.fail_on_not_evaluated
    assert plan.policy.fail_on_missing


def test_metrics_alone_need_no_config():
    plan = compile_plan(
        None, Overrides(metrics=("safety_v1",), threshold=0, judge_model="gpt-5-mini")
    )

    assert thresholds(plan) == [("safety_v1", 0)]
    assert plan.graders[0].judge_model == "gpt-5-mini"
    assert plan.judge.model == "gpt-5-mini"


def test_metrics_are_enough_for_a_config_without_evaluators(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("jobs: 2\n")

    plan = compile_plan(path, Overrides(metrics=("response_match_score",)))

    assert thresholds(plan) == [("response_match_score", 0.5)]


def test_auto_is_no_trace_format():
    assert compile_plan(None, Overrides(trace_format="auto")).trace_format is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threshold": 1.5}, "--threshold 1.5: must be a number from 0 to 1"),
        ({"threshold": float("nan")}, "--threshold nan: must be a number from 0 to 1"),
        ({"metrics": ("response_match",)}, "did you mean 'response_match_score'?"),
        ({"metrics": ("code",)}, "--metric code: there is no such builtin"),
        ({"metrics": ("safety_v1",) * 2}, "--metric safety_v1: named twice; remove one"),
        ({"trace_format": "otlp"}, "--format otlp: unknown format (did you mean 'otlp-json'?)"),
        ({"judge_model": "someone"}, "--judge-model someone: cannot tell who serves 'someone'"),
    ],
)
def test_options_that_cannot_be(given, message):
    with pytest.raises(InputError) as refused:
        compile_plan(None, Overrides(**given))

    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["cost_v1", "invocation_duration_v1", "token_usage_v1"])
def test_a_builtin_that_needs_settings_cannot_be_named_alone(name):
    with pytest.raises(InputError, match=f"--metric {name}: .* missing; .*, in an entry of a conf"):
        compile_plan(None, Overrides(metrics=(name,)))


def contains(name):
    return Contains(name=name, value="x")


def composite(name, *evaluators):
    return Composite(name=name, evaluators=evaluators)


def test_evaluators_that_others_are_made_of_are_among_all_of_them():
    deep = composite("a", contains("b"), composite("c", contains("d")))
    plan = Plan(
        title="p",
        graders=(deep, contains("e")),
        expectations=(Expectation(case_id="1", graders=(composite("f", contains("g")),)),),
    )

    assert [grader.name for grader in plan.all_graders] == ["a", "b", "c", "d", "e", "f", "g"]
    assert [grader.name for grader in plan.outer_graders] == ["a", "e", "f"]


def test_what_is_made_of_nothing_has_nothing_inside():
    assert contains("a").inner == ()
