"""`report.html`: the review as one file for a browser, which needs no network and no other file.

The page is built from `web/` into `page.html`. Here it gets its data: the verdict and the figures
at its top, then the cases in blocks. A block has a line for each case, and its details compressed.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from agentevals.compare.case_summaries import BaseCase, SummarisedCases, keep_case
from agentevals.model.cases import Status
from agentevals.model.outcome import Highlight, Kind, Outcome
from agentevals.model.results import CaseReport
from agentevals.model.review import Review
from agentevals.report import explanation, report_tests
from agentevals.report.outputs.html import html_data, html_top
from agentevals.report.outputs.html.html_data import cut, round_number
from agentevals.report.outputs.html.html_details import Known, describe_case
from agentevals.report.outputs.html.html_top import list_evaluators
from agentevals.run.attempts import list_attempts
from agentevals.text import json_text

FILE = "report.html"
_TOP, _CASES = "<!--top-->", "<!--cases-->"  # where the data goes
_TOGETHER = 64  # cases of a block
_LARGEST = 2**19  # bytes of a block, before it is compressed
_ROOM = 24 * 2**20  # characters of details with conversations; as many again are without
_NAME, _TEXT = 300, 160  # characters
_MARKS = {
    Status.PASSED: "p",
    Status.FAILED: "f",
    Status.ERROR: "e",
    Status.NOT_EVALUATED: "n",
}


def render(review: Review) -> Iterator[str]:
    """One block at a time: the cases of a run may lie on disk."""
    page = (files(__name__) / "page.html").read_text(encoding="utf-8")
    before, rest = page.split(_TOP)
    script, after = rest.split(_CASES)
    yield before
    yield html_data.embed("top", html_data.write(html_top.describe(review)))
    yield script
    yield from write_blocks(review)
    yield after


class _Block(NamedTuple):
    """Lines and details that are collected until they are written."""

    lines: list[Any]
    details: list[bytes]


def write_blocks(review: Review, room: int = _ROOM) -> Iterator[str]:
    """Yield the elements. Past a size, conversations are omitted, and at last all details."""
    written = 0
    for at, outcome in enumerate(review.sections):
        block = _Block([], [])
        for line, known in _walk(at, outcome, html_top.find_trend(outcome, review.scene).strips):
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
    return json_text.encode(describe_case(known, review.scene, transcribed=left >= 0))


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
        report.cases if report else [found.case for found in report_tests.cases(outcome)]
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
    lines = html_data.embed("lines", html_data.write(block.lines))
    return lines + html_data.embed("details", packed)


def describe_line(at: int, known: Known, evaluators: Sequence[str]) -> list[Any]:
    """Return the members in the order in which `web/src/data.ts` reads them."""
    case = known.case
    first = known.explanations[0]
    results = {result.name: result for result in case.results}
    found = [results.get(name) for name in evaluators]
    marks = "".join(_MARKS[one.case_status] if one else "-" for one in found)
    before = known.base[0].outcomes if known.base else {}
    amounts = keep_case(case).amounts
    attempts = list_attempts(case)
    return [
        at,
        cut(case.case_id, _NAME),
        first.verdict if len(attempts) == 1 else known.verdict,
        [kind for kind in Kind if kind in {one.kind for one in known.highlights}],
        round_number(case.score),
        cut(case.user, _TEXT),
        cut(first.because[0] if first.because else "", _TEXT) if known.is_open else "",
        marks,
        [round_number(one.score) if one else None for one in found],
        [round_number(before[name].score) if name in before else None for name in evaluators],
        [sum(not one.verdict.is_bad and not one.is_undecided for one in attempts), len(attempts)],
        [round_number(amounts.get(name)) for name in ("latency", "tokens", "cost")],
        known.history,
        known.accepted,
    ]
