import json

import pytest

from agentevals.configs.dialects import (
    compile_plan,
    find_line,
    find_problems,
    find_remarks,
    recognise,
)
from agentevals.configs.plan import Overrides
from agentevals.model.errors import ConfigError, InputError
from tests.support import case

CHECK = "assert: [{type: contains, value: x}]\n"
ONE = "tests: [{id: a, input: q}]\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def compiled(here):
    def from_text(text, name="EVAL.yaml", **overrides):
        (here / name).write_text(text)
        return compile_plan(here / name, Overrides(**overrides))

    return from_text


def only(plan):
    [wanted] = plan.expectations
    return wanted


def names(graders):
    return [grader.name for grader in graders]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.yaml", CHECK + ONE, "agentv"),
        ("eval_config.yaml", CHECK + ONE, "agentv"),
        ("a.json", json.dumps({"evalcases": [], "execution": {}}), "agentv"),
        ("a.yaml", "evaluators: []\ntests: []", "agentv"),
        ("a.yaml", "judge: {}\ntraces: []\ntests: []", "agentv"),
        ("a.yaml", CHECK + "tsets: []", "agentv"),
        ("a.jsonl", '{"id": "a", "input": "q"}', "agentv"),
        ("a.jsonl", '{"id": "a", "inptu": "q", "assert": []}', "agentv"),
        ("EVAL.yaml", "evaluators: []", "agentevals"),
        ("EVAL.yaml", "metrics: []\nexecution: {}", "agentevals"),
        ("EVAL.yaml", "gate: {}\njudge: {}", "agentevals"),
        ("EVAL.yaml", "criteria: {response_match_score: 0.8}", "adk"),
    ],
)
def test_what_stands_in_a_file_says_which_kind_it_is(here, name, text, kind):
    (here / name).write_text(text)

    assert recognise(here / name) == kind


@pytest.mark.parametrize(
    "text",
    [
        '{"eval_set_id": "s", "eval_cases": []}',
        '{"evalSetId": "s", "evalCases": []}',
        '{"eval_id": "a", "tests": []}',
        "services: {}",
        "[1, 2]",
    ],
)
def test_an_eval_set_is_no_eval_file(here, text):
    (here / "a.json").write_text(text)

    with pytest.raises(ConfigError):
        recognise(here / "a.json")


@pytest.mark.parametrize(
    ("written", "messages", "question"),
    [
        ("Hi", [("user", "Hi")], "Hi"),
        ({"role": "user", "content": "Hi"}, [("user", "Hi")], "Hi"),
        ([{"role": "user", "content": "Hi"}], [("user", "Hi")], "Hi"),
        (["Hi", "there"], [("user", ["Hi", "there"])], "Hi\nthere"),
        ([{"type": "text", "value": "Hi"}], [("user", [{"type": "text", "value": "Hi"}])], "Hi"),
        (
            [{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}],
            [("system", "S"), ("user", "Hi")],
            "@[System]:\nS\n\n@[User]:\nHi",
        ),
        (
            [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}],
            [("user", "Hi"), ("assistant", "")],
            "@[User]:\nHi",
        ),
        ({"order": 7}, [("user", {"order": 7})], '{\n  "order": 7\n}'),
    ],
)
@pytest.mark.parametrize("key", ["input", "input_messages"])
def test_the_input_in_every_form(compiled, key, written, messages, question):
    task = only(compiled(json.dumps({"assert": ["x"], "tests": [{"id": "a", key: written}]}))).task

    assert [(message["role"], message["content"]) for message in task.input] == messages
    assert task.question == question


@pytest.mark.parametrize(
    ("written", "content", "reference"),
    [
        ("7", "7", "7"),
        ({"a": 1}, {"a": 1}, '{\n  "a": 1\n}'),
        ([1, 2], [1, 2], "[\n  1,\n  2\n]"),
        ([], [], "[]"),
        ({"role": "assistant", "content": "7"}, "7", "7"),
        ([{"role": "user", "content": "u"}, {"role": "assistant", "content": "7"}], "7", "7"),
        (42, 42, "42"),
        (False, False, "false"),
    ],
)
@pytest.mark.parametrize("key", ["expected_output", "expected_messages"])
def test_the_expected_output_in_every_form(compiled, key, written, content, reference):
    test = {"id": "a", "input": "q", key: written}
    wanted = only(compiled(json.dumps({"assert": ["x"], "tests": [test]})))

    assert wanted.task.expected_output[-1]["content"] == content
    assert wanted.task.reference == reference
    assert len(wanted.turns) == 1


