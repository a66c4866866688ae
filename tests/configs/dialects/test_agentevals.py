import pytest

from agentevals.configs.dialects import compile_plan, find_problems
from agentevals.configs.plan import Overrides
from agentevals.model.errors import ConfigError

CASE = '{"eval_id": "%s", "conversation": [{"user_content": {"parts": [{"text": "hi"}]}}]}'
TRAJECTORY = "evaluators:\n- {name: tool_trajectory_avg_score, type: builtin}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    return tmp_path


def write(path, text):
    path.write_text(text)
    return path


def test_paths_are_relative_to_the_config(folder):
    config = write(
        folder / "configs" / "c.yaml",
        "traces: t.json\neval_set: e.jsonl\nevaluators:\n- {name: a, type: code, path: ../a.py}\n",
    )
    write(folder / "configs" / "e.jsonl", CASE % "beside")
    write(folder / "e.jsonl", CASE % "in the working directory")

    plan = compile_plan(config)

    assert [e.case_id for e in plan.expectations] == ["beside"]
    assert plan.traces == (str(folder / "configs" / "t.json"),)
    assert str(plan.graders[0].path) == str(folder / "configs" / ".." / "a.py")
    assert plan.findings == ()


def test_a_relative_config_gives_absolute_paths(folder):
    write(folder / "c.yaml", "evaluators:\n- {name: a, type: code, path: a.py}\n")

    [grader] = compile_plan((folder / "c.yaml").relative_to(folder)).graders

    assert grader.path == folder / "a.py"


def test_paths_that_exist_only_in_the_working_directory_are_used_and_said(folder):
    config = write(
        folder / "configs" / "c.yaml",
        "eval_set: e.jsonl\ntraces: '*.trace'\nevaluators:\n- {name: a, type: code, path: a.py}\n",
    )
    write(folder / "e.jsonl", CASE % "here")
    write(folder / "a.py", "")
    write(folder / "x.trace", "")

    plan = compile_plan(config)

    assert [e.case_id for e in plan.expectations] == ["here"]
    assert plan.graders[0].path == folder / "a.py"
    assert plan.traces == (str(folder / "*.trace"),)
    assert [(f.rule, f.line) for f in plan.findings] == [
        ("path-from-working-directory", 4),
        ("path-from-working-directory", 1),
        ("path-from-working-directory", 2),
    ]


def test_the_eval_set_of_the_command_line_wins(folder):
    config = write(folder / "c.yaml", "eval_set: nowhere.json\n" + TRAJECTORY)
    given = write(folder / "given.jsonl", CASE % "given")

    plan = compile_plan(config, Overrides(eval_set=given))

    assert [e.case_id for e in plan.expectations] == ["given"]


def test_what_is_to_be_said_about_the_eval_set_is_in_the_plan(folder):
    config = write(folder / "c.yaml", "eval_set: e.json\n" + TRAJECTORY)
    write(folder / "e.json", '{"eval_set_id": "e", "eval_cases": [], "note": 1}')

    assert [f.rule for f in compile_plan(config).findings] == ["unknown-key", "empty-eval-set"]


