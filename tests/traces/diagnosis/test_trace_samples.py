"""A recording without its texts: nobody can read what was said, and we read the same of it."""

import json
import re

import pytest

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces import loaders
from agentevals.traces.diagnosis.trace_samples import write_sample
from agentevals.traces.turns import converse
from tests.frameworks import samples
from tests.frameworks.table import BY_NAME

# words of our script that no convention has
SAID = re.compile(r"shipped|bread|Käse|find_order|rye|bakery|Which of|euros")
OF_CREWAI = ("crewai-openinference-2025", "crewai-openllmetry-2025")
# their readings rest on texts: a repr, one tool named after two, an agent named in an answer
READ_BY_TEXT = (
    *("adk", "agno", "llama-index", "openai-agents", *OF_CREWAI),
    *(
        "claude-agent-telemetry",
        "claude-agent-js-telemetry",
    ),  # arguments count where they have the length that is told
)
# a log of sessions has no spans
RECORDED = [each.name for each in BY_NAME.values() if not each.keeps]


def write(span, **more):
    trace = Trace(trace_id="0" * 31 + "1", spans=(span,), **more)
    [line] = write_sample([trace])
    return line


def hide(**attributes):
    line = write(Span(span_id="0" * 15 + "1", name="chat gpt", attributes=attributes))
    [span] = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return {each["key"]: each["value"] for each in span["attributes"]}


def describe(path):
    """What is counted in a recording, and which facts are missing in it."""
    turns = [t for c in converse(loaders.load([path]).traces) for t in c.turns]
    return [
        (
            [(call.failed, call.args is None) for call in turn.tool_calls],
            [(call.input_tokens, call.output_tokens) for call in turn.model_calls],
            sorted(gap.fact for gap in turn.gaps),
            bool(turn.user),
            bool(turn.response),
        )
        for turn in sorted(turns, key=lambda turn: turn.start_ns)
    ]


@pytest.mark.parametrize("name", RECORDED)
def test_no_text_of_a_real_recording_is_in_its_sample_which_reads_the_same(name, tmp_path):
    for path in (samples.FOLDER / name).glob(f"*{samples.ENDING}"):
        sample = tmp_path / "sample.jsonl"
        sample.write_text("".join(write_sample(loaders.load([path]).traces)), encoding="utf-8")
        document = re.sub(r'"scope":\{[^}]*\}', "", sample.read_text(encoding="utf-8"))

        assert not SAID.search(document)
        if not name.startswith(READ_BY_TEXT):
            assert describe(sample) == describe(path)


def test_the_same_text_is_the_same_word():
    found = hide(first="Who is Bob?", second=["Who is Bob?", "Me."])

    assert found["first"] == found["second"]["arrayValue"]["values"][0]
    assert "Bob" not in str(found)


def test_what_says_of_which_kind_something_is_stays():
    found = hide(**{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"})

    assert [value["stringValue"] for value in found.values()] == ["chat", "openai"]


def test_a_text_under_such_a_name_does_not():
    assert "Bob" not in str(hide(**{"marital.status": "Bob is married"}))


@pytest.mark.parametrize(
    "text",
    ['{"customer": {"status": "bob"}}', "{'customer': ['bob']}", '[{"bob@example.org": 1}]'],
)
def test_texts_in_json_and_in_what_python_prints_are_replaced(text):
    assert "bob" not in str(hide(value=text))


def test_a_key_that_is_a_text_elsewhere_is_replaced():
    found = hide(tools='{"find_divorce": 1}', name="find_divorce")

    assert "find_divorce" not in str(found)


def test_large_numbers_are_replaced_and_counts_are_not():
    found = hide(value='{"card": 4111}', pin=4111, **{"gen_ai.usage.input_tokens": 5000})

    assert "4111" not in str(found)
    assert found["gen_ai.usage.input_tokens"] == {"intValue": 5000}


def test_names_of_spans_events_errors_and_logs_hold_no_text():
    event = SpanEvent(name="asked Bob", attributes={"exception.message": "Bob"})
    log = SpanEvent(name="gen_ai.choice", body={"content": "Bob"})
    span = Span(
        span_id="0" * 15 + "1", name="GET /Bob", failed=True, status_message="Bob", events=(event,)
    )

    line = write(span, logs=(log,))

    assert "Bob" not in line
    assert "gen_ai.choice" in line
