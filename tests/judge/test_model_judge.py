import json
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentevals.judge import JudgeAnswerError, Patience
from agentevals.model.errors import EvaluatorError, InputError
from tests.judge.models import SCHEMA, YES, completion, judge_at, refusal
from tests.servers import Script, serve


@pytest.fixture
def kept(tmp_path):
    return {"cache": True, "cache_directory": tmp_path / "answers"}


def ask(judge, prompt="?", **more):
    return judge.ask(prompt, schema=SCHEMA, **more)


@pytest.mark.parametrize(
    "useless",
    [
        "I think yes",
        "",
        '{"verdict": "yes"',
        '{"verdict": "yes"}',
        '{"reasoning": "r", "verdict": "YES"}',
        '{"reasoning": "r", "verdict": "yes", "score": 1}',
        '["yes"]',
        "yes",
        "null",
        '{"reasoning": NaN, "verdict": "yes"}',
        "[" * 100_000,
        '{"reasoning": "' + "x" * 300_000 + '", "verdict": "yes"}',
    ],
)
def test_an_answer_of_no_use_is_asked_for_once_more(useless):
    with serve(Script(completion(useless), completion(YES))) as server:
        judge = judge_at(server)
        assert ask(judge) == YES

    question, answer, objection = server.seen[1].document["messages"]
    assert question["content"] == "?"
    assert len(answer["content"]) <= 20_000
    assert objection["content"].startswith("That cannot be used: ")
    assert judge.usage()["calls"] == 2


def test_two_answers_of_no_use_are_an_error():
    with (
        serve(Script(completion("no idea"))) as server,
        pytest.raises(JudgeAnswerError) as caught,
    ):
        ask(judge_at(server))

    assert len(server.seen) == 2
    assert str(caught.value) == (
        "the judge 'judge-1' gave no usable answer in two tries: the answer is not one JSON object"
    )


@pytest.mark.parametrize("around", ["```json\n{}\n```\n", "```\n{}```", "Sure! {} Bye.", "{}."])
def test_what_stands_around_an_answer_does_no_harm(around):
    said = around.replace("{}", json.dumps(YES))
    with serve(Script(completion(said))) as server:
        assert ask(judge_at(server)) == YES

    assert len(server.seen) == 1


def test_two_answers_at_once_are_of_no_use():
    with serve(Script(completion(json.dumps(YES) * 2), completion(YES))) as server:
        ask(judge_at(server))

    assert len(server.seen) == 2


REFUSED = completion(None, refusal="I will not")
CUT_OFF = completion('{"reas', finish="length")


@pytest.mark.parametrize("useless", [completion("no idea"), completion(""), REFUSED, CUT_OFF])
@pytest.mark.parametrize("before", [0, 1, 2])
def test_patience_asks_the_very_same_again(useless, before):
    with serve(Script(*[useless] * before, completion(YES))) as server:
        judge = judge_at(server)
        assert ask(judge, system="Be kind.", patience=Patience(tries=3)) == YES

    first, *others = [seen.document for seen in server.seen]
    assert others == [first] * before
    assert judge.usage()["calls"] == before + 1


def test_patience_ends_with_one_objection():
    useless = completion("no idea")
    with serve(Script(useless, useless, useless, completion(YES))) as server:
        assert ask(judge_at(server), patience=Patience(tries=3)) == YES

    messages = [seen.document["messages"] for seen in server.seen]
    assert [len(said) for said in messages] == [1, 1, 1, 3]
    assert messages[3][1]["content"] == "no idea"
    assert "not one JSON object" in messages[3][2]["content"]


def test_patience_that_is_exhausted_is_an_error():
    with (
        serve(Script(completion("no idea"))) as server,
        pytest.raises(JudgeAnswerError, match="no usable answer in 4 tries: the answer is not one"),
    ):
        ask(judge_at(server), patience=Patience(tries=3))

    assert len(server.seen) == 4


def test_the_budget_ends_patience_too():
    with (
        serve(Script(completion("no idea"))) as server,
        pytest.raises(EvaluatorError, match="budget is spent"),
    ):
        ask(judge_at(server, budget={"max_calls": 2}), patience=Patience(tries=3))

    assert len(server.seen) == 2


