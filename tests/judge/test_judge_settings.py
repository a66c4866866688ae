import pytest
from pydantic import ValidationError

from agentevals.judge import JudgeSettings


@pytest.mark.parametrize(
    ("given", "speaks"),
    [
        ({"model": "gpt-4o-mini"}, "openai"),
        ({"model": "o4-mini"}, "openai"),
        ({"model": "ft:gpt-4o:me"}, "openai"),
        ({"model": "claude-sonnet-4-5"}, "anthropic"),
        ({"model": "llama3", "base_url": "http://localhost:11434/v1"}, "openai"),
        ({"model": "x", "base_url": "https://api.anthropic.com"}, "anthropic"),
        ({"model": "claude-x", "base_url": "https://openrouter.ai/api/v1"}, "openai"),
        ({"model": "x", "base_url": "https://notanthropic.com/v1"}, "openai"),
        ({"model": "gpt-4o", "provider": "anthropic"}, "anthropic"),
        ({"model": "openai/llama"}, "openai"),
        ({"model": "anthropic/claude-x"}, "anthropic"),
        ({"model": "anthropic/claude-x", "base_url": "https://openrouter.ai/api/v1"}, "openai"),
    ],
)
def test_the_provider_follows_from_address_and_model(given, speaks):
    assert JudgeSettings(**given).speaks == speaks


@pytest.mark.parametrize(
    ("given", "served"),
    [
        ({"model": "openai/gpt-4o"}, "gpt-4o"),
        ({"model": "anthropic/claude-x"}, "claude-x"),
        ({"model": "openai/gpt-4o", "base_url": "https://openrouter.ai/api/v1"}, "openai/gpt-4o"),
        ({"model": "openai/gpt-4o", "provider": "openai"}, "openai/gpt-4o"),
        ({"model": "gpt-4o"}, "gpt-4o"),
    ],
)
def test_a_provider_before_the_name_of_a_model_is_no_part_of_it(given, served):
    assert JudgeSettings(**given).served_model == served


def test_a_model_that_could_be_anybodys():
    with pytest.raises(ValidationError, match=r"cannot tell who serves 'gemini-2\.5-flash'"):
        JudgeSettings(model="gemini-2.5-flash")


@pytest.mark.parametrize(
    "given",
    [
        {"provider": "github"},
        {"provider": "GitHub Models"},
        {"provider": "github-models"},
        {"base_url": "https://models.github.ai/inference"},
        {"base_url": "https://models.inference.ai.azure.com"},
    ],
)
def test_github_models_are_gone(given):
    with pytest.raises(ValidationError, match="retired on 2026-07-30"):
        JudgeSettings(model="gpt-4o", **given)


@pytest.mark.parametrize(
    "url", ["localhost:8000", "", "ftp://x", "http://[", "https://k:s@x/v1", "https://x/v1?key=1"]
)
def test_addresses_that_are_not_just_an_address(url):
    with pytest.raises(ValidationError):
        JudgeSettings(model="m", base_url=url)


@pytest.mark.parametrize(
    "url", ["http://x/v1", "http://x/v1/", "http://x/v1/chat/completions", "http://x/v1/messages"]
)
def test_the_whole_path_may_be_given(url):
    assert JudgeSettings(model="m", base_url=url).base_url == "http://x/v1"


@pytest.mark.parametrize("pasted", ["sk-proj-123", "abc def", "1A", ""])
def test_a_pasted_key_is_refused_and_not_repeated(pasted):
    with pytest.raises(ValidationError, match="never write the key itself") as caught:
        JudgeSettings(model="gpt-4o", api_key_env=pasted)

    assert "sk-proj" not in str(caught.value)


def test_a_limit_on_money_needs_prices():
    with pytest.raises(ValidationError, match="needs 'prices'"):
        JudgeSettings(model="gpt-4o", budget={"max_cost": 1})


def test_unknown_keys_are_refused():
    with pytest.raises(ValidationError):
        JudgeSettings(model="gpt-4o", modle="x")


def test_another_model_at_the_same_address_keeps_the_key():
    settings = JudgeSettings(model="gpt-4o", api_key_env="MY_KEY").change(model="gpt-4o-mini")

    assert (settings.model, settings.api_key_env) == ("gpt-4o-mini", "MY_KEY")


@pytest.mark.parametrize(
    "change", [{"base_url": "https://elsewhere.example/v1"}, {"model": "claude-haiku-4-5"}]
)
def test_a_key_does_not_move_along_to_another_address(change):
    settings = JudgeSettings(model="gpt-4o", api_key_env="MY_KEY").change(**change)

    assert settings.api_key_env is None


def test_another_address_with_its_own_key():
    settings = JudgeSettings(model="gpt-4o", api_key_env="MY_KEY").change(
        base_url="https://elsewhere.example/v1", api_key_env="ITS_KEY"
    )

    assert (settings.base_url, settings.api_key_env) == ("https://elsewhere.example/v1", "ITS_KEY")


@pytest.mark.parametrize(
    ("target", "speaks", "base_url", "key"),
    [
        ({"model": "m"}, "openai", "https://here.example/v1", "MY_KEY"),
        ({"provider": "openai", "model": "m"}, "openai", "https://here.example/v1", "MY_KEY"),
        ({"provider": "anthropic", "model": "claude-haiku-4-5"}, "anthropic", None, None),
        ({"base_url": "https://there.example/v1"}, "openai", "https://there.example/v1", None),
        (
            {"base_url": "https://api.anthropic.com", "api_key_env": "ITS_KEY"},
            "anthropic",
            "https://api.anthropic.com",
            "ITS_KEY",
        ),
    ],
)
def test_a_named_judge_takes_over_what_it_leaves_open_but_no_key_to_another_address(
    target, speaks, base_url, key
):
    settings = JudgeSettings(
        model="m",
        base_url="https://here.example/v1",
        api_key_env="MY_KEY",
        max_tokens=99,
        targets={"t": target},
    ).select_target("t")

    assert (settings.speaks, settings.base_url, settings.api_key_env) == (speaks, base_url, key)
    assert settings.max_tokens == 99


def test_a_named_judge_that_could_be_anybodys_is_refused_with_its_name():
    with pytest.raises(ValidationError, match=r"target 'big': cannot tell who serves 'llama'"):
        JudgeSettings(model="gpt-4o", targets={"big": {"model": "llama"}})


@pytest.mark.parametrize("wrong", [{"provider": "github"}, {"api_key_env": "sk-x"}, {"modl": "m"}])
def test_a_named_judge_is_checked_like_the_other(wrong):
    with pytest.raises(ValidationError):
        JudgeSettings(model="gpt-4o", targets={"t": {"model": "m", **wrong}})


def test_every_variable_that_holds_a_key_is_known():
    targets = {
        "a": {"model": "claude-haiku-4-5"},
        "b": {"base_url": "https://there.example/v1", "api_key_env": "ITS_KEY"},
        "c": {"base_url": "http://localhost:8000/v1"},
    }

    settings = JudgeSettings(model="gpt-4o", targets=targets)

    assert settings.key_variables == ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ITS_KEY")
