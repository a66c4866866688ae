import pytest

from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.traces.loaders.files import sentences, write


def envelope(*events, **attributes):
    root = {"span_id": "1", "name": "invoke_agent mine", "attributes": attributes, "events": events}
    about = {"schema_version": "agentv.trace.v1", "eval": {"test_id": "dice"}}
    return {**about, "trace": {"trace_id": "t", "spans": [root]}}


def message(index, role, content):
    told = {"role": role, "content": content}
    key = "agentv.transcript.message"
    return {"name": key, "attributes": {f"{key}.index": index, key: told}}


def only(tmp_path, document):
    recordings = loaders.load([write(tmp_path / "trace.json", document)])
    assert not recordings.findings
    [conversation] = converse(recordings.traces)
    return conversation


def test_the_messages_are_those_of_the_events_in_their_order(tmp_path):
    document = envelope(message(1, "assistant", "hi"), message(0, "user", "hello"))

    conversation = only(tmp_path, document)

    assert [(turn.user, turn.response) for turn in conversation.turns] == [("hello", "hi")]
    assert conversation.case_id == "dice"


def test_without_messages_the_spans_are_read(tmp_path):
    attributes = {"agentv.test_id": "dice", "agentv.output_text": "hi"}

    conversation = only(tmp_path, envelope(**attributes))

    assert [turn.response for turn in conversation.turns] == ["hi"]


def test_an_agent_that_could_not_be_run_is_an_error(tmp_path):
    attributes = {"agentv.execution_status": "execution_error", "agentv.failure_stage": "setup"}

    conversation = only(tmp_path, envelope(message(0, "assistant", "hi"), **attributes))

    assert conversation.error == "AgentV could not run it (setup): it does not say why"


@pytest.mark.parametrize("odd", [5, "x", [5], {"a": 1}, True])
@pytest.mark.parametrize("key", ["trace", "eval", "spans"])
def test_a_value_of_the_wrong_kind_ends_in_a_sentence_or_in_nothing(tmp_path, key, odd):
    path = write(tmp_path / "trace.json", {"schema_version": "agentv.trace.v1", key: odd})

    recordings = loaders.load([path])

    assert len(recordings.traces) + len(sentences(recordings)) == 1