def test_what_is_not_quite_the_schema_may_be_accepted_and_is_kept(kept):
    brief = {"verdict": "yes", "mood": "good"}
    patience = Patience(accepts={"required": ["verdict"]})
    with serve(Script(completion(brief))) as server:
        for _ in range(2):
            assert ask(judge_at(server, **kept), patience=patience) == brief

    assert len(server.seen) == 1
    assert server.seen[0].document["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_system_prompt_goes_before_the_question():
    with serve(Script(completion(YES))) as server:
        ask(judge_at(server), system="Be kind.")

    assert server.seen[0].document["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "?"},
    ]


def test_a_server_without_schemas_is_told_the_form_in_the_system_prompt():
    with serve(Script(refusal("no response_format"), completion(YES))) as server:
        ask(judge_at(server), system="Be kind.")

    system, user = server.seen[1].document["messages"]
    assert system["content"].startswith("Be kind.\n\nAnswer with one JSON object")
    assert user["content"] == "?"


def test_half_a_character_in_a_question_is_replaced():
    with serve(Script(completion(YES))) as server:
        ask(judge_at(server), "a\ud800b", system="\udfff")

    assert [said["content"] for said in server.seen[0].document["messages"]] == ["?", "a?b"]


@pytest.mark.parametrize("way", ["ask", "say", "variant"])
def test_a_question_is_sent_without_what_is_to_be_hidden(way):
    def hide(text):
        return text.replace("horse", "***")

    with serve(Script(completion(YES))) as server:
        judge = judge_at(server, redact=hide)
        judge = judge.variant(model="other") if way == "variant" else judge
        if way == "say":
            judge.say("a horse?", system="horses")
        else:
            ask(judge, "a horse?", system="horses")

    (seen,) = server.seen
    assert [message["content"] for message in seen.document["messages"]] == ["***s", "a ***?"]


def test_words_of_its_own():
    with serve(Script(completion("It is 4."))) as server:
        judge = judge_at(server)
        assert judge.say("2+2?", system="Be brief.") == "It is 4."

    asked = server.seen[0].document
    assert [said["content"] for said in asked["messages"]] == ["Be brief.", "2+2?"]
    assert "response_format" not in asked
    assert judge.usage()["calls"] == 1


def test_words_are_paid_for_once_unless_they_are_to_be_others(kept):
    with serve(Script(completion("one"), completion("two"))) as server:
        judge = judge_at(server, **kept)
        said = [judge.say("?"), judge.say("?"), judge.say("?", sample=1)]

    assert said == ["one", "one", "two"]
    assert len(server.seen) == 2


def test_words_are_held_to_the_budget():
    with (
        serve(Script(completion("one"))) as server,
        pytest.raises(EvaluatorError, match="budget is spent"),
    ):
        judge_at(server, budget={"max_calls": 0}).say("?")

    assert server.seen == []


@pytest.mark.parametrize(
    ("useless", "why"),
    [(REFUSED, "refused to answer"), (CUT_OFF, "cut off"), (completion("x" * 200_001), "longer")],
)
def test_words_of_no_use_are_an_error(useless, why):
    with serve(Script(useless)) as server, pytest.raises(JudgeAnswerError, match=why):
        judge_at(server).say("?")


def test_texts_in_an_answer_are_clipped_and_printable():
    loud = {"reasoning": "\x1b]0;pwned\x07\u202e" + "x" * 9000, "verdict": "yes"}
    with serve(Script(completion(loud))) as server:
        reasoning = ask(judge_at(server))["reasoning"]

    assert reasoning.startswith(" ]0;pwned  xxx")
    assert len(reasoning) == 4001


def test_without_a_model_nobody_is_asked():
    with (
        serve(Script()) as server,
        pytest.raises(InputError, match="no judge model is named"),
    ):
        ask(judge_at(server, model=None))

    assert server.seen == []


def test_a_question_beyond_all_bounds_is_not_sent():
    with (
        serve(Script(completion(YES))) as server,
        pytest.raises(EvaluatorError, match="longer than 1000000 characters"),
    ):
        ask(judge_at(server), "x" * 1_000_001)

    assert server.seen == []


def test_the_same_question_is_paid_for_once(kept):
    with serve(Script(completion(YES))) as server:
        for _ in range(2):
            judge = judge_at(server, **kept)
            assert ask(judge) == YES

    assert len(server.seen) == 1
    assert (judge.usage()["calls"], judge.usage()["cached"]) == (0, 1)


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        ({"temperature": 1}, {}),
        ({"model": "judge-2"}, {}),
        ({"max_tokens": 50}, {}),
        ({"provider": "openai"}, {"sample": 1}),
        ({}, {"prompt": "another"}),
        ({}, {"system": "Be kind."}),
    ],
)
def test_another_question_is_asked(kept, settings, more):
    with serve(Script(completion(YES))) as server:
        ask(judge_at(server, **kept))
        ask(judge_at(server, **kept, **settings), **more)

    assert len(server.seen) == 2


