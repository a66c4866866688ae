from agentevals.graders.programs.judges.spelling import to_camel, to_camel_case, to_snake_case

MESSAGE = {
    "role": "assistant",
    "content": {"user_key": 1},
    "start_time": "t",
    "tool_calls": [{"tool": "a", "input": {"query_text": 1, "toolCalls": 2}, "duration_ms": 3}],
}
IN_CAMEL = {
    "role": "assistant",
    "content": {"user_key": 1},
    "startTime": "t",
    "toolCalls": [{"tool": "a", "input": {"query_text": 1, "toolCalls": 2}, "durationMs": 3}],
}


def test_our_keys_are_spelt_both_ways_and_those_of_users_stay():
    assert to_camel_case([MESSAGE]) == [IN_CAMEL]
    assert to_snake_case([IN_CAMEL]) == [MESSAGE]
    assert to_snake_case([MESSAGE]) == [MESSAGE]


def test_what_is_no_list_of_calls_is_left_alone():
    odd = [{"tool_calls": None}, {"tool_calls": "text"}, {"tool_calls": ["text", 7]}]

    assert to_snake_case(odd) == odd


def test_a_name_of_several_words_in_camel_case():
    assert [to_camel(key) for key in ("answer", "candidate_answer", "cost_usd")] == [
        *("answer", "candidateAnswer", "costUsd"),
    ]
