import pytest

from agentevals.judge import JudgeSettings
from agentevals.judge.judge_server import Server
from agentevals.judge.model_judge import ModelJudge
from agentevals.model.errors import InputError, UnavailableError
from tests.judge.models import SCHEMA, YES, completion, judge_at, refusal
from tests.servers import Script, reply, serve


def server_for(environ=None, **settings):
    return Server(JudgeSettings(**settings), environ or {}, lambda _: None)


def ask(judge, prompt="?"):
    return judge.ask(prompt, schema=SCHEMA)


@pytest.mark.parametrize(
    ("model", "variable", "host"),
    [
        ("gpt-4o", "OPENAI_API_KEY", "api.openai.com"),
        ("claude-haiku-4-5", "ANTHROPIC_API_KEY", "api.anthropic.com"),
    ],
)
def test_a_missing_key_says_which_variable(model, variable, host):
    judge = ModelJudge(JudgeSettings(model=model, cache=False), environ={variable: "  "})

    with pytest.raises(InputError) as caught:
        ask(judge)
    assert str(caught.value) == (
        f"{host}: no key for the judge; put it into the environment variable {variable}, "
        "or name another one in 'api_key_env'"
    )


def test_white_space_around_a_key_does_not_matter():
    with serve(Script(completion(YES))) as server:
        ask(judge_at(server, environ={"K": " sk-1\n"}, api_key_env="K"))

    assert server.seen[0].headers["authorization"] == "Bearer sk-1"


def test_the_usual_key_does_not_go_to_an_unusual_address():
    with serve(Script(completion(YES))) as server:
        ask(judge_at(server, environ={"OPENAI_API_KEY": "sk-1"}))

    assert "authorization" not in server.seen[0].headers


def test_the_environment_may_name_the_address_that_its_key_is_for():
    with serve(Script(completion(YES))) as server:
        environ = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": f"{server.url}/v1/"}
        ask(ModelJudge(JudgeSettings(model="gpt-4o", cache=False), environ=environ))

    assert server.seen[0].headers["authorization"] == "Bearer sk-1"


def test_the_environment_cannot_bring_back_what_is_gone():
    with pytest.raises(InputError, match="OPENAI_BASE_URL: the GitHub Models endpoint was retired"):
        server_for({"OPENAI_BASE_URL": "https://models.github.ai/inference"}, model="gpt-4o")


def test_a_busy_server_is_asked_again_when_it_says_so():
    pauses = []
    busy = reply(429, headers={"retry-after": "3"})
    with serve(Script(busy, reply(500), completion(YES))) as server:
        assert ask(judge_at(server, sleep=pauses.append)) == YES

    assert pauses == [3.0, 1.0]


BREAKS_DOWN = refusal("1 validation error: ('body', 'response_format', 'type')", 500)


def test_a_server_that_breaks_down_over_a_schema_is_asked_without_one_from_then_on():
    pauses = []
    with serve(Script(BREAKS_DOWN, completion(YES))) as server:
        judge = judge_at(server, sleep=pauses.append)
        assert ask(judge) == ask(judge, "another") == YES

    assert [seen.document["response_format"]["type"] for seen in server.seen] == [
        "json_schema",
        "json_object",
        "json_object",
    ]
    assert pauses == []


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_a_server_that_is_broken_is_asked_as_often_as_any_other(retries):
    with serve(Script(reply(500))) as server:
        judge = judge_at(server, retries=retries)
        with pytest.raises(UnavailableError, match="answered 500"):
            ask(judge)

    assert len(server.seen) == retries + 1


def test_a_server_that_worked_before_is_only_broken():
    with serve(Script(completion(YES), BREAKS_DOWN)) as server:
        judge = judge_at(server, retries=1)
        ask(judge)
        with pytest.raises(UnavailableError, match="answered 500"):
            ask(judge, "another")

    assert len(server.seen) == 3


def test_an_unreachable_server_is_somebody_elses_fault():
    with serve(Script()) as server:
        pass

    with pytest.raises(UnavailableError, match="cannot be reached"):
        ask(judge_at(server))


def test_a_slow_server():
    with (
        serve(Script(reply(200, stall=True))) as server,
        pytest.raises(UnavailableError, match=r"did not answer within 0\.1 s"),
    ):
        ask(judge_at(server, timeout=0.1, retries=0))


def test_an_outage_is_not_waited_for_again_and_again():
    with serve(Script(reply(503))) as server:
        judge = judge_at(server, retries=0)
        for number in range(10):
            with pytest.raises(UnavailableError) as caught:
                ask(judge, f"{number}")

    assert len(server.seen) == 8
    assert "not asked any more after 8 failures in a row" in str(caught.value)