def test_a_server_elsewhere_is_asked_itself(kept):
    with serve(Script(completion(YES))) as one, serve(Script(completion(YES))) as other:
        ask(judge_at(one, **kept))
        ask(judge_at(other, **kept))

    assert len(other.seen) == 1


@pytest.mark.parametrize("content", ["", "{", '{"verdict": "yes!"}', "[" * 10_000, "x" * 2_000_000])
def test_a_damaged_cache_is_not_believed(kept, content):
    with serve(Script(completion(YES))) as server:
        ask(judge_at(server, **kept))
        (file,) = kept["cache_directory"].rglob("*.json")
        file.write_text(content)
        assert ask(judge_at(server, **kept)) == YES

    assert len(server.seen) == 2


def test_answers_of_no_use_are_not_kept(kept):
    with serve(Script(completion("?"), completion("?"), completion(YES))) as server:
        judge = judge_at(server, **kept)
        with pytest.raises(JudgeAnswerError):
            ask(judge)
        assert ask(judge) == YES


def test_what_is_kept_holds_neither_key_nor_question(kept):
    with serve(Script(completion(YES))) as server:
        judge = judge_at(server, **kept, environ={"K": "sk-secret"}, api_key_env="K")
        ask(judge, "a private question")

    (file,) = kept["cache_directory"].rglob("*.json")
    assert json.loads(file.read_text()) == YES
    assert file.stat().st_mode & 0o077 == 0


def test_a_cache_that_cannot_be_written_costs_no_result(tmp_path, caplog):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    with serve(Script(completion(YES))) as server, caplog.at_level(logging.WARNING):
        judge = judge_at(server, cache=True, cache_directory=in_the_way)
        assert ask(judge, "one") == ask(judge, "two") == YES

    assert len(caplog.records) == 1


def test_a_cache_with_something_in_the_way_is_left_as_it_was(kept, caplog):
    with serve(Script(completion(YES))) as server, caplog.at_level(logging.WARNING):
        ask(judge_at(server, **kept))
        (file,) = kept["cache_directory"].rglob("*.json")
        file.unlink()
        file.mkdir()
        assert ask(judge_at(server, **kept)) == YES

    assert list(file.parent.iterdir()) == [file]
    assert "judge answers are not kept" in caplog.text


def test_calls_tokens_and_money_are_counted():
    with serve(Script(completion(YES, tokens=(1000, 500)))) as server:
        judge = judge_at(server, prices={"input": 2, "output": 10})
        ask(judge, "one")
        ask(judge, "two")

    assert judge.usage() == {
        "provider": "openai",
        "model": "judge-1",
        "calls": 2,
        "cached": 0,
        "input_tokens": 2000,
        "output_tokens": 1000,
        "cost": 0.014,
        "hosts": [server.host],
    }


def test_a_server_that_does_not_count_is_counted_for():
    with serve(Script(completion(YES, tokens=None))) as server:
        judge = judge_at(server)
        ask(judge, "x" * 3000)

    assert judge.usage()["input_tokens"] > 1000
    assert judge.usage()["output_tokens"] > 0


def test_many_threads_are_counted_right():
    with serve(Script(completion(YES, tokens=(3, 2)))) as server:
        judge = judge_at(server)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: ask(judge, f"{n}"), range(40)))

    usage = judge.usage()
    assert (usage["calls"], usage["input_tokens"], usage["output_tokens"]) == (40, 120, 80)


