import json

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.graders.agentv.composite import AssertSet, Composite
from agentevals.graders.grader import NO_COST, Services
from agentevals.graders.grading import grade_case
from agentevals.graders.text.text_checks import Contains
from agentevals.model.cases import Status
from agentevals.model.errors import ConfigError
from tests.graders.llm.questions.scripted import ScriptedJudge
from tests.support import case

HIT = {"type": "contains", "value": "done"}
MISS = {"type": "contains", "value": "never", "name": "miss"}
PROGRAM = """
import json, sys
results = json.load(sys.stdin)["results"]
score = min(one["score"] for one in results.values())
print(json.dumps({"score": score, "verdict": "pass", "hits": sorted(results)}))
"""


def configured(folder, *entries):
    config = folder / "eval_config.yaml"
    config.write_text(json.dumps({"evaluators": list(entries)}))
    return compile_plan(config).graders


def composite(folder, *children, key="evaluators", **settings):
    entry = {"name": "all", "type": "composite", key: list(children), **settings}
    (grader,) = configured(folder, entry)
    return grader


def refused(folder, *children, **settings):
    with pytest.raises(ConfigError) as caught:
        composite(folder, *children, **settings)
    return "\n".join(problem.message for problem in caught.value.problems)


@pytest.mark.parametrize("key", ["evaluators", "assertions", "assert"])
def test_without_an_aggregator_it_is_the_weighted_mean(tmp_path, key):
    result = grade_case(composite(tmp_path, HIT, MISS, key=key), case("done"), Services())

    assert result.score == 0.5
    assert result.hits == ('[contains-done] Output contains "done"',)
    assert [child["name"] for child in result.details["children"]] == ["contains-done", "miss"]


def test_weights_of_the_aggregator_come_before_those_of_the_evaluators(tmp_path):
    grader = composite(
        tmp_path,
        {**HIT, "name": "hit", "weight": 5},
        MISS,
        aggregator={"type": "weighted_average", "weights": {"hit": 1, "miss": 3}},
    )

    assert grade_case(grader, case("done"), Services()).score == 0.25


def test_without_those_the_evaluators_weigh_what_they_say_themselves(tmp_path):
    grader = composite(
        tmp_path, {**HIT, "weight": 3}, MISS, aggregator={"type": "weighted_average"}
    )

    assert grade_case(grader, case("done"), Services()).score == 0.75


def test_composites_are_made_of_composites(tmp_path):
    inner = {"name": "inner", "type": "composite", "evaluators": [HIT, {**MISS, "negate": True}]}

    result = grade_case(composite(tmp_path, inner), case("done"), Services())

    assert result.score == 1
    assert result.hits == (
        '[inner] [contains-done] Output contains "done"',
        '[inner] [miss] Output does not contain "never"',
    )


def test_evaluators_that_nobody_named_are_numbered(tmp_path):
    named = {**HIT, "name": "contains-done-2"}

    grader = composite(tmp_path, HIT, named, HIT)

    assert [child.name for child in grader.evaluators] == [
        "contains-done",
        "contains-done-2",
        "contains-done-3",
    ]


def test_a_program_makes_the_judgement(tmp_path):
    (tmp_path / "lowest.py").write_text(PROGRAM)
    aggregator = {"type": "code-grader", "path": "python3 lowest.py"}

    grader = composite(tmp_path, HIT, MISS, aggregator=aggregator)
    result = grade_case(grader, case("done"), Services())

    assert result.score == 0
    assert result.status is Status.PASSED
    assert result.hits == ("contains-done", "miss")
    assert grader.waits
    assert grader.content
    assert grader.problems() == []
    grader.prepare()


def test_a_program_that_is_not_there_is_said_before_it_runs(tmp_path):
    grader = composite(
        tmp_path, HIT, aggregator={"type": "code_judge", "path": "no-such-program-here"}
    )

    (problem,) = grader.problems()

    assert problem.startswith("its aggregator ")
    assert grade_case(grader, case("done"), Services()).status is Status.ERROR


