import json

import pytest

from agentevals.configs import eval_sets
from agentevals.model.errors import ConfigError


@pytest.fixture
def load(tmp_path):
    def from_file(content, name="orders.json"):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        path.write_text(text, encoding="utf-8")
        return eval_sets.load(path)

    return from_file


@pytest.fixture
def problems(load):
    def of(content, name="orders.json"):
        with pytest.raises(ConfigError) as refused:
            load(content, name)
        return [(p.line, p.column, p.message) for p in refused.value.problems]

    return of


def said(text):
    return {"role": "user", "parts": [{"text": text}]}


def case(name, *questions):
    return {"eval_id": name, "conversation": [{"user_content": said(q)} for q in questions]}


def eval_set(*cases, **keys):
    return {"eval_set_id": "orders", "eval_cases": list(cases), **keys}


def test_an_eval_set_is_a_list_of_expectations(load):
    loaded = load(eval_set(case("a", "hello", "bye"), case("b", "hi")))

    assert loaded.eval_set_id == "orders"
    assert [(c.case_id, c.opening, len(c.turns)) for c in loaded.cases] == [
        ("a", "hello", 2),
        ("b", "hi", 1),
    ]
    assert loaded.findings == ()


def test_yaml_is_as_good(load):
    text = """
    eval_set_id: orders
    eval_cases:
    - eval_id: a
      conversation:
      - user_content: {parts: [{text: hello}]}
    """

    as_json = {"eval_id": "a", "conversation": [{"user_content": {"parts": [{"text": "hello"}]}}]}
    assert load(text, "orders.yaml").cases == load(eval_set(as_json)).cases


def test_lines_are_cases_or_eval_sets_or_questions(load):
    records = [case("a", "hello"), eval_set(case("b", "hi"), case("c", "ho")), {"query": "hm"}]
    text = "\n".join(json.dumps(record) for record in records)

    loaded = load(text, "lines.jsonl")

    assert [c.case_id for c in loaded.cases] == ["a", "b", "c", "lines-3"]
    assert loaded.eval_set_id == "orders"


def test_a_list_of_cases(load):
    loaded = load([case("a", "hello"), case("b", "hi")])

    assert [c.case_id for c in loaded.cases] == ["a", "b"]
    assert loaded.eval_set_id == "orders"  # the name of the file


QUESTION = {
    "query": "where is order 7?",
    "expected_tool_use": [{"tool_name": "find", "tool_input": {"order": 7}}, {"tool_name": "end"}],
    "expected_intermediate_agent_responses": [{"author": "agent", "text": "looking"}],
    "reference": "in Bremen",
}


def test_the_old_list_of_questions_is_one_conversation(load):
    [expected] = load([QUESTION, {"query": "thanks"}]).cases

    first, second = expected.turns
    assert expected.case_id == "orders"
    assert [(c.name, c.args) for c in first.tool_calls] == [("find", {"order": 7}), ("end", {})]
    assert (first.user, first.response, first.intermediate) == (
        "where is order 7?",
        "in Bremen",
        ("looking",),
    )
    assert (second.user, second.response, second.tool_calls) == ("thanks", None, ())


def test_an_old_question_may_say_what_its_tools_answer(load):
    [expected] = load(
        [{"query": "q", "expected_tool_use": [{"tool_name": "a", "mock_tool_output": {"n": 1}}]}]
    ).cases

    [call] = expected.turns[0].tool_calls
    assert (call.response, call.answered) == ({"n": 1}, True)


def test_a_list_of_lists_of_questions_is_several(load):
    loaded = load([[{"query": "a"}, {"query": "b"}], [{"query": "c"}]], "old.test.json")

    assert [(c.case_id, c.opening) for c in loaded.cases] == [("old-1", "a"), ("old-2", "c")]


def test_old_sessions_have_names(load):
    session = {"state": {"shop": "north"}}
    loaded = load([{"name": "first", "data": [QUESTION], "initial_session": session}])

    assert [c.case_id for c in loaded.cases] == ["first"]
    assert [c.labels for c in loaded.cases] == [{"initial_session": session}]


def test_a_case_that_is_there_twice_is_refused_with_both_places(problems):
    lines = [case("a", "hello"), case("b", "hi"), case("a", "bye")]

    assert problems("\n".join(map(json.dumps, lines)), "x.jsonl") == [
        (3, 1, "eval case 'a' is here twice, first at 1:1; rename one")
    ]


