"""Results as events of OpenTelemetry, as a collector gets them."""

import json

from tests.servers import reply, serve
from tests.support import agentevals

ASKED = [{"role": "user", "parts": [{"type": "text", "content": "Weather?"}]}]
SAID = [{"role": "assistant", "parts": [{"type": "text", "content": "Clear."}]}]
TRACE, SPAN = "a" * 32, "b" * 16
CONFIG = "evaluators: [{{name: tool_call_count_v1, type: builtin, max: {}}}]"
TO_A_COLLECTOR = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}


def record(folder, limit):
    known = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(ASKED),
        "gen_ai.output.messages": json.dumps(SAID),
    }
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in known.items()]
    request = {"traceId": TRACE, "spanId": SPAN, "name": "chat m", "attributes": attributes}
    scope = {"scope": {"name": "mine"}, "spans": [request]}
    document = {"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}]}
    (folder / "trace.json").write_text(json.dumps(document))
    (folder / "config.yaml").write_text(CONFIG.format(limit))


def send(folder, status=200, limit=0):
    record(folder, limit)
    with serve(lambda _: reply(status)) as collector:
        words = ("run", "trace.json", "--config", "config.yaml", "--emit-otel")
        done = agentevals(
            *words,
            cwd=folder,
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.port}",
            **TO_A_COLLECTOR,
        )
    return done, collector.seen


def test_each_result_is_an_event_at_the_span_that_it_is_about(tmp_path):
    done, [seen] = send(tmp_path)

    assert (done.returncode, seen.path) == (0, "/v1/logs")
    [logs] = seen.document["resourceLogs"]
    [event] = logs["scopeLogs"][0]["logRecords"]
    told = {each["key"]: next(iter(each["value"].values())) for each in event["attributes"]}
    assert (event["eventName"], event["traceId"], event["spanId"]) == (
        "gen_ai.evaluation.result",
        TRACE,
        SPAN,
    )
    assert told.pop("agentevals.evaluator.digest")
    assert told == {
        "gen_ai.evaluation.name": "tool_call_count_v1",
        "gen_ai.evaluation.score.value": 1.0,
        "gen_ai.evaluation.score.label": "pass",
        "agentevals.evaluator.type": "deterministic",
    }


def test_an_evaluator_with_another_limit_has_another_digest(tmp_path):
    digests = {read_digest(send(tmp_path, limit=limit)[1][0]) for limit in (0, 0, 1)}

    assert len(digests) == 2


def read_digest(seen):
    [event] = seen.document["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    told = {each["key"]: each["value"] for each in event["attributes"]}
    return told["agentevals.evaluator.digest"]["stringValue"]


def test_a_collector_that_refuses_them_is_said_and_costs_no_result(tmp_path):
    done, _ = send(tmp_path, status=404)

    assert done.returncode == 0
    assert "the collector refused the results with status 404" in done.stderr