def test_expected_calls_are_those_of_the_turn_however_they_are_spelt(compiled):
    calls = [
        {"tool": "a", "input": {"x": 1}, "id": "1"},
        {"id": "2", "type": "function", "function": {"name": "b", "arguments": '{"y": 2}'}},
        {"tool": "c"},
        {"function": {"name": "d", "arguments": "not json"}},
    ]
    message = {"role": "assistant", "tool_calls": calls}
    test = {"id": "a", "input": "q", "expected_output": [message]}
    wanted = only(compiled(json.dumps({"assert": ["x"], "tests": [test]})))

    [turn] = wanted.turns
    assert [(call.name, call.args) for call in turn.tool_calls] == [
        ("a", {"x": 1}),
        ("b", {"y": 2}),
        ("c", None),
        ("d", None),
    ]
    assert turn.response is None
    assert json.loads(wanted.task.reference) == calls


def test_the_turns_of_a_conversation_are_expected_one_by_one(compiled):
    turns = "[{input: Hi, expected_output: Hello}, {input: Bye}]"
    wanted = only(compiled(f"{CHECK}tests: [{{id: a, mode: conversation, turns: {turns}}}]"))

    assert [(turn.user, turn.response) for turn in wanted.turns] == [("Hi", "Hello"), ("Bye", None)]
    assert wanted.opening == "Hi"


def test_the_input_of_the_file_comes_first_and_does_not_pair(compiled):
    text = (
        "input: [{role: user, content: Common}]\n"
        "input_files: [shared.txt]\n"
        + CHECK
        + "tests:\n- {id: a, input: Own}\n- {id: b, input: Own2, execution: {skip_defaults: true,"
        " assert: [{type: contains, value: y}]}}\n"
    )
    first, second = compiled(text).expectations

    assert [message["role"] for message in first.task.input] == ["user", "user"]
    assert first.task.input[0]["content"] == "Common"
    assert [block["value"] for block in first.task.input[1]["content"]] == ["shared.txt", "Own"]
    assert first.opening == "Own"
    assert [message["content"] for message in second.task.input] == ["Own2"]


@pytest.mark.parametrize(
    ("test", "own", "ignored"),
    [
        ({"assertions": ["A"], "assert": ["B"]}, "A", ["assert"]),
        ({"assert": ["B"], "execution": {"evaluators": ["C"]}}, "B", ["evaluators"]),
        ({"execution": {"evaluators": ["C"]}, "evaluators": ["D"]}, "C", ["evaluators"]),
        ({"evaluators": ["D"]}, "D", []),
        ({"assertions": None, "assert": ["B"]}, "B", []),
    ],
)
def test_of_several_lists_one_counts_and_the_others_are_named(compiled, test, own, ignored):
    entries = {
        key: [{"name": value[0], "type": "contains", "value": "v"}] if value else value
        for key, value in test.items()
        if key != "execution"
    }
    for key, value in test.get("execution", {}).items():
        entries["execution"] = {key: [{"name": value[0], "type": "contains", "value": "v"}]}
    plan = compiled(json.dumps({"tests": [{"id": "a", "input": "q", **entries}]}))

    assert names(only(plan).graders) == [own]
    assert [found.rule for found in plan.findings] == ["second-list"] * len(ignored)


def test_names_are_made_of_what_is_checked_and_differ_within_a_test(compiled):
    same = "{type: contains, value: x}"
    plan = compiled(
        f"assert: [{same}, {same}]\ntests:\n- {{id: a, input: q, assert: [{same}]}}\n"
        f"- {{id: b, input: r, assert: [{same}]}}\n"
    )

    assert names(plan.graders) == ["contains-x", "contains-x-2"]
    assert [names(wanted.graders) for wanted in plan.expectations] == [["contains-x-3"]] * 2
    assert plan.findings == ()


