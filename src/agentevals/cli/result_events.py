"""Results as OpenTelemetry events (`gen_ai.evaluation.result`), sent to where the traces go.

Configured by the standard `OTEL_EXPORTER_OTLP_*` variables. A collector that cannot be reached
is said and costs no result.
"""

import json
import os
import re
import uuid
from base64 import b64encode
from collections.abc import Iterator, Mapping
from time import time_ns
from typing import Any
from urllib.parse import unquote

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from agentevals import web
from agentevals.graders import COMPUTED, JUDGED
from agentevals.model.cases import Status
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.results import CaseReport, Report, Result, TurnRef
from agentevals.run import attempts

_LABELS = {Status.PASSED: "pass", Status.FAILED: "fail", Status.NOT_EVALUATED: "not_evaluated"}
_EXPLANATIONS = ("explanation", "rationale", "reason")
_LONGEST = 2048  # characters of an explanation
_PER_REQUEST = 200
_TERMS = web.Terms(retries=1, longest_pause=2.0)  # results are there without a collector too
_TRACE_ID, _SPAN_ID = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")
_SWITCH = "AGENTEVALS_EVALUATION_EVENTS"
_ON, _OFF = {"true", "1", "on", "yes"}, {"", "false", "0", "off", "no"}

Environment = Mapping[str, str]


def is_wanted(environment: Environment = os.environ, *, asked: bool) -> bool:
    """Return whether to send events: asked for, or switched on, and not switched off."""
    switched = _is_on(environment, _SWITCH)
    disabled = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return (asked or switched) and not disabled and environment.get("OTEL_LOGS_EXPORTER") != "none"


def _is_on(environment: Environment, name: str) -> bool:
    value = environment.get(name, "").strip().lower()
    if value in _ON:
        return True
    if value not in _OFF:
        msg = f"{name} is {value!r}; give 'true' or 'false'"
        raise InputError(msg)
    return False


def send(report: Report, environment: Environment = os.environ) -> None:
    """Send every result of a report, some hundred at a time."""
    explained = _is_on(environment, f"{_SWITCH}_EXPLANATION")
    batch: list[dict[str, Any]] = []
    for record in _make_records(report, explained=explained):
        batch.append(record)
        if len(batch) == _PER_REQUEST:
            _export(batch, report.version, environment)
            batch = []
    if batch:
        _export(batch, report.version, environment)


def _make_records(report: Report, *, explained: bool) -> Iterator[dict[str, Any]]:
    for case in attempts.list_all(report.cases):
        for result in case.results:
            for ref, score in _pair_turns(case, result):
                attributes = _make_attributes(report, case, result, score)
                if explained and (why := _explain(result)):
                    attributes["gen_ai.evaluation.explanation"] = why
                if ref and ref.agent:
                    attributes["gen_ai.agent.name"] = ref.agent
                yield _make_record(attributes, ref)


def _pair_turns(case: CaseReport, result: Result) -> Iterator[tuple[TurnRef | None, float | None]]:
    """Each turn with its score; the last turn with the overall score where there are none."""
    if result.per_turn:
        yield from zip(case.turn_refs, result.per_turn, strict=False)
    else:
        yield (case.turn_refs[-1] if case.turn_refs else None), result.score


def _make_attributes(
    report: Report, case: CaseReport, result: Result, score: float | None
) -> dict[str, str | float]:
    attributes: dict[str, str | float] = {"gen_ai.evaluation.name": result.name}
    if case.eval_case_id:
        attributes["agentevals.eval.case.id"] = case.eval_case_id
    if report.eval_set_id:
        attributes["agentevals.eval_set.id"] = report.eval_set_id
    if digest := report.identity.evaluators.get(result.name):
        attributes["agentevals.evaluator.digest"] = digest
    if result.type in COMPUTED:
        attributes["agentevals.evaluator.type"] = "deterministic"
    elif result.type in JUDGED:
        attributes["agentevals.evaluator.type"] = "llm_judge"
    if result.status is Status.ERROR:
        return attributes | {"error.type": result.blame or "_OTHER"}
    return attributes | _describe_score(result, score)


