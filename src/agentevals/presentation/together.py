"""What all cases together say, in words: figures by evaluator, and who was taken for whom."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentevals.presentation import wording
from agentevals.report import Report

_SCORE, _MEAN = "reduce_scores", "mean"
_CLASSES = 12  # of a matrix that people can read


class Matrix(NamedTuple):
    """How often each class (row) was predicted where each class (column) was expected."""

    name: str
    classes: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]


def figures(report: Report) -> Iterator[tuple[str, str]]:
    """A name and a number for all that is more than the mean, which stands elsewhere."""
    for evaluator, said in report.overall.items():
        score, metric, error = said.get(_SCORE), said.get("metric", ""), said.get("error")
        if error and isinstance(error, str):
            yield evaluator, f"error: {error}"
        if _is_number(score) and metric != _MEAN:
            yield (f"{evaluator}, {metric}" if metric else evaluator), wording.exact_score(score)
        for name, value in said.items():
            if isinstance(value, dict) and _is_number(value.get("score")) and not _matrix(value):
                yield name, wording.exact_score(value["score"])


def matrices(report: Report) -> Iterator[Matrix]:
    """Those that were asked for, as far as they can be read."""
    for said in report.overall.values():
        for name, value in said.items():
            found = _matrix(value) if isinstance(value, dict) else None
            if found:
                yield Matrix(name, *found)


def _matrix(value: dict[str, Any]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]] | None:
    details = value.get("details")
    if not isinstance(details, dict) or details.get("metric") != "confusion_matrix":
        return None
    classes, rows = details.get("classes", []), details.get("confusionMatrix", [])
    if not 0 < len(classes) <= _CLASSES or len(rows) != len(classes):
        return None
    return tuple(map(str, classes)), tuple(tuple(row) for row in rows)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