def test_a_name_that_people_gave_twice_is_said_once(compiled):
    one = "{name: n, type: contains, value: x}"
    plan = compiled(f"assert: [{one}, {one}, {one}]\n{ONE}")

    assert names(plan.graders) == ["n", "n-2", "n-3"]
    assert [(found.rule, found.line) for found in plan.findings] == [("same-name", 1)]
    assert "the name 'n' is taken; this is 'n-2'" in plan.findings[0].message


def test_a_name_made_of_a_value_is_one_short_line(compiled):
    value = "a\nb\x1b[31m" + "c" * 500
    entry = {"type": "contains", "value": value}
    plan = compiled(json.dumps({"assert": [entry], "tests": [{"id": "a", "input": "q"}]}))

    [name] = names(plan.graders)
    assert name.isprintable()
    assert len(name) == 120
    assert plan.graders[0].value == value


def test_criteria_of_a_test_in_every_spelling(compiled):
    tests = "".join(
        f"- {{id: {key}, input: q, {key}: c}}\n"
        for key in ("criteria", "expected_outcome", "outcome")
    )

    assert [e.criteria for e in compiled(f"{CHECK}tests:\n{tests}").expectations] == ["c"] * 3


def test_the_command_line_wins(compiled):
    text = f"execution: {{threshold: 0.7}}\npair: position\ngroup_by: trace\n{CHECK}{ONE}"
    plan = compiled(text)
    changed = compiled(
        text,
        threshold=0.5,
        pair="auto",
        group_by="conversation",
        metrics=("response_match_score",),
        on_not_evaluated="warn",
        allow_missing=True,
        judge_model="gpt-5-mini",
    )

    assert (plan.policy.pass_at, plan.policy.borderline_at, plan.pair) == (0.7, 0.6, "position")
    assert (changed.policy.pass_at, changed.policy.borderline_at) == (0.5, 0.5)
    assert (changed.pair, changed.group_by) == ("auto", "conversation")
    assert names(changed.graders) == ["contains-x", "response_match_score"]
    assert (changed.policy.fail_on_missing, changed.policy.fail_on_not_evaluated) == (False, False)
    assert changed.judge.model == "gpt-5-mini"


def test_metrics_of_the_command_line_judge_tests_without_evaluators(compiled):
    plan = compiled(ONE, metrics=("response_match_score",))

    assert names(plan.graders) == ["response_match_score"]


def test_a_second_eval_set_is_refused(compiled, here):
    with pytest.raises(InputError, match="an EVAL file has its own tests"):
        compiled(CHECK + ONE, eval_set=here / "e.json")


def test_what_the_environment_says_is_put_in(compiled, monkeypatch):
    monkeypatch.setenv("SHOP", "Anvil")
    monkeypatch.delenv("NOWHERE", raising=False)
    plan = compiled(
        'assert: [{type: contains, value: "${{ SHOP }}-{{ env.SHOP }}"}]\n'
        'workspace: {hooks: {before_all: "${{ GITHUB_TOKEN }}"}}\n'
        'tests: [{id: a, input: "q${{NOWHERE}}"}]'
    )

    assert plan.graders[0].value == "Anvil-Anvil"
    assert only(plan).opening == "q"
    assert [(found.rule, found.line) for found in plan.findings] == [
        ("of-running", None),
        ("no-such-variable", 3),
    ]


def test_no_secret_of_the_environment_is_read_or_shown(compiled, monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2")

    with pytest.raises(ConfigError) as refused:
        compiled('assert: [{type: contains, value: "${{ DEPLOY_TOKEN }}"}]\n' + ONE)

    assert "DEPLOY_TOKEN is named like a secret" in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("PGPASSWORD", "hunter2", "is named like a secret"),
        ("GITHUBTOKEN", "hunter2", "is named like a secret"),
        ("mysecret", "hunter2", "is named like a secret"),
        ("SENTRY_DSN", "hunter2", "is named like a secret"),
        ("SLACK_WEBHOOK_URL", "hunter2", "is named like a secret"),
        ("DATABASE_URL", "postgres://me:hunter2@db/shop", "holds an address with a password"),
    ],
)
def test_what_is_no_less_a_secret_is_not_read_either(compiled, monkeypatch, name, value, why):
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigError) as refused:
        compiled(f'assert: [{{type: contains, value: "{{{{ env.{name} }}}}"}}]\n' + ONE)

    assert f"the variable {name} {why}" in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("name", ["TOKENIZER", "AUTHOR", "KEYBOARD", "DATABASE_URL", "COMPASS"])