def test_json_is_a_config_too(folder):
    config = write(folder / "c.json", '{"evaluators": [{"name": "safety_v1", "type": "builtin"}]}')

    assert [g.name for g in compile_plan(config).graders] == ["safety_v1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("evaluators: " + "[" * 5_000, "nested deeper than 200 levels"),
        ("a: &a [x, x, x, x, x, x, x, x]\n" * 2, "the key 'a' is here twice"),
        ("", "the file is empty"),
        ("evaluators: [{name: a, type: code, path: \"a\\0b\", timeout: 0}]", "must be more than 0"),
        ("eval_set: \"a\\0b\"\n" + TRAJECTORY, "the eval set 'a\\x00b' does not exist"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_in_a_sentence(folder, text, message):
    with pytest.raises(ConfigError) as refused:
        compile_plan(write(folder / "c.yaml", text))

    assert message in str(refused.value)


def test_without_a_config_the_default_metric_is_run():
    plan = compile_plan(None)

    assert [g.type for g in plan.graders] == ["tool_trajectory_avg_score"]
    assert plan.expectations is None


def test_what_is_wrong_with_an_evaluator_is_said_at_its_place_but_does_not_stop_the_run(folder):
    config = write(
        folder / "c.yaml",
        "evaluators:\n- {name: good, type: token_usage_v1, max: 1}\n"
        "- {name: bad, type: code, path: nowhere.py}\n",
    )

    plan = compile_plan(config)
    problems = [str(problem) for problem in find_problems(config, plan)]

    assert len(plan.graders) == 2
    assert len(problems) == 1
    assert problems[0].startswith(f"{config}:3:3: evaluator 'bad': ")
    assert "nowhere.py" in problems[0]


def test_evaluators_that_nobody_named_are_told_apart_by_a_number(folder):
    config = write(
        folder / "c.yaml",
        "evaluators:\n"
        "- {type: latency, max_ms: 1}\n"
        "- {type: latency, max_ms: 2}\n"
        "- {name: latency-2, type: latency, max_ms: 3}\n"
        "- {type: similar, value: x}\n"
        "- {type: similar, value: y}\n",
    )

    plan = compile_plan(config)

    names = [grader.name for grader in plan.graders]
    assert names == ["latency", "latency-3", "latency-2", *names[3:]]
    assert len(set(names)) == 5


def test_what_is_wrong_with_one_that_nobody_named_is_said_at_its_line(folder):
    config = write(
        folder / "c.yaml",
        "evaluators:\n"
        "- {type: contains, value: x}\n"
        "- {type: code_judge, command: [python3]}\n"
        "- {type: code_judge, command: [no-such-program-here]}\n",
    )

    (problem,) = find_problems(config, compile_plan(config))

    assert problem.line == 4
    assert "code-judge-2" in problem.message


def test_a_name_that_is_made_of_a_value_is_short_and_one_line(folder):
    config = write(
        folder / "c.yaml", f'evaluators:\n- {{type: equals, value: "a\\nb\\u001b{"c" * 500}"}}\n'
    )

    (grader,) = compile_plan(config).graders

    assert grader.name.startswith("equals-a b c")
    assert len(grader.name) == 120


@pytest.mark.parametrize(
    ("entry", "threshold"),
    [
        ("type: contains, value: x", 0.8),
        ("type: contains, value: x, required: 0.6", 0.6),
        ("type: contains, value: x, config: {required: 0.6}", 0.6),
        ("type: contains, value: x, required: 0.6, threshold: 0.7", 0.7),
        ("type: contains, value: x, required: 0.9", 0.8),
        ("type: contains, value: x, required: true", 0.8),
        ("type: latency, threshold: 5000, required: 0.6", 0.8),
        ("name: response_match_score, type: builtin, required: 0.3", 0.5),
    ],
)
def test_a_score_that_is_required_is_enough_for_types_that_would_ask_for_more(
    folder, entry, threshold
):
    config = write(folder / "c.yaml", f"evaluators:\n- {{{entry}}}\n")

    [grader] = compile_plan(config).graders

    assert grader.threshold == threshold


def test_in_an_eval_file_the_mean_decides_whatever_an_evaluator_passes_at(folder):
    config = write(
        folder / "EVAL.yaml",
        "tests: [{id: a, input: q}]\nassert:\n- {type: contains, value: x, required: 0.6}\n",
    )

    [grader] = compile_plan(config).graders

    assert (grader.threshold, grader.required) == (0.8, 0.6)


def test_an_accepted_case_that_the_eval_set_does_not_have_is_said_at_its_place(folder):
    write(folder / "e.jsonl", CASE % "phoenix")
    text = f"eval_set: e.jsonl\n{TRAJECTORY}gate:\n  accept:\n"
    for name in ("fenix", "phoenix", "rome"):
        text += f"  - {{case: {name}, reason: known, until: 2099-01-01}}\n"

    plan = compile_plan(write(folder / "c.yaml", text))

    called = "'gate.accept': no eval case is called"
    assert [str(found) for found in plan.findings] == [
        f"{folder}/c.yaml:6:12: {called} 'fenix' (did you mean 'phoenix'?)",
        f"{folder}/c.yaml:8:12: {called} 'rome'; check its name",
    ]


def test_without_an_eval_set_any_case_may_be_accepted(folder):
    text = f"{TRAJECTORY}gate:\n  accept: [{{case: any, reason: known, until: 2099-01-01}}]\n"

    assert compile_plan(write(folder / "c.yaml", text)).findings == ()