@pytest.mark.parametrize(
    ("children", "settings", "message"),
    [
        ([], {}, "'evaluators' must not be empty"),
        ([MISS, MISS], {}, "the name 'miss' is in it twice"),
        ([5], {}, "an evaluator is a mapping with 'name' and 'type'"),
        ([{"type": "contians", "value": "x"}], {}, "did you mean 'contains'"),
        ([{"type": "contains", "value": ""}], {}, "'value' must not be empty"),
        ([MISS], {"aggregator": {"type": "lowest"}}, "there is no aggregator 'lowest'"),
        (
            [MISS],
            {"aggregator": {"weights": {"mis": 1}}},
            "names 'mis', which is not among its evaluators (did you mean 'miss'?)",
        ),
        (
            [MISS],
            {"aggregator": {"type": "safety_gate", "required": ["safety"]}},
            "'aggregator.required' names 'safety'",
        ),
        ([MISS], {"aggregator": {"type": "threshold"}}, "'threshold' needs 'threshold'"),
        ([MISS], {"assert": [HIT]}, "unknown key 'assert'"),
        ([], {"assertion": [HIT]}, "unknown key 'assertion' (did you mean 'assertions'?)"),
        ([MISS], {"besid": "x"}, "unknown key 'besid' (known: name, "),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(tmp_path, children, settings, message):
    assert message in refused(tmp_path, *children, **settings)


def test_all_that_is_wrong_inside_is_said_at_once(tmp_path):
    said = refused(tmp_path, {"type": "regex", "value": "("}, {"type": "equals", "value": 42})

    assert "missing )" in said
    assert "'value' must be text" in said


@pytest.mark.parametrize(("levels", "problem"), [(48, ""), (60, "nested deeper than 50 levels")])
def test_there_is_an_end_to_composites_in_composites(tmp_path, levels, problem):
    entry = HIT
    for level in range(levels):
        entry = {"name": f"c{level}", "type": "composite", "evaluators": [entry]}

    if problem:
        assert problem in refused(tmp_path, entry)
    else:
        assert composite(tmp_path, entry).evaluators


def test_a_judge_makes_the_judgement(tmp_path):
    grader = composite(tmp_path, HIT, MISS, aggregator={"type": "llm-grader"})

    result = grade_case(grader, case("done"), Services(judge=ScriptedJudge({"score": 0.75})))

    assert grader.judged
    assert result.score == 0.75
    assert grade_case(grader, case(), Services(unjudged="no")).status is Status.NOT_EVALUATED


def test_a_prompt_may_lie_in_a_file(tmp_path):
    (tmp_path / "prompt.md").write_text("Be strict: {{EVALUATOR_RESULTS_JSON}}")
    judge = ScriptedJudge({"score": 1})

    grader = composite(tmp_path, HIT, aggregator={"type": "llm_judge", "prompt": "prompt.md"})
    grade_case(grader, case("done"), Services(judge=judge))

    assert judge.prompts[0].startswith("Be strict: <<<EVALUATOR_RESULTS")


def test_the_example_of_the_specification_is_understood(tmp_path):
    (tmp_path / "safety.md").write_text("Is {{answer}} safe?")
    children = [
        {"name": "safety", "type": "llm_judge", "prompt": "./safety.md"},
        {"name": "quality", "type": "llm_judge", "prompt": "Is {{answer}} good?"},
    ]
    aggregator = {"type": "safety_gate", "required": ["safety"]}
    judge = ScriptedJudge({"score": 0.5}, {"score": 1})

    grader = composite(tmp_path, *children, aggregator=aggregator)
    result = grade_case(grader, case("done"), Services(judge=judge))

    assert result.score == 0
    assert result.misses == ("[safety] scored 0.5, below the gate of 0.6",)


def test_it_asks_somebody_only_where_it_has_to():
    plain = Composite(name="c", evaluators=[Contains(name="a", value="x")])

    assert not plain.waits
    assert not plain.judged
    assert plain.content == ""


DONE = Contains(name="hit", value="done", weight=3)
NEVER = Contains(name="miss", value="never")


@pytest.mark.parametrize(
    ("settings", "score", "status"),
    [
        ({"evaluators": [DONE, NEVER]}, 0.75, Status.FAILED),
        ({"evaluators": [DONE]}, 1, Status.PASSED),
        ({"evaluators": [DONE, NEVER], "threshold": 0.7}, 0.75, Status.PASSED),
        ({"evaluators": [DONE, NEVER.model_copy(update={"weight": 0})]}, 1, Status.PASSED),
    ],
)
def test_all_have_to_pass_unless_a_threshold_decides(settings, score, status):
    result = grade_case(AssertSet(name="s", **settings), case("done"), Services())

    assert result.score == score
    assert result.status is status


def test_a_threshold_that_is_given_makes_it_another_evaluator():
    assert AssertSet(name="s", evaluators=[DONE], threshold=0.8).content
    assert not AssertSet(name="s", evaluators=[DONE]).content


@pytest.mark.parametrize("kind", ["composite", "assert_set"])
@pytest.mark.parametrize("negate", [False, True])
def test_without_what_one_of_them_measures_the_others_decide_nothing(tmp_path, kind, negate):
    children = [HIT, {"type": "cost", "budget": 1}]
    entry = {"name": "all", "type": kind, "assertions": children, "negate": negate}
    (grader,) = configured(tmp_path, entry)
    result = grade_case(grader, case("done"), Services())

    assert result.status is Status.NOT_EVALUATED
    assert result.misses == (f"not all of its evaluators could judge this: cost: {NO_COST}",)