def test_what_only_sounds_like_a_secret_is_read(compiled, monkeypatch, name):
    monkeypatch.setenv(name, "https://host:5432/@shop")
    plan = compiled(f'assert: [{{type: contains, value: "${{{{ {name} }}}}"}}]\n' + ONE)

    assert plan.graders[0].value == "https://host:5432/@shop"


@pytest.mark.parametrize(
    "text",
    [
        "vars: {a: %(long)s}\ntests: [{id: a, input: '%(many)s'}]",
        "vars: {b: c}\ntests: [{id: a, input: q, metadata: [&a '{{b}}%(long)s', %(aliases)s]}]",
        "tests: [{id: a, input: '%(environment)s'}]",
    ],
)
def test_variables_cannot_fill_the_memory(compiled, monkeypatch, text):
    monkeypatch.setenv("LONG", "x" * 100_000)
    parts = {
        "long": "x" * 100_000,
        "many": "{{a}}" * 1_001,
        "aliases": ",".join(["*a"] * 1_001),
        "environment": "${{LONG}}" * 1_001,
    }

    with pytest.raises(InputError, match="the EVAL file comes to more than 100,000,000 characters"):
        compiled("assert: [{type: contains, value: a}]\n" + text % parts)


def test_files_of_tests_that_name_each_other_come_to_an_end(here, compiled):
    for number in range(4):
        names = ", ".join(f"{'x/../' * many}{number + 1}.yaml" for many in range(20))
        (here / f"{number}.yaml").write_text(f"[{names}]")
    (here / "4.yaml").write_text("[{id: a, input: q}]")
    (here / "x").mkdir()

    with pytest.raises(ConfigError) as refused:
        compiled("assert: [{type: contains, value: a}]\ntests: 0.yaml")

    assert len(refused.value.problems) == 4 * 19
    assert "1.yaml' is named twice; keep one" in str(refused.value)


def test_templates_that_include_each_other_come_to_an_end(here, compiled):
    folder = here / ".agentv/templates"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text("[{include: b}, {include: b}]")
    (folder / "b.yaml").write_text(json.dumps(["polite"] * 100_000))

    with pytest.raises(ConfigError, match="templates come to more than 200,000 evaluators"):
        compiled(f"assert: [{{include: a}}]\n{ONE}")


def test_files_outside_of_the_root_are_not_read(here, compiled):
    (here / "inner").mkdir()
    (here / "secret.yaml").write_text("- {id: stolen, input: q}")
    (here / ".agentv/templates").mkdir(parents=True)
    (here / ".agentv/templates/shared.yaml").write_text("[{type: contains, value: secret}]")
    (here / "inner/link.yaml").symlink_to(here / "secret.yaml")
    (here / "prompt.md").write_text("Stolen {{stolen}}")
    text = (
        "evaluatorTemplate: file://../prompt.md\n"
        "assert: [{include: shared}, {include: ../secret.yaml}]\n"
        "tests: [../secret.yaml, link.yaml, {id: a, input: [{type: file, value: ../secret.yaml}]}]"
    )

    with pytest.raises(ConfigError) as refused:
        compiled(text, name="inner/EVAL.yaml", root=here / "inner")

    said = str(refused.value)
    assert said.count("leads out of the workspace") == 4
    assert "there is no template 'shared'" in said
    assert "stolen" not in said


def test_all_files_that_were_read_are_sources(compiled, here):
    (here / ".agentv/assertions").mkdir(parents=True)
    (here / ".agentv/targets.yaml").write_text("targets: []")
    (here / ".agentv/assertions/mine.py").write_text("")
    (here / "t.yaml").write_text("- {id: b, input: r, input_files: [letter.txt]}")
    (here / "letter.txt").write_text("Dear Sir")
    (here / "template.md").write_text("{{answer}}")
    (here / "prompt.md").write_text("Judge {{answer}}.")
    plan = compiled(
        "evaluatorTemplate: template.md\n"
        "assert: [{type: llm_judge, prompt: prompt.md}, {type: mine}]\ntests: [t.yaml]"
    )

    assert {path.name for path in plan.sources} == {
        *("EVAL.yaml", "letter.txt", "mine.py", "prompt.md", "t.yaml", "targets.yaml"),
        "template.md",
    }
    assert all(path.is_absolute() for path in plan.sources)


