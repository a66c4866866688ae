"""The comparison of tables of before version 1.0."""

import csv
import io
import json
from typing import Any

from tests.conformance.uipath_judged import Judged
from tests.conformance.uipath_models.legacy import find_parts
from tests.conformance.uipath_models.outcomes import BrokenItemError, EvaluatorError
from tests.conformance.uipath_models.values import MISSING, WHOLE, list_lines

Value = dict[str, Any]
_PERCENT = 100


def judge(judged: Judged, decided: frozenset[str]) -> Value:
    """The columns of both tables."""
    sides = (judged.criteria["expectedOutput"], judged.output)
    if "4.9" in decided:
        found = find_parts(judged.path, *sides)
        texts = ["" if part is MISSING else _write(part) for part in found]
    else:
        texts = [_read_content(_pick(side, judged.path), judged) for side in sides]
    if judged.by_line:
        return _judge_lines(judged, decided, *texts)
    wanted, found = (_read_rows(text, judged, decided) for text in texts)
    if "4.10" not in decided:
        if not wanted or not found:
            raise EvaluatorError
        wanted, found = wanted[:1], found[:1]
    met = float(wanted == found)
    return {"score": met if "4.6" in decided else met * _PERCENT}


def _pick(side: Any, path: str) -> Any:
    """One key, or else the whole."""
    return side[path] if path != WHOLE and isinstance(side, dict) and path in side else side


def _write(part: Any) -> str:
    return str(part.get("content", "") if isinstance(part, dict) else part)


def _read_content(part: Any, judged: Judged) -> str:
    text = part
    if isinstance(part, dict):
        text = part["content"] if "content" in part else json.dumps(part)
    elif not isinstance(part, str):
        text = str(part)
    if not isinstance(text, str) or not text.strip():
        raise BrokenItemError if judged.by_line else EvaluatorError
    return text


def _read_rows(text: str, judged: Judged, decided: frozenset[str]) -> list[list[str]]:
    if not text.strip() and "4.9" in decided:
        raise EvaluatorError
    try:
        reader = csv.DictReader(io.StringIO(text))
        names = [name.strip() if "4.9" in decided else name for name in reader.fieldnames or ()]
        rows = [[(cell or "").strip() for cell in row.values()] for row in _cut(reader, names)]
    except csv.Error:
        raise EvaluatorError from None
    known = {name.lower(): at for at, name in enumerate(names)}
    columns = [one.strip().lower() for one in judged.config["targetSubOutputKey"].split(",")]
    if any(one not in known for one in columns if one):
        raise EvaluatorError
    return [[row[known[one]] for one in columns if one] for row in rows]


def _cut(reader: Any, names: list[str]) -> list[dict[str, str]]:
    """The rows, without the cells that have no header."""
    return [dict(zip(names, list(row.values())[: len(names)], strict=True)) for row in reader]


def _judge_lines(judged: Judged, decided: frozenset[str], *texts: str) -> Value:
    if "4.10" in decided:
        return _judge_rows(judged, decided, *texts)
    lines = [list_lines(text, judged.delimiter) for text in texts]
    if not all(lines):
        raise BrokenItemError
    count = max(len(one) for one in lines) - 1
    scores = []
    for at in range(1, count + 1):
        both = [
            judged.delimiter.join([one[0], one[at]]) if at < len(one) else one[0] for one in lines
        ]
        try:
            wanted, found = (_read_rows(text, judged, decided)[0] for text in both)
            scores.append(float(wanted == found))
        except (EvaluatorError, IndexError):
            scores.append(0.0)
    return {"score": sum(scores) / len(scores) if scores else 0.0, "lines": scores}


def _judge_rows(judged: Judged, decided: frozenset[str], *texts: str) -> Value:
    joined = ["\n".join(list_lines(text, judged.delimiter)) for text in texts]
    wanted, found = (_read_rows(text, judged, decided) for text in joined)
    count = max(len(wanted), len(found), 1 if "4.11" in decided else 0)
    scores = [float(wanted[at : at + 1] == found[at : at + 1]) for at in range(count)]
    return {"score": sum(scores) / len(scores) if scores else 0.0, "lines": scores}
