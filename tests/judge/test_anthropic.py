import pytest

from agentevals.judge import JudgeAnswerError
from agentevals.model.errors import UnavailableError
from tests.judge.models import SCHEMA, YES, judge_at, message, refusal, tool_use
from tests.servers import Script, as_json, reply, serve


def ask(server, **settings):
    judge = judge_at(
        server, provider="anthropic", environ={"K": "k-1"}, api_key_env="K", **settings
    )
    return judge.ask("Is it?", schema=SCHEMA)


def test_the_model_has_to_call_a_tool_with_the_answer():
    with serve(Script(message(tool_use(YES)))) as server:
        assert ask(server, temperature=1.5) == YES

    seen = server.seen[0]
    assert seen.path == "/v1/messages"
    assert (seen.headers["x-api-key"], seen.headers["anthropic-version"]) == ("k-1", "2023-06-01")
    assert "authorization" not in seen.headers
    assert seen.document == {
        "model": "judge-1",
        "messages": [{"role": "user", "content": "Is it?"}],
        "max_tokens": 4096,
        "temperature": 1.0,
        "tools": [{"name": "answer", "description": "Give the answer", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "answer"},
    }


def test_an_address_without_version():
    with serve(Script(message(tool_use(YES)))) as server:
        ask(server, base_url=server.url)

    assert server.seen[0].path == "/v1/messages"


def test_a_server_without_forced_tools_is_given_the_schema_in_words():
    text = {"type": "text", "text": '{"reasoning": "r", "verdict": "no"}'}
    with serve(Script(refusal("tool_choice: not here"), message(text, stop="end_turn"))) as server:
        assert ask(server)["verdict"] == "no"

    assert "tools" not in server.seen[1].document


def test_a_tool_call_that_does_not_fit_is_asked_for_again():
    wrong = message(tool_use({"verdict": "maybe"}))
    with serve(Script(wrong, message(tool_use(YES)))) as server:
        assert ask(server) == YES

    roles = [said["role"] for said in server.seen[1].document["messages"]]
    assert roles == ["user", "assistant", "user"]


def test_the_model_refuses():
    with (
        serve(Script(message(stop="refusal"))) as server,
        pytest.raises(JudgeAnswerError, match="refused"),
    ):
        ask(server)


def test_an_answer_that_is_cut_off():
    with (
        serve(Script(message(tool_use({}), stop="max_tokens"))) as server,
        pytest.raises(JudgeAnswerError, match="cut off"),
    ):
        ask(server)


def test_an_address_that_speaks_something_else():
    with (
        serve(Script(reply(200, b"{}"))) as server,
        pytest.raises(UnavailableError, match="not a message of the Messages API"),
    ):
        ask(server)


def test_a_system_prompt_stands_beside_the_messages():
    text = {"type": "text", "text": "It is 4."}
    with serve(Script(message(text, stop="end_turn"))) as server:
        judge = judge_at(server, provider="anthropic", environ={"K": "k-1"}, api_key_env="K")
        assert judge.say("2+2?", system="Be brief.") == "It is 4."

    asked = server.seen[0].document
    assert asked["system"] == "Be brief."
    assert asked["messages"] == [{"role": "user", "content": "2+2?"}]
    assert "tools" not in asked


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"input_tokens": 7}, 7),
        ({"input_tokens": 1, "cache_read_input_tokens": 35, "cache_creation_input_tokens": 4}, 40),
    ],
)
def test_what_was_read_from_a_cache_was_read(usage, read):
    block = {"type": "tool_use", "name": "answer", "input": YES}
    answer = {"content": [block], "stop_reason": "tool_use", "usage": {**usage, "output_tokens": 2}}
    with serve(Script(as_json(answer))) as server:
        judge = judge_at(server, provider="anthropic", environ={"K": "k"}, api_key_env="K")
        judge.ask("Is it?", schema=SCHEMA)

    assert judge.usage()["input_tokens"] == read