def test_an_evaluator_is_found_by_its_name_wherever_it_stands(compiled, here):
    compiled(
        "assert:\n- {type: contains, value: x}\n- {name: own, type: contains, value: y}\n"
        "tests:\n- id: a\n  input: q\n  execution:\n    evaluators:\n"
        "    - {name: deep, type: contains, value: z}\n"
    )

    found = [find_line(here / "EVAL.yaml", name) for name in ("contains-x", "own", "deep", "none")]
    assert found == [2, 3, 9, 1]


def test_what_keeps_an_evaluator_from_running_is_said_at_its_place(compiled, here):
    plan = compiled(f"assert:\n- {{name: bad, type: code, path: nowhere.py}}\n{ONE}")

    [problem] = find_problems(here / "EVAL.yaml", plan)
    assert str(problem).startswith(f"{here}/EVAL.yaml:2:3: evaluator 'bad': ")


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"type": "tool_trajectory", "minimums": {"a": 1}}, "because it has no 'mode'"),
        ({"type": "tool-trajectory", "mode": "any_order"}, "'any_order' has no 'minimums'"),
        (
            {
                "type": "tool_trajectory",
                "mode": "any_order",
                "minimums": {"a": 1},
                "expected": [{"tool": "b"}],
            },
            "'expected' where the mode is 'any_order'",
        ),
        ({"type": "composite", "assertions": []}, "because it has no 'aggregator'"),
        ({"type": "composite", "aggregator": {"type": "safety_gate"}}, "knows no 'safety_gate'"),
        (
            {
                "type": "composite",
                "aggregator": {"type": "threshold"},
                "assert": [{"type": "is_json", "weight": 2}],
            },
            "'weight' of what stands in it",
        ),
        *(
            (
                {
                    "type": "composite",
                    "aggregator": {"type": "threshold"},
                    "assert": [{"type": "is_json", key: True}],
                },
                f"'{key}' of what stands in it",
            )
            for key in ("required", "negate")
        ),
        ({"type": "field_accuracy", "fields": [{"path": "a"}]}, "because of its 'match'"),
        (
            {"type": "field_accuracy", "fields": [{"path": "a", "match": "date"}, {"path": "b"}]},
            "the field 'b'",
        ),
        ({"type": "execution_metrics", "max_input_tokens": 1}, "none of its limits"),
        ({"type": "equals", "value": 42}, "its 'value' is no text"),
        ({"type": "equals", "config": {"value": "42"}}, "its 'config'"),
        ({"type": "code_judge", "command": ["x"]}, "the type 'code_judge' from 4.0 on"),
        ({"type": "rubric", "rubrics": ["polite"]}, "the rubrics that are only a text"),
    ],
)
def test_what_agentv_leaves_out_without_a_word_is_remarked(here, entry, why):
    (here / "EVAL.yaml").write_text(json.dumps({"assert": [entry], "tests": []}))

    [found] = find_remarks(here / "EVAL.yaml")
    assert found.rule == "agentv-drops-this"
    assert why in found.message
    assert found.message.endswith("it runs here")
    assert found.line == 1


def test_the_same_reason_is_remarked_once(here):
    entries = [{"name": name, "type": "code_judge", "command": ["x"]} for name in "abc"]
    (here / "EVAL.yaml").write_text(json.dumps({"assert": entries, "tests": []}))

    [found] = find_remarks(here / "EVAL.yaml")
    assert found.message.startswith(
        "evaluator 'a' and 2 more: AgentV ignores the type 'code_judge'"
    )


