"""Files that other tools write: recognised by their keys, or by how they begin."""

import pytest

from agentevals.traces.diagnosis.unread_files import describe_file

CONSOLE = '{\n    "name": "a",\n    "context": {\n        "trace_id": "0x01",\n'
CONSOLE_OF_JAVASCRIPT = "{\n  resource: {},\n  traceId: '0af7651916cd43dd8448eb211c80319c',\n"


@pytest.mark.parametrize(
    ("content", "likely"),
    [
        (b'{"run_type": "chain", "dotted_order": "x", "trace_id": "y"}', "runs of LangSmith"),
        (b'[{"run_type": "llm", "inputs": {}}]', "runs of LangSmith"),
        (b'{"htmlPath": "/x", "observations": []}', "a trace of Langfuse"),
        (b'{"data": [{"traceId": "x", "parentObservationId": null}]}', "observations of Langfuse"),
        (b'{"info": {}, "data": {"spans": []}}', "a trace of MLflow"),
        (
            b'{"object": "trace", "workflow_name": "w"}\n{"object": "trace.span"}\n',
            "traces of the OpenAI Agents SDK",
        ),
        (
            b'{"data": [{"context": {}, "span_kind": "LLM", "status_code": "OK"}]}',
            "spans of Phoenix's API",
        ),
        (b'[{"traceId": "x", "localEndpoint": {}}]', "spans of Zipkin"),
        (b'{"resourceMetrics": []}', "metrics of OpenTelemetry"),
        (b'{"eval_set_id": "e", "eval_cases": []}', "an eval set: what was expected"),
        (b"eval_set: e.json\nevaluators:\n- name: a\n", "an eval config"),
        (CONSOLE.encode(), "spans that OpenTelemetry's SDK for Python prints on the console"),
        (
            CONSOLE_OF_JAVASCRIPT.encode(),
            "spans that OpenTelemetry's SDK for JavaScript prints on the console",
        ),
        (b"SQLite format 3\0\x10", "a database of SQLite"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"<!DOCTYPE html><p>", "an XML or HTML page"),
        (b"INFO started the agent\n", "what a program printed"),
        (b'{"mine": 1}', ""),
    ],
)
def test_a_file_of_another_tool_is_recognised(tmp_path, content, likely):
    path = tmp_path / "file"
    path.write_bytes(content)

    found = describe_file(str(path), ["is not a trace file"])

    assert found.likely == likely
    assert bool(found.remedy) == bool(likely)
    assert found.begins


def test_the_first_keys_and_characters_are_shown(tmp_path):
    path = tmp_path / "file.json"
    path.write_text('{"a": 1, "b": 2}')

    found = describe_file(str(path), ["why"])

    assert (found.keys, found.begins, found.problems) == (("a", "b"), '{"a": 1, "b": 2}', ("why",))


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b broken", b"[1, 2]", b'{"a": ', b"\xff\xfe\0"])
def test_a_file_in_which_nothing_can_be_recognised_keeps_its_problems(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)

    assert describe_file(str(path), ["why"]).problems == ("why",)


def test_a_file_that_is_not_there_keeps_its_problems(tmp_path):
    assert describe_file(str(tmp_path / "no"), ["why"]).problems == ("why",)
