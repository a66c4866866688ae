import json

from agentevals_evaluator_sdk import EvalInput
from registry_tools.smoke import smoke_inputs

SCHEMA = {
    "properties": {
        "least": {"type": "integer", "default": 3},
        "word": {"type": "string", "examples": ["hi", "ho"]},
        "kind": {"enum": ["any", "object"]},
        "free": {"type": "string"},
        "odd": True,
    }
}


def test_an_ordinary_config_is_what_its_schema_shows():
    message = smoke_inputs.build_ordinary("judge", SCHEMA)

    assert message["config"] == {"least": 3, "word": "hi", "kind": "any"}


def test_every_input_is_one_that_the_protocol_knows():
    usual = smoke_inputs.build_ordinary("judge", SCHEMA)
    hostile = dict(smoke_inputs.build_hostile("judge", usual["config"], usual))

    read = [EvalInput.model_validate_json(message) for message in hostile.values()]

    assert all(one.metric_name == "judge" for one in read)
    assert len(read) >= 10


def test_hostile_inputs_are_empty_huge_odd_and_many():
    usual = smoke_inputs.build_ordinary("judge", {})
    sent = {
        what: json.loads(message)
        for what, message in smoke_inputs.build_hostile("judge", {"word": "hi"}, usual)
    }

    assert sent["no turns"]["invocations"] == []
    assert sent["a turn that lacks everything"]["invocations"] == [{}]
    assert len(sent["a long answer"]["invocations"][0]["final_response"]) > 200_000
    assert len(sent["many turns"]["invocations"]) == 100
    assert "\0" in sent["odd letters"]["invocations"][0]["final_response"]
    assert sent["with settings that are null"]["config"] == {"word": None}
    assert sent["without a config"]["config"] == {}
    assert set(sent["without anything but a name"]) == {"protocol_version", "metric_name"}


def test_half_of_a_letter_does_not_keep_it_from_being_sent():
    assert json.loads(smoke_inputs.encode({"a": "\ud800"})) == {"a": "?"}
