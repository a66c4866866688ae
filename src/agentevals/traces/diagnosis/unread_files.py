"""Files that are no trace we read: what they look like, and what to do with them."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from agentevals.files.named_files import exists
from agentevals.model.noun import Noun
from agentevals.traces.reading import MalformedError, read_records
from agentevals.traces.reading.trace_files_opened import UNREADABLE, open_trace

_START = 65_536  # bytes of a file that are looked at
_BEGINS = 60  # characters of it that are shown
_KEYS = 12  # keys that are shown
_INNER = ("data", "items", "runs", "results", "spans", "traces", "observations")
_RECORD = "record with 'agentevals record -o traces/ -- COMMAND'"


class Misfit(Noun, frozen=True, omit_defaults=False):
    """A file that cannot be read as a trace, or not all of it."""

    path: str
    problems: tuple[str, ...]
    begins: str = ""
    keys: tuple[str, ...] = ()
    likely: str = ""
    remedy: str = ""


class Lookalike(NamedTuple):
    """The format of another tool: its title, its marks in a file, and what to do with the file."""

    title: str
    marks: tuple[str, ...]
    remedy: str


_LANGSMITH = f"Set LANGSMITH_TRACING=true and LANGSMITH_TRACING_MODE=otel, and {_RECORD}"
_LANGFUSE = (
    f"Give what /api/public/traces/ID or /api/public/observations returns, as it is, or {_RECORD}"
)
_AGENTS_SDK = f"Install openinference-instrumentation-openai-agents, and {_RECORD}"
_CONSOLE = f"Export OTLP instead of ConsoleSpanExporter (OTEL_TRACES_EXPORTER=otlp), and {_RECORD}"
_CONFIG = "Give it with --config, and name the files with the traces"

# a mark is the keys of an object: all of them must be there
_BY_KEYS = (
    Lookalike("runs of LangSmith", ("run_type dotted_order", "run_type inputs"), _LANGSMITH),
    Lookalike("a trace of Langfuse", ("htmlPath observations",), _LANGFUSE),
    Lookalike("observations of Langfuse", ("traceId parentObservationId",), _LANGFUSE),
    Lookalike(
        "a trace of MLflow",
        ("info data",),
        f"Give what 'Trace.to_json()' returns, or {_RECORD}",
    ),
    Lookalike(
        "traces of the OpenAI Agents SDK",
        ("object span_data", "object workflow_name"),
        _AGENTS_SDK,
    ),
    Lookalike(
        "spans of Phoenix's API",
        ("context span_kind status_code",),
        f"Give what /v1/projects/NAME/spans returns, as it is, or {_RECORD}",
    ),
    Lookalike(
        "calls of W&B Weave",
        ("op_name started_at",),
        "Instrument the agent for OpenTelemetry, for example with OpenInference or OpenLLMetry, "
        f"and {_RECORD}",
    ),
    Lookalike(
        "spans of Zipkin",
        ("traceId localEndpoint",),
        f"Export OTLP instead of Zipkin's format (OTEL_TRACES_EXPORTER=otlp), and {_RECORD}",
    ),
    Lookalike(
        "metrics of OpenTelemetry",
        ("resourceMetrics",),
        "Give the file with the spans: the exporter writes traces elsewhere",
    ),
    Lookalike(
        "an eval set: what was expected",
        ("eval_cases",),
        "Give it with --eval-set, and name the files with the traces",
    ),
    Lookalike("an eval config", ("evaluators",), _CONFIG),
    Lookalike(
        "a report of agentevals",
        ("schema_version sections", "schema_version traces"),
        "Give the traces that it was made from",
    ),
    Lookalike(
        "one answer of a chat API",
        ("object choices",),
        "Save the whole conversation as a list of messages, the question and the answer of each "
        "tool included",
    ),
    Lookalike("results of promptfoo", ("evalId results",), f"Record the agent itself: {_RECORD}"),
)
# how a file begins, or what stands in its first bytes
_BY_BYTES = (
    Lookalike("a database of SQLite", (r"\ASQLite format 3\0",), "Export its traces as OTLP JSON"),
    Lookalike("a ZIP archive", (r"\APK\x03\x04",), "Unpack it, and name the files in it"),
    Lookalike("a file packed by xz", (r"\A\xfd7zXZ",), "Unpack it with 'unxz'"),
    Lookalike("a file packed by bzip2", (r"\ABZh",), "Unpack it with 'bunzip2'"),
    Lookalike("a Parquet file", (r"\APAR1",), "Export the traces as OTLP JSON"),
    Lookalike("a PDF", (r"\A%PDF",), "Give trace files"),
    Lookalike(
        "spans that OpenTelemetry's SDK for Python prints on the console",
        (r'"context": \{\s+"trace_id": "0x',),
        _CONSOLE,
    ),
    Lookalike(
        "spans that OpenTelemetry's SDK for JavaScript prints on the console",
        (r"\btraceId: '[0-9a-f]{32}'",),
        _CONSOLE,
    ),
    Lookalike(
        "the output of the collector's debug exporter",
        (r"\b(?:ResourceSpans|InstrumentationScope|Span) #\d",),
        "Use the collector's file exporter, and name its file",
    ),
    Lookalike("an XML or HTML page", (r"\A\s*<(?:\?xml|!DOCTYPE|html)",), "Give trace files"),
    Lookalike(
        "an eval config",
        (r"(?m)^evaluators:",),
        _CONFIG,
    ),
    Lookalike(
        "what a program printed",
        (r"\A(?:\w|[ \t]|\[\d{4}-|\[[A-Z])",),
        f"Give trace files; if there are none yet, {_RECORD}",
    ),
)


def describe_file(path: str, problems: Sequence[str]) -> Misfit:
    """Return what a file looks like that could not be read, or not all of it."""
    file, said = Path(path), tuple(problems)
    if not path or not exists(file) or file.is_dir():
        return Misfit(path=path, problems=said, remedy=f"Check the path, or {_RECORD}")
    if not file.is_file():  # what came through a pipe is gone
        return Misfit(path=path, problems=said)
    try:
        with open_trace(file) as stream:
            start = stream.peek(_START)[:_START] if hasattr(stream, "peek") else stream.read(_START)
        objects = list(islice(_find_objects(file), len(_INNER) + 2))
    except (*UNREADABLE, MalformedError, ValueError):
        return Misfit(path=path, problems=said)
    found = _find_lookalike(objects, start)
    return Misfit(
        path=path,
        problems=said,
        begins=_show(start),
        keys=tuple(list(objects[0])[:_KEYS]) if objects else (),
        likely=found.title if found else "",
        remedy=found.remedy if found else "",
    )


def _show(start: bytes) -> str:
    text = start[: 4 * _BEGINS].decode("utf-8", "backslashreplace")
    short = " ".join(text.split())
    return short if len(short) <= _BEGINS else f"{short[:_BEGINS]}…"


def _find_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the first object of a file, and the first of each array that is known to hold more."""
    with open_trace(path) as stream:
        try:
            document = next(read_records(stream)).document
        except MalformedError:
            return
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, dict):
        yield first
        for key in _INNER:
            inner = first.get(key)
            if isinstance(inner, list) and inner and isinstance(inner[0], dict):
                yield inner[0]


def _find_lookalike(objects: Sequence[dict[str, Any]], start: bytes) -> Lookalike | None:
    for one in _BY_KEYS:
        if any(set(mark.split()) <= each.keys() for mark in one.marks for each in objects):
            return one
    if objects:
        return None
    text = start.decode("latin-1")
    return next((o for o in _BY_BYTES for mark in o.marks if re.search(mark, text)), None)
