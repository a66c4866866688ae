"""Random suites whose traces come in several formats, with attempts, judges and broken files."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.judge.models import completion
from tests.run.suites import Suite
from tests.servers import Reply, Seen

_LINES = 40  # of a file
_ATTEMPT = {"key": "agentevals.record.attempt", "value": {"intValue": "2"}}
# of the answers of the judge by the digest of the question: 1 is refused, 2 to 5 are no
_REFUSED, _NO = 1, 5

# takes a batch, and fails in some cases of it
_PROGRAM = """
import os
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator

@evaluator
def brief(input: EvalInput) -> EvalResult:
    said = " ".join(turn.final_response or "" for turn in input.invocations)
    if said.count("dry") > 1:
        raise ValueError(f"too dry: {said}")
    return EvalResult(score=1 / (1 + len(said)), details={"said": said})

if __name__ == "__main__":
    brief.run()
"""


def judge(seen: Seen) -> Reply:
    """Answer a question as its digest says, whoever asks it, and when."""
    prompt = seen.document["messages"][-1]["content"]
    drawn = hashlib.sha256(prompt.encode()).digest()[0] % 20
    if drawn == _REFUSED:
        return completion("I would rather not.")
    verdict = "invalid" if drawn <= _NO else "valid"
    return completion(json.dumps({"reasoning": f"drawn: {drawn}", "verdict": verdict}))


@dataclass
class MixedSuite(Suite):
    """As a suite. `judge` is the address of one. `batch` is whether a program gets batches, which
    fails in some cases if it `raises`."""

    judge: str = ""
    batch: bool | None = None
    raises: bool = True

    def write_traces(self, lines: list[dict[str, Any]]) -> list[str]:
        """Write the lines in files of many formats, and a few that nobody can read."""
        draw = self._draw
        if not self.judge and draw.random() < 0.4:
            lines = [made for line in lines for made in self._repeat(line)]
        names = []
        for at in range(0, len(lines), _LINES):
            pack, ending = draw.choice(_PACKERS)
            names.append(f"t{at:05}.{ending}")
            (self.folder / names[-1]).write_bytes(pack(lines[at : at + _LINES]))
        names += self._write_chats()
        broken = {"cut.jsonl": _write_lines(lines[:3])[:-40], "empty.jsonl": b"", "no.json": b"[7"}
        for name, content in broken.items():
            if draw.random() < 0.3:
                (self.folder / name).write_bytes(content)
                names.append(name)
        return [name for name in names if draw.random() < 0.97] or names

    def list_evaluators(self) -> list[str]:
        rows = super().list_evaluators()
        if self.judge:
            rows.append("{name: final_response_match_v2, type: builtin, num_samples: 1}")
        if self.batch is not None:
            given = "batch: true" if self.batch else "batch: false"
            rows.append(f"{{name: brief, type: code, path: judges/brief.py, {given}}}")
            (self.folder / "judges").mkdir(exist_ok=True)
            (self.folder / "judges" / "brief.py").write_text(
                _PROGRAM if self.raises else _PROGRAM.replace("raise ", "")
            )
        return rows

    def write_config(self) -> str:
        asked = f"judge: {{model: m, base_url: {self.judge}/v1, cache: false}}\n"
        return super().write_config() + (asked if self.judge else "")

    def _repeat(self, line: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield a line, and some of them once more as another attempt."""
        yield line
        if self._draw.random() < 0.5:
            again = json.loads(json.dumps(line))
            for exported in again["resourceSpans"]:
                exported["resource"]["attributes"].append(_ATTEMPT)
                for span in exported["scopeSpans"][0]["spans"]:
                    span["traceId"] = f"f{span['traceId'][1:]}"
            yield again

    def _write_chats(self) -> Iterator[str]:
        """Write a few transcripts, which hold turns in place of spans."""
        for number in range(self._draw.randint(0, 2)):
            chats = [
                {"conversation_id": f"chat-{number}-{at}", "messages": list(self._chat_lines(at))}
                for at in range(self._draw.randint(1, 5))
            ]
            name = f"chat{number}.jsonl"
            (self.folder / name).write_bytes(_write_lines(chats))
            yield name

    def _chat_lines(self, number: int) -> Iterator[dict[str, Any]]:
        for turn in range(self._draw.randint(1, 3)):
            yield {"role": "user", "content": f"Roll {number} in {turn}?"}
            if self._draw.random() < 0.9:
                said = self._draw.choice(("It is sunny.", "", "dry dry"))
                yield {"role": "assistant", "content": said}


def _write_lines(documents: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(one)}\n" for one in documents).encode()


def _join(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return {"resourceSpans": [one for line in lines for one in line["resourceSpans"]]}


def _write_document(lines: list[dict[str, Any]]) -> bytes:
    return json.dumps(_join(lines), indent=1).encode()


def _write_protobuf(lines: list[dict[str, Any]]) -> bytes:
    document = json.loads(json.dumps(_join(lines)))  # a span that is told twice is two now
    for exported in document["resourceSpans"]:
        for span in exported["scopeSpans"][0]["spans"]:
            for key in ("traceId", "spanId", "parentSpanId"):
                if key in span:
                    span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    packed: bytes = ParseDict(document, ExportTraceServiceRequest()).SerializeToString()
    return packed


def _write_jaeger(lines: list[dict[str, Any]]) -> bytes:
    traces: dict[str, dict[str, Any]] = {}
    for exported in _join(lines)["resourceSpans"]:
        about = _convert_tags(exported["resource"]["attributes"])
        for span in exported["scopeSpans"][0]["spans"]:
            trace = {"traceID": span["traceId"], "spans": [], "processes": {}}
            trace = traces.setdefault(span["traceId"], trace)
            process = f"p{len(trace['processes'])}"
            trace["processes"][process] = {"serviceName": "random", "tags": about}
            trace["spans"].append(_convert_span(span, process))
    return json.dumps({"data": [*traces.values()]}).encode()


def _convert_span(span: dict[str, Any], process: str) -> dict[str, Any]:
    begun, ended = (int(span[f"{end}TimeUnixNano"]) // 1000 for end in ("start", "end"))
    parent = span.get("parentSpanId")
    above = {"refType": "CHILD_OF", "traceID": span["traceId"], "spanID": parent}
    return {
        "traceID": span["traceId"],
        "spanID": span["spanId"],
        "operationName": span["name"],
        "references": [above] if parent else [],
        "startTime": begun,
        "duration": ended - begun,
        "tags": _convert_tags(span["attributes"]),
        "logs": [],
        "processID": process,
    }


def _convert_tags(attributes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"key": one["key"], "type": "int64", "value": int(one["value"]["intValue"])}
        if "intValue" in one["value"]
        else {"key": one["key"], "type": "string", "value": one["value"]["stringValue"]}
        for one in attributes
    ]


_PACKERS = (
    (_write_lines, "jsonl"),
    (lambda lines: gzip.compress(_write_lines(lines), mtime=0), "jsonl.gz"),
    (_write_document, "json"),
    (_write_protobuf, "pb"),
    (_write_jaeger, "json"),
)
