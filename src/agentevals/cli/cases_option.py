"""`--cases`: the cases of a run as lines of JSON or rows of Parquet, one after the other."""

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO

from agentevals.files import storage
from agentevals.model.errors import InputError
from agentevals.model.results import CaseReport
from agentevals.model.transcripts import drop_transcript
from agentevals.text import json_text

_PACKED, _ENDINGS = ".jsonl.gz", (".jsonl", ".jsonl.gz", ".parquet")
_ROWS = 4096  # in a group of Parquet

Watch = Callable[[CaseReport], None]


def check(path: str | None) -> str:
    """Return the path, or an empty text; raise an InputError before anything runs."""
    if path and not path.endswith(_ENDINGS):
        msg = f"--cases {path}: name a file that ends in {', '.join(_ENDINGS)}"
        raise InputError(msg)
    if path and path.endswith(".parquet"):
        _import_parquet()
    return path or ""


@contextmanager
def write(path: str) -> Iterator[Watch | None]:
    """Yield what writes one case; None if nobody wants that."""
    if not path:
        yield None
        return
    try:
        with storage.open_new(path) as file:
            if path.endswith(".parquet"):
                with _open_table(file) as watch:
                    yield watch
            elif path.endswith(_PACKED):
                with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
                    yield _write_lines(packed)
            else:
                yield _write_lines(file)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        msg = f"--cases {path}: cannot be written: {why}; give another path"
        raise InputError(msg) from error


def _write_lines(file: BinaryIO | gzip.GzipFile | io.BufferedIOBase) -> Watch:
    def watch(case: CaseReport) -> None:
        file.write(json_text.encode(drop_transcript(case)) + b"\n")

    return watch


@contextmanager
def _open_table(file: BinaryIO) -> Iterator[Watch]:
    arrow, parquet = _import_parquet()
    schema = _make_schema(arrow)
    rows: list[dict[str, Any]] = []
    with parquet.ParquetWriter(file, schema) as writer:

        def flush() -> None:
            writer.write_table(arrow.Table.from_pylist(rows, schema))
            rows.clear()

        def watch(case: CaseReport) -> None:
            rows.append(_make_row(case))
            if len(rows) == _ROWS:
                flush()

        yield watch
        if rows:
            flush()


def _import_parquet() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        msg = (
            "--cases: Parquet needs pyarrow; install it beside agentevals, or the extra 'parquet' "
            "of agentevals-action, or write .jsonl"
        )
        raise InputError(msg) from None


def _make_schema(arrow: Any) -> Any:
    text, number = arrow.string(), arrow.float64()
    result = {
        "name": text, "type": text, "status": text, "score": number, "threshold": number,
        "error": text,
    }  # fmt: skip
    columns = {
        "case_id": text,
        "verdict": text,
        "score": number,
        "eval_case_id": text,
        "conversation_id": text,
        "trace_ids": arrow.list_(text),
        "sources": arrow.list_(text),
        "user": text,
        "turns": arrow.int64(),
        "error": text,
        "results": arrow.list_(arrow.struct(list(result.items()))),
        "report": text,
    }
    return arrow.schema(list(columns.items()))


def _make_row(case: CaseReport) -> dict[str, Any]:
    """Return the columns that people ask for, and the whole case as JSON."""
    names = ("case_id", "score", "eval_case_id", "conversation_id", "user", "turns", "error")
    return {
        **{name: getattr(case, name) for name in names},
        "verdict": case.verdict.value,
        "trace_ids": list(case.trace_ids),
        "sources": list(case.sources),
        "results": [
            {
                "name": result.name,
                "type": result.type,
                "status": result.status.value,
                "score": result.score,
                "threshold": result.threshold,
                "error": result.error,
            }
            for result in case.results
        ],
        "report": json_text.encode(drop_transcript(case)).decode(),
    }