def _describe_score(result: Result, score: float | None) -> dict[str, str | float]:
    if score is None:
        return {"gen_ai.evaluation.score.label": _LABELS[Status.NOT_EVALUATED]}
    status = result.case_status
    if result.per_turn and result.threshold is not None:
        status = Status.PASSED if score >= result.threshold else Status.FAILED
    return {
        "gen_ai.evaluation.score.value": float(score),
        "gen_ai.evaluation.score.label": _LABELS[status],
    }


def _explain(result: Result) -> str:
    found = (result.details.get(name) for name in _EXPLANATIONS)
    return next((str(text) for text in found if text), result.reasoning)[:_LONGEST]


def _make_record(attributes: dict[str, str | float], ref: TurnRef | None) -> dict[str, Any]:
    now = str(time_ns())
    record = {
        "timeUnixNano": now,
        "observedTimeUnixNano": now,
        "severityNumber": "SEVERITY_NUMBER_INFO",
        "severityText": "INFO",
        "eventName": "gen_ai.evaluation.result",
        "attributes": _key_values(attributes),
        "flags": 1,
    }
    if ref and _TRACE_ID.fullmatch(ref.trace_id) and _SPAN_ID.fullmatch(ref.span_id):
        record |= {"traceId": ref.trace_id, "spanId": ref.span_id}
    return record


def _key_values(values: Mapping[str, str | float]) -> list[dict[str, Any]]:
    return [
        {"key": k, "value": {"doubleValue": v} if isinstance(v, float) else {"stringValue": v}}
        for k, v in values.items()
    ]


def _export(records: list[dict[str, Any]], version: str, environment: Environment) -> None:
    resource = {
        "service.name": "agentevals",
        "service.version": version,
        "service.instance.id": str(uuid.uuid4()),
    }
    protocol = _get_variable(environment, "PROTOCOL") or "http/protobuf"
    if protocol not in _ENCODERS:
        msg = f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol!r}; give one of {', '.join(_ENCODERS)}"
        raise InputError(msg)
    body, kind = _ENCODERS[protocol](_write_document(records, resource, version))
    headers = {**_find_headers(environment), "content-type": kind}
    response = web.post(_find_endpoint(environment), body, headers=headers, terms=_TERMS)
    if response.status >= 400:  # noqa: PLR2004 -- where HTTP's failures begin
        msg = f"the collector refused the results with status {response.status}"
        raise UnavailableError(msg)


def _write_document(
    records: list[dict[str, Any]], resource: Mapping[str, str], version: str
) -> dict[str, Any]:
    scope = {"scope": {"name": "agentevals", "version": version}, "logRecords": records}
    return {
        "resourceLogs": [{"resource": {"attributes": _key_values(resource)}, "scopeLogs": [scope]}]
    }


def _write_json(document: dict[str, Any]) -> tuple[bytes, str]:
    return json.dumps(document).encode(), "application/json"


def _write_protobuf(document: dict[str, Any]) -> tuple[bytes, str]:
    """OTLP's JSON writes ids in hex, protobuf's own JSON in base64."""
    for record in document["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
        for name in ("traceId", "spanId"):
            if name in record:
                record[name] = b64encode(bytes.fromhex(record[name])).decode()
    message = ParseDict(document, ExportLogsServiceRequest())
    return message.SerializeToString(), "application/x-protobuf"


_ENCODERS = {"http/protobuf": _write_protobuf, "http/json": _write_json}


def _get_variable(environment: Environment, name: str) -> str:
    """The one for logs wins over the one for everything."""
    return (
        environment.get(f"OTEL_EXPORTER_OTLP_LOGS_{name}")
        or environment.get(f"OTEL_EXPORTER_OTLP_{name}")
        or ""
    )


def _find_endpoint(environment: Environment) -> str:
    if own := environment.get("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"):
        return own
    base = environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
    return f"{base.rstrip('/')}/v1/logs"


def _find_headers(environment: Environment) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in _get_variable(environment, "HEADERS").split(","))
    return {key.strip(): unquote(value.strip()) for key, _, value in pairs if key.strip()}