def test_what_agentv_reads_as_well_is_not_remarked(here):
    entries = [
        {"type": "tool_trajectory", "mode": "any_order", "minimums": {"a": 1}},
        {"type": "field_accuracy", "fields": [{"path": "a", "match": "exact"}]},
        {"type": "execution_metrics", "max_tokens": 1},
        {"type": "code-grader", "command": ["x"]},
        {"type": "rubrics", "criteria": ["polite"]},
        {"type": "contains", "value": "x"},
        {"type": "unheard_of"},
        "polite",
        7,
    ]
    (here / "EVAL.yaml").write_text(json.dumps({"assert": entries, "tests": []}))

    assert list(find_remarks(here / "EVAL.yaml")) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tests: " + "[" * 5_000, "nested deeper than 200 levels"),
        ('tests: ["a\\0b"]\n' + CHECK, "there is no file of tests 'a\\x00b'"),
        ("tests: [.]\n" + CHECK, "there is no file of tests '.'"),
        ("tests: EVAL.yaml\n" + CHECK, "'assert' is not read in a file of tests"),
        ("tests: null\n" + CHECK, "'tests' holds no test"),
        ("tests: {a: 1}\n" + CHECK, "the tests must be a list, or the path of one"),
        ("assert: [{include: ../../etc}]\n" + ONE, "this is a folder|there is no such file"),
        ('assert: [{include: "a\\0b"}]\n' + ONE, "there is no template"),
        ("assert: [{type: ../../x}]\n" + ONE, "unknown type '../../x'"),
        ("judge: {model: 7}\n" + CHECK + ONE, "'judge.model' must be text"),
        ("trace_format: zip\n" + CHECK + ONE, "unknown format 'zip'"),
        ("vars: {a: '{{a}}'}\nassert: [{type: '{{a}}'}]\n" + ONE, "unknown type '{{a}}'"),
        (CHECK + "tests: [{id: a, input: q, x-own: 1, expected_output: .inf}]", "not a finite"),
        ("gate: {evaluators: {contains-y: {at_least: 1}}}\n" + CHECK + ONE, "no evaluator"),
        (
            CHECK + "execution: {target: [x]}\n" + ONE,
            "'target' must be text or a mapping, not a list",
        ),
    ],
)
def test_hostile_and_wrong_files_are_refused_in_a_sentence(compiled, text, message):
    with pytest.raises(ConfigError) as refused:
        compiled(text)

    assert any(part in str(refused.value) for part in message.split("|"))


def test_keys_of_ones_own_pass(compiled):
    test = "{id: a, input: q, x-note: {any: thing}}"

    assert compiled(f"x-anchor: 1\n{CHECK}tests: [{test}]").findings == ()


def test_keys_of_ones_own_pass_in_an_evaluator_as_well(compiled):
    plan = compiled("assert: [{type: contains, value: x, x-why: because}]\n" + ONE)

    assert names(plan.graders) == ["contains-x"]


def test_what_holds_for_every_test_is_said_once(compiled, monkeypatch):
    monkeypatch.delenv("NOWHERE", raising=False)
    entry = [{"type": "contains", "value": "x"}]
    tests = [
        {"id": str(n), "input": "${{ NOWHERE }}q", "assert": entry, "evaluators": entry}
        for n in range(50)
    ]

    assert [found.rule for found in compiled(json.dumps({"tests": tests})).findings] == [
        "no-such-variable",
        "second-list",
    ]


def test_the_bounds_of_the_gate_come_before_a_threshold_of_agentv(compiled):
    plan = compiled(f"gate: {{pass_at: 0.9}}\nexecution: {{threshold: 0.7}}\n{CHECK}{ONE}")

    assert (plan.policy.pass_at, plan.policy.borderline_at) == (0.9, 0.6)


@pytest.mark.parametrize(
    ("written", "required"),
    [("min_score: 0.5", None), ("min_score: 0.5, required: true", 0.5), ("required: true", 0.8)],
)
def test_a_least_score_only_means_something_where_it_is_required(compiled, written, required):
    plan = compiled(f"assert: [{{type: contains, value: x, {written}}}]\n{ONE}")

    assert plan.graders[0].required == required


TEST = {"id": "a", "input": "q"}
JUDGED = {"evaluatorTemplate": "Is {{answer}} good", "evaluators": [{"type": "llm_judge"}]}


@pytest.mark.parametrize(
    "document",
    [
        {**JUDGED, "tests": [TEST]},
        {"execution": JUDGED, "tests": [TEST]},
        {"tests": [{**TEST, **JUDGED}]},
        {"tests": [{**TEST, "execution": JUDGED}]},
    ],
    ids=["file", "execution of the file", "test", "execution of a test"],
)
def test_the_template_of_judges_may_stand_wherever_evaluators_do(compiled, document):
    plan = compiled(json.dumps(document))

    [judge] = [*plan.graders, *only(plan).graders]
    assert judge.template == "Is {{answer}} good"