@pytest.mark.parametrize(
    ("budget", "allowed"),
    [
        ({"max_calls": 2}, 2),
        ({"max_calls": 0}, 0),
        ({"max_tokens": 400}, 3),
        ({"max_cost": 0.000400}, 3),
    ],
)
def test_the_budget_ends_before_a_call_is_paid(budget, allowed):
    limits = {"budget": budget, "prices": {"input": 1, "output": 1}, "max_tokens": 40}
    with serve(Script(completion(YES, tokens=(100, 20)))) as server:
        judge = judge_at(server, **limits)
        for number in range(allowed):
            ask(judge, f"{number}")
        with pytest.raises(EvaluatorError) as caught:
            ask(judge, "one more")

    assert len(server.seen) == allowed
    assert f"'{next(iter(budget))}'" in str(caught.value)
    assert f"after {allowed} calls" in str(caught.value)
    assert judge.usage()["budget"] == budget


def test_a_budget_is_not_overdrawn_by_threads_and_not_wasted_either():
    limits = {"budget": {"max_tokens": 1000}, "max_tokens": 40}
    with serve(Script(completion(YES, tokens=(80, 20)))) as server:
        judge = judge_at(server, **limits)
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(ask, judge, f"{number}") for number in range(20)]
        failed = [future for future in asked if future.exception()]

    assert judge.usage()["input_tokens"] + judge.usage()["output_tokens"] <= 1000
    assert len(asked) - len(failed) >= 8


def test_what_is_kept_costs_nothing_when_the_budget_is_spent(kept):
    with serve(Script(completion(YES))) as server:
        judge = judge_at(server, budget={"max_calls": 1}, **kept)
        assert ask(judge) == ask(judge) == YES


def test_a_variant_shares_budget_and_count():
    with serve(Script(completion(YES))) as server:
        judge = judge_at(server, budget={"max_calls": 1})
        ask(judge.variant(model="judge-2"))
        with pytest.raises(EvaluatorError, match="budget is spent"):
            ask(judge)

    assert server.seen[0].document["model"] == "judge-2"
    assert judge.usage()["calls"] == 1


def test_a_variant_with_the_same_settings_is_the_judge_itself():
    with serve(Script()) as server:
        judge = judge_at(server)

    assert judge.variant(model="judge-1") is judge
    assert judge.variant(model="m") is judge.variant(model="m")


def test_a_variant_elsewhere_takes_no_key_along():
    with serve(Script(completion(YES))) as here, serve(Script(completion(YES))) as there:
        judge = judge_at(here, environ={"K": "sk-1"}, api_key_env="K")
        ask(judge.variant(base_url=f"{there.url}/v1"))

    assert "authorization" not in there.seen[0].headers


def test_another_judge_by_its_name():
    with serve(Script(completion(YES))) as here, serve(Script(completion(YES))) as there:
        targets = {
            "strict": {"model": "judge-2", "temperature": 0},
            "elsewhere": {"base_url": f"{there.url}/v1", "api_key_env": "K2"},
        }
        judge = judge_at(here, targets=targets, environ={"K1": "1", "K2": "2"}, api_key_env="K1")
        ask(judge.variant(target="strict"))
        ask(judge.variant(target="strict", model="judge-3", temperature=1))
        ask(judge.variant(target="elsewhere"))

    asked = [(seen.document["model"], seen.document.get("temperature")) for seen in here.seen]
    assert asked == [("judge-2", 0), ("judge-3", 1)]
    assert [seen.headers["authorization"] for seen in (*here.seen, *there.seen)] == [
        "Bearer 1",
        "Bearer 1",
        "Bearer 2",
    ]
    assert judge.usage()["calls"] == 3
    assert judge.variant(target="strict") is judge.variant(target="strict")


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ({}, "no judge is called 'strct' (none is); name it under 'targets' in the 'judge:' block"),
        ({"strict": {"model": "m"}}, "no judge is called 'strct' (did you mean 'strict'?)"),
        ({"a": {"model": "m"}, "b": {"model": "m"}}, "no judge is called 'strct' (known: a, b)"),
    ],
)
def test_a_judge_that_nobody_named(targets, said):
    with serve(Script()) as server, pytest.raises(InputError) as caught:
        judge_at(server, targets=targets).variant(target="strct")

    assert said in str(caught.value)
