"""One case as a line of the list."""

from collections.abc import Sequence
from typing import Any

from agentevals.compare.summaries import keep_case
from agentevals.model.cases import Status
from agentevals.model.outcome import Kind
from agentevals.report.outputs.html.details import Known
from agentevals.report.outputs.html.embedding import cut, round_number
from agentevals.run.attempts import list_attempts

_NAME, _TEXT = 300, 160  # characters
_MARKS = {
    Status.PASSED: "p",
    Status.FAILED: "f",
    Status.ERROR: "e",
    Status.NOT_EVALUATED: "n",
}


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