def test_settings_may_stand_in_the_config_of_an_evaluator(compiled, here):
    (here / ".agentv/assertions").mkdir(parents=True)
    (here / ".agentv/assertions/mine.py").touch()
    plan = compiled(
        "evaluatorTemplate: Of the file {{answer}}\n"
        "vars: {word: DENIED}\n"
        "assert:\n"
        "- {type: llm_judge, config: {template: 'Of its own {{answer}}'}}\n"
        "- {type: contains, config: {value: '{{word}}', min_score: 0.5, required: true}}\n"
        "- {type: composite, name: both, config: {assert: [\n"
        "    {type: is_json, config: {required: true}}]}}\n"
        "- {type: mine, config: {command: left alone}}\n" + ONE
    )
    asked, denied, both, mine = plan.graders

    assert asked.template == "Of its own {{answer}}"
    assert (denied.name, denied.value, denied.required) == ("contains-DENIED", "DENIED", 0.5)
    assert both.inner[0].required == 0.8
    assert mine.config == {"command": "left alone"}
    assert find_line(here / "EVAL.yaml", "is-json") == 7


def test_a_glob_does_not_find_the_file_that_it_stands_in(compiled, here):
    (here / "more.yaml").write_text("- {id: b, input: r}")

    assert [e.case_id for e in compiled(CHECK + 'tests: ["*.yaml"]').expectations] == ["b"]


@pytest.mark.parametrize("depth", [5, 6])
def test_files_of_tests_name_others_to_a_depth(compiled, here, depth):
    for level in range(1, depth):
        (here / f"{level}.yaml").write_text(f"[{level + 1}.yaml]")
    (here / f"{depth}.yaml").write_text("- {id: deep, input: q}")

    if depth == 5:
        assert only(compiled(CHECK + "tests: [1.yaml]")).case_id == "deep"
        return
    with pytest.raises(ConfigError, match="is more than 5 files deep"):
        compiled(CHECK + "tests: [1.yaml]")


def test_a_text_in_a_composite_is_a_rubric(compiled):
    parts = "assert: [it is polite, {name: c, type: contains, value: x}]"
    both = f"assert: [{{name: k, type: composite, aggregator: {{type: minimum}}, {parts}}}]\n"

    [made] = compiled(both + ONE).graders

    assert [part.type for part in made.inner] == ["rubric", "contains"]


@pytest.mark.parametrize(
    ("value", "text"), [("true", "true"), ("null", ""), ("1.5", "1.5"), ("a b", "a b")]
)
def test_a_variable_is_put_in_as_it_is_written(compiled, value, text):
    plan = compiled(f"vars: {{v: {value}}}\n{CHECK}tests: [{{id: a, input: 'is {{{{v}}}}.'}}]")

    assert only(plan).opening == f"is {text}."


def test_a_test_may_have_a_threshold_of_its_own(compiled):
    text = (
        "execution: {threshold: 0.7}\nassert: [{type: is_json}]\ntests:\n"
        "- {id: a, input: q}\n- {id: b, input: r, execution: {threshold: 0.5}}\n"
    )

    def bounds(plan):
        reached = [plan.policy_for(case("", eval_case_id=name)) for name in ("a", "b")]
        return [(policy.pass_at, policy.borderline_at) for policy in reached]

    assert bounds(compiled(text)) == [(0.7, 0.6), (0.5, 0.5)]
    assert bounds(compiled(text, threshold=0.9)) == [(0.9, 0.6), (0.9, 0.6)]


def test_an_accepted_case_that_no_test_has_is_said_at_its_place(compiled):
    accept = "gate:\n  accept:\n  - {case: aa, reason: known, until: 2099-01-01}\n"

    plan = compiled(f"{CHECK}tests: [{{id: aaa, input: q}}]\n{accept}")

    [found] = plan.findings
    assert (found.line, found.column) == (5, 12)
    assert found.message == "'gate.accept': no eval case is called 'aa' (did you mean 'aaa'?)"


