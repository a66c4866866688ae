import pytest

from agentevals.judge import JudgeSettings, Unconfigured, create_judge
from agentevals.model.errors import InputError
from tests.judge.models import SCHEMA, YES, completion
from tests.servers import Script, serve


def test_without_settings_there_is_no_judge_and_asking_says_what_to_do():
    judge = create_judge(None)

    with pytest.raises(InputError, match=r"no judge is configured; give --judge-model"):
        judge.ask("?", schema=SCHEMA)
    assert judge.usage() == {}
    assert judge.variant() is judge


def test_with_settings_there_is_one():
    judge = create_judge(JudgeSettings(model="gpt-4o", samples=3, cache=False))

    assert judge.samples == 3
    assert judge.usage() == {
        "provider": "openai",
        "model": "gpt-4o",
        "calls": 0,
        "cached": 0,
        "input_tokens": 0,
        "output_tokens": 0,
    }


def test_an_evaluator_that_names_its_own_model_needs_no_judge_block(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("ITS_KEY", "k-1")
    judge = Unconfigured()
    with serve(Script(completion(YES))) as server:
        own = judge.variant(model="m", base_url=f"{server.url}/v1", api_key_env="ITS_KEY")
        assert own.ask("?", schema=SCHEMA) == YES

    assert server.seen[0].headers["authorization"] == "Bearer k-1"
    assert judge.usage()["calls"] == 1


def test_a_model_that_could_be_anybodys_is_said_when_it_is_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    with pytest.raises(InputError, match=r"cannot tell who serves 'gemini-2\.5-flash'"):
        Unconfigured().variant(model="gemini-2.5-flash")
