"""Every case of a run as a row, as many as there is room for."""

from collections.abc import Iterator

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Result
from agentevals.model.review import Outcome
from agentevals.report.pages import words
from agentevals.report.pages.stages import octets
from agentevals.text import markdown, wording

_HEAD = "| Case | Verdict | Score | What was missed |\n|:--|:--|--:|:--|\n"
_NAME = 100  # characters of a case id
_MISSED = 3  # results in one row
_RESERVED = 400  # bytes for what stands around the rows


def of_cases(section: Outcome, room: int) -> str:
    """Folded, in the order of the run; nothing where there is no room for a single row."""
    if section.report is None or not len(section.report.cases):
        return ""
    total = len(section.report.cases)
    name = markdown.html_code(section.title or section.config, _NAME)
    rows = list(_fitting(map(_row, section.report.cases), room - _RESERVED - octets(name)))
    if not rows:
        return ""
    more = total - len(rows)
    said = f"\n*{wording.plural(more, 'more case')} in the report.*\n" if more else ""
    summary = f"All {wording.plural(total, 'case')} of {name}"
    return markdown.details(summary, f"{_HEAD}{''.join(rows)}{said}")


def _fitting(rows: Iterator[str], room: int) -> Iterator[str]:
    for row in rows:
        room -= octets(row)
        if room < 0:
            return
        yield row


def _row(case: CaseReport) -> str:
    missed = [markdown.text(case.error)] if case.error else []
    bad = [result for result in case.results if result.outcome is not Status.PASSED]
    missed += [_missed(result) for result in bad[:_MISSED]]
    if len(bad) > _MISSED:
        missed.append(f"and {len(bad) - _MISSED} more")
    verdict = f"{words.SIGNS[case.verdict]} {case.verdict}"
    if case.is_unscored:
        verdict = f"{words.UNKNOWN} not evaluated"
    score = wording.score(case.score)
    cells = (markdown.code(case.case_id, _NAME), verdict, score, "<br>".join(missed))
    return f"| {' | '.join(cells)} |\n"


def _missed(result: Result) -> str:
    said = (*wording.list_missed_gates(result), *result.problems[:3])
    why = markdown.text("; ".join(said) or result.reasoning, 300)
    if not why and result.score is not None and result.threshold is not None:
        why = wording.write_judgement(result)
    return f"**{markdown.text(result.name, 60)}**" + (f": {why}" if why else "")