def test_the_same_case_again_counts_once_and_is_said(load):
    twice = [case("a", "hello"), {**case("a", "hello"), "x-note": "the same, in spite of this"}]

    loaded = load("\n".join(map(json.dumps, twice)), "x.jsonl")

    assert [c.case_id for c in loaded.cases] == ["a"]
    assert [f.rule for f in loaded.findings] == ["repeated-case"]


TOLD = "case 'a': unknown key 'rubric' (did you mean 'rubrics'?)"


def test_keys_that_adk_ignores_are_warned_about_once_at_their_first_place(load):
    loaded = load(
        eval_set(
            {**case("a", "x"), "rubric": []}, {**case("b", "y"), "rubric": [], "x-n": 3}, nmae="n"
        )
    )

    assert [(f.rule, f.line, f.message) for f in loaded.findings] == [
        ("unknown-key", 38, "unknown key 'nmae' (did you mean 'name'?); it is ignored"),
        (
            "unknown-key",
            18,
            f"{TOLD}; it is ignored, here and in 1 more place",
        ),
    ]


def test_they_are_errors_in_a_strict_eval_set(problems):
    written = {**case("a", "x"), "rubric": []}

    assert [
        found[2] for found in problems(eval_set(written, **{"x-agentevals": {"strict": True}}))
    ] == ["case 'a': unknown key 'rubric' (did you mean 'rubrics'?)"]


def test_the_old_format_ignores_keys_at_any_depth(load):
    use = {"tool_name": "t", "tool_inputs": {}}
    loaded = load([{"query": "a", "expected_tools": [], "expected_tool_use": [use]}])

    assert sorted(finding.message for finding in loaded.findings) == [
        f"unknown key {key} (did you mean {near!r}?); it is ignored"
        for key, near in (
            ("'expected_tool_use[0].tool_inputs'", "tool_input"),
            ("'expected_tools'", "expected_tool_use"),
        )
    ]
    assert [call.name for call in loaded.cases[0].turns[0].tool_calls] == ["t"]


def test_an_eval_set_without_cases_is_said(load):
    assert [f.rule for f in load(eval_set()).findings] == ["empty-eval-set"]


def test_every_mistake_of_every_case_at_once(problems):
    broken = {"eval_id": "b"}
    typo = {"eval_id": "c", "conversation": [{"user_content": said("x"), "final_respons": {}}]}

    found = problems(eval_set(case("a", "x"), broken, typo))

    one_kind = "'eval_cases[1]': a case has either 'conversation' or 'conversation_scenario'"
    typo_at = "'eval_cases[2].conversation[0].final_respons'"
    assert [(line, message) for line, _, message in found] == [
        (19, f"{one_kind}, and this has neither"),
        (34, f"unknown key {typo_at} (did you mean 'final_response'?)"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "'eval_set_id' is missing"),
        ({"resourceSpans": []}, "this is a trace, not an eval set; name it after 'run'"),
        ({"data": [{"traceID": "1", "spans": []}]}, "this is a trace, not an eval set"),
        ({"evalSetId": "s", "eval_cases": []}, "'eval_set_id' is missing; write it instead of "),
        ({"eval_set_id": 3, "eval_cases": []}, "'eval_set_id' must be text, not 3"),
        ([{"eval_idd": "a"}], "expected an eval case or an eval set"),
        ([3], "expected an eval case or an eval set"),
        ([[3]], "must be a mapping, not 3"),
        ("3", "expected an eval case or an eval set"),
        ('{"eval_set_id": "s", "eval_cases": [', "not valid JSON: expected a value, found the end"),
        ("[" * 5_000 + "]" * 5_000, "nested deeper than 200 levels; flatten it"),
    ],
)
def test_what_is_no_eval_set(problems, content, message):
    assert any(message in found for _, _, found in problems(content))


def test_an_expected_answer_of_a_tool_without_a_call_is_named_with_its_place(load):
    asked = {"invocation_id": "i", "user_content": said("a")}
    data = {
        "tool_uses": [{"name": "look_up"}],
        "tool_responses": [{"name": "look_up"}, {"name": "book"}],
    }
    whole = {"eval_id": "c", "conversation": [asked | {"intermediate_data": data}]}

    [finding] = load(json.dumps({"eval_set_id": "s", "eval_cases": [whole]})).findings

    assert finding.rule == "stray-answer"
    assert finding.message == (
        "eval case 'c', turn 1: no expected call has the expected answer of 'book', so nothing "
        "judges it; add the call, or give both one id"
    )
    assert (finding.line, finding.column > 1) == (1, True)