INNER = "{name: i, type: contains, value: x, value_of: y}"
IGNORED = [
    ("licence: MIT\n", "unknown key 'licence' (did you mean 'license'?)"),
    ("execution: {treshold: 0.5}\n", "unknown key 'treshold' (did you mean 'threshold'?)"),
    (
        "tests: [{id: a, input: q, critera: c}]\n",
        "test 'a': unknown key 'critera' (did you mean 'criteria'?)",
    ),
    (
        "assert: [{name: n, type: contains, value: x, wieght: 2}]\n",
        "evaluator 'n': unknown key 'wieght' (did you mean 'weight'?)",
    ),
    (
        "assert: [{type: rubric, rubrics: [{id: r, outcome: o, wieght: 2}]}]\n",
        "evaluator 'rubrics': unknown key 'rubrics[0].wieght' (did you mean 'weight'?)",
    ),
    (
        f"assert: [{{type: composite, aggregator: {{type: minimum}}, assert: [{INNER}]}}]\n",
        "evaluator 'i': unknown key 'value_of' (did you mean 'value'?)",
    ),
    (
        "assert: [{name: n, type: contains, config: {value: x, valeu: y}}]\n",
        "evaluator 'n': unknown key 'config.valeu' (did you mean 'value'?)",
    ),
]


@pytest.mark.parametrize(("written", "told"), IGNORED)
def test_a_key_that_agentv_ignores_is_warned_about_at_its_place(compiled, written, told):
    rest = "".join(part for part in (CHECK, ONE) if part[:6] != written[:6])
    plan = compiled(written + rest)

    found = next(one for one in plan.findings if one.message.startswith(told))

    assert found.message == f"{told}; it is ignored"
    assert (found.rule, found.severity, found.line) == ("unknown-key", "warning", 1)
    assert plan.expectations


@pytest.mark.parametrize(("written", "told"), IGNORED)
def test_it_is_refused_where_the_file_is_strict(compiled, written, told):
    rest = "".join(part for part in (CHECK, ONE) if part[:6] != written[:6])

    with pytest.raises(ConfigError) as refused:
        compiled(f"{written}{rest}x-agentevals: {{strict: true}}\n")

    assert told in [problem.message for problem in refused.value.problems]


def test_a_key_of_many_tests_is_warned_about_once(compiled):
    tests = "".join(f"- {{id: t{number}, input: q, foo: 1}}\n" for number in range(4))

    [found] = compiled(f"{CHECK}tests:\n{tests}").findings

    assert found.message.startswith("test 't0': unknown key 'foo' (known: ")
    assert found.message.endswith("; it is ignored, here and in 3 more places")
    assert found.line == 3


def test_the_keys_of_ones_own_are_passed_over_at_any_depth(compiled):
    entry = "{type: rubric, rubrics: [{id: r, outcome: o, x-owner: me}]}"

    assert compiled(f"x-team: a\nassert: [{entry}]\n{ONE}").findings == ()


def test_the_settings_beside_lines_may_be_strict(here, compiled):
    (here / "EVAL.yaml").write_text(f"{CHECK}x-agentevals: {{strict: true}}\n")

    with pytest.raises(ConfigError, match=r"EVAL\.jsonl:1:27: test 'a': unknown key 'inputs'"):
        compiled('{"id": "a", "input": "q", "inputs": 1}', "EVAL.jsonl")


def test_a_program_of_a_type_that_lies_outside_of_the_project_is_refused_with_a_remedy(
    tmp_path, monkeypatch
):
    monkeypatch.chdir("/")
    (tmp_path / ".agentv/assertions").mkdir(parents=True)
    (tmp_path / ".agentv/assertions/mine.py").touch()
    (tmp_path / "evals").mkdir()
    path = tmp_path / "evals/EVAL.yaml"
    path.write_text("tests: [{id: a, input: q, assert: [{type: mine}]}]\n")

    with pytest.raises(ConfigError) as refused:
        compile_plan(path)

    [problem] = refused.value.problems
    assert "mine.py', lies outside of the project" in problem.message
    assert f"run this in '{tmp_path}', or make that a git repository" in problem.message
    monkeypatch.chdir(tmp_path)
    assert compile_plan(path).outer_graders
