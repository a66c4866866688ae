"""The cases of the page in blocks: a line of each for the list, and its details compressed."""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentevals.compare.summaries import BaseCase, SummarisedCases
from agentevals.model.outcome import Highlight, Outcome
from agentevals.model.results import CaseReport
from agentevals.model.review import Review
from agentevals.report import explanation, rows
from agentevals.report.outputs.html import embedding, history
from agentevals.report.outputs.html.details import Known, describe_case
from agentevals.report.outputs.html.lines import describe_line
from agentevals.report.outputs.html.top import list_evaluators
from agentevals.text import json_

_TOGETHER = 64  # cases of a block
_LARGEST = 2**19  # bytes of a block, before it is compressed
_ROOM = 24 * 2**20  # characters of details with conversations; as many again are without


class _Block(NamedTuple):
    """Lines and details that are collected until they are written."""

    lines: list[Any]
    details: list[bytes]


def write_blocks(review: Review, room: int = _ROOM) -> Iterator[str]:
    """Yield the elements. Past a size, conversations are omitted, and at last all details."""
    written = 0
    for at, outcome in enumerate(review.sections):
        block = _Block([], [])
        for line, known in _walk(at, outcome, history.find_trend(outcome, review.scene).strips):
            details = _encode_details(known, review, room - written, room)
            block.lines.append(line)
            block.details.append(details)
            if len(block.lines) == _TOGETHER or sum(map(len, block.details)) > _LARGEST:
                text = _write(block)
                written += len(text)
                yield text
                block = _Block([], [])
        if block.lines:
            yield _write(block)


def _encode_details(known: Known, review: Review, left: int, room: int) -> bytes:
    """Return the details as far as there is room: half of it is kept for cases without words."""
    if left < -room:
        return b"null"
    return json_.encode(describe_case(known, review.scene, transcribed=left >= 0))


def _walk(
    at: int, outcome: Outcome, strips: Mapping[str, str]
) -> Iterator[tuple[list[Any], Known]]:
    """Yield each case of a config as a line, and what its details are made of."""
    evaluators = list_evaluators(outcome.report)
    shown: dict[str, list[Highlight]] = {}
    for one in outcome.highlights:
        shown.setdefault(one.case_id, []).append(one)
    report = outcome.report
    cases: Sequence[CaseReport] = (
        report.cases if report else [found.case for found in rows.cases(outcome)]
    )
    earlier = _find_earlier(cases)
    judge = explanation.make_explainer(outcome)
    for case in cases:
        known = Known(
            case=case,
            explanations=judge(case),
            highlights=tuple(shown.get(case.case_id, ())),
            base=earlier.get(case.case_id, ()),
            history=(outcome.earlier or {}).get(case.case_id, ""),
            strip=strips.get(case.case_id, ""),
        )
        yield describe_line(at, known, evaluators), known


def _find_earlier(cases: Sequence[CaseReport]) -> Mapping[str, Sequence[BaseCase]]:
    return cases.earlier if isinstance(cases, SummarisedCases) else {}


def _write(block: _Block) -> str:
    packer = zlib.compressobj(level=6, wbits=-zlib.MAX_WBITS)
    joined = b"[" + b",".join(block.details) + b"]"
    packed = base64.b64encode(packer.compress(joined) + packer.flush()).decode()
    lines = embedding.embed("lines", embedding.write(block.lines))
    return lines + embedding.embed("details", packed)
