import pytest

from agentevals.judge import JudgeAnswerError
from agentevals.model.errors import EvaluatorError, UnavailableError
from tests.judge.models import SCHEMA, YES, completion, judge_at, message, refusal, tool_use
from tests.servers import Script, as_json, reply, serve


def asked(*replies, **settings):
    with serve(Script(*replies)) as server:
        answer = judge_at(server, **settings).ask("Is it?", schema=SCHEMA)
    return answer, [seen.document for seen in server.seen]


def test_the_question_and_its_schema_are_sent():
    with serve(Script(completion(YES))) as server:
        answer = judge_at(server, temperature=0.5, max_tokens=99).ask("Is it?", schema=SCHEMA)

    assert answer == YES
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].document == {
        "model": "judge-1",
        "messages": [{"role": "user", "content": "Is it?"}],
        "max_tokens": 99,
        "temperature": 0.5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_a_server_that_knows_no_schemas_is_given_one_in_words():
    answer, sent = asked(refusal("response_format json_schema is not supported"), completion(YES))

    assert answer == YES
    assert sent[1]["response_format"] == {"type": "json_object"}
    assert '"enum":["yes","no"]' in sent[1]["messages"][0]["content"]


def test_a_server_that_knows_no_formats_at_all():
    answer, sent = asked(
        refusal("no json_schema"), refusal("no response_format", 422), completion(YES)
    )

    assert answer == YES
    assert "response_format" not in sent[2]


def test_newer_models_count_completion_tokens():
    _, sent = asked(refusal("Use 'max_completion_tokens' instead."), completion(YES))

    assert "max_tokens" not in sent[1]
    assert sent[1]["max_completion_tokens"] == 4096
    assert sent[1]["response_format"]["type"] == "json_schema"


def test_models_with_a_temperature_of_their_own():
    _, sent = asked(refusal("Unsupported value: 'temperature'"), completion(YES), temperature=0)

    assert "temperature" not in sent[1]


def test_a_temperature_that_was_refused_is_named():
    with serve(Script(refusal("no 'temperature'"), completion(YES), completion(YES))) as server:
        judge = judge_at(server, temperature=0.2)
        assert not [*judge.list_refused()]
        judge.variant(temperature=0.7).ask("Is it?", schema=SCHEMA)

    [told] = judge.list_refused()
    assert told.endswith("refuses 'temperature' (0.7); it was asked without it")


def test_what_was_learnt_is_kept():
    with serve(Script(refusal("no json_schema"), completion(YES))) as server:
        judge = judge_at(server)
        judge.ask("one", schema=SCHEMA)
        judge.ask("two", schema=SCHEMA)

    assert len(server.seen) == 3


def test_a_refused_question_is_quoted_without_the_key():
    complaint = refusal("prompt too long \x1b[31m for sk-secret")
    with serve(Script(complaint)) as server, pytest.raises(EvaluatorError) as caught:
        judge_at(server, environ={"K": "sk-secret"}, api_key_env="K").ask("?", schema=SCHEMA)

    assert str(caught.value) == (
        f"{server.host}: refuses the question (400): prompt too long  [31m for …"
    )


def test_an_unknown_model():
    with pytest.raises(EvaluatorError, match=r"\(404\): no such model"):
        asked(refusal("no such model", 404))


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted(status):
    with (
        serve(Script(refusal("bad key sk-1", status))) as server,
        pytest.raises(EvaluatorError) as caught,
    ):
        judge_at(server, environ={"K": "sk-1"}, api_key_env="K").ask("?", schema=SCHEMA)

    assert str(caught.value) == f"{server.host}: refuses the key in K ({status}); correct it"


def test_a_server_that_wants_a_key_and_was_given_none():
    with pytest.raises(EvaluatorError, match="name its variable in 'api_key_env'"):
        asked(refusal("who are you", 401))


def test_the_model_refuses():
    with pytest.raises(JudgeAnswerError, match="refused to answer: I will not"):
        asked(completion(None, refusal="I will not"))


def test_a_content_filter_refuses():
    with pytest.raises(JudgeAnswerError, match="refused to answer: its content filter"):
        asked(completion("", finish="content_filter"))


def test_an_answer_that_is_cut_off_is_not_asked_for_again():
    with pytest.raises(JudgeAnswerError, match="cut off after 4096 tokens; raise 'max_tokens'"):
        asked(completion('{"reasoning": "bec', finish="length"))


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hello</html>",
        b"",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b"\xff",
        b"[" * 9999,
    ],
)
def test_an_address_that_speaks_something_else(body):
    with pytest.raises(UnavailableError, match="not a chat completion; check 'base_url'"):
        asked(reply(200, body))


def test_negative_counts_do_not_refill_a_budget():
    with pytest.raises(UnavailableError, match="not a chat completion"):
        asked(completion(YES, tokens=(-1, -1)))


def test_a_redirect_is_not_followed():
    with pytest.raises(UnavailableError, match="redirect"):
        asked(reply(302, headers={"location": "http://127.0.0.1:9/"}))


def test_extra_keys_of_other_servers_do_not_matter():
    body = {
        "choices": [{"message": {"content": '{"reasoning": "", "verdict": "no"}', "x": 1}}],
        "extra": {},
    }
    answer, _ = asked(as_json(body))

    assert answer == {"reasoning": "", "verdict": "no"}


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


def test_a_model_of_anthropic_refuses():
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


def test_an_address_without_the_messages_api():
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
