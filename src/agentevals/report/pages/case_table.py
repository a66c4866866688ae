"""Every case of a run as a row, as many as there is room for."""

from collections.abc import Iterator

from agentevals.compare.case_summaries import CaseSummary, Miss, summarise_all
from agentevals.model.outcome import Outcome
from agentevals.report.pages import comment_digest, page_wording
from agentevals.report.pages.page_shortening import octets
from agentevals.text import markdown, wording

_HEAD = "| Case | Verdict | Score | What was missed |\n|:--|:--|--:|:--|\n"
_NAME = 100  # characters of a case id
_RESERVED = 400  # bytes for what stands around the rows


def list_cases(outcome: Outcome, room: int) -> str:
    """Folded, in the order of the run; nothing where there is no room for a single row."""
    if outcome.report is None or not len(outcome.report.cases):
        return ""
    total = len(outcome.report.cases)
    name = markdown.html_code(comment_digest.name_config(outcome), _NAME)
    rows = list(
        _fitting(map(_row, summarise_all(outcome.report.cases)), room - _RESERVED - octets(name))
    )
    if not rows:
        return ""
    more = total - len(rows)
    said = f"\n*{wording.plural(more, 'more case')} in the report.*\n" if more else ""
    which = "The evaluated" if outcome.report.partial else "All"
    summary = f"{which} {wording.plural(total, 'case')} of {name}"
    return markdown.details(summary, f"{_HEAD}{''.join(rows)}{said}")


def _fitting(rows: Iterator[str], room: int) -> Iterator[str]:
    for row in rows:
        room -= octets(row)
        if room < 0:
            return
        yield row


def _row(case: CaseSummary) -> str:
    missed = [markdown.text(case.error)] if case.error else []
    missed += map(_write_miss, case.missed)
    if case.more:
        missed.append(f"and {case.more} more")
    kept = case.kept
    verdict = f"{page_wording.SIGNS[kept.verdict]} {kept.verdict}"
    if case.is_undecided:
        verdict = f"{page_wording.UNKNOWN} not evaluated"
    if case.told:
        verdict += f" ({case.told})"
    cells = (markdown.code(kept.case_id, _NAME), verdict, wording.score(kept.score))
    return f"| {' | '.join((*cells, '<br>'.join(missed)))} |\n"


def _write_miss(miss: Miss) -> str:
    why = markdown.text(miss.text, 300) or miss.scored
    return f"**{markdown.text(miss.evaluator, 60)}**" + (f": {why}" if why else "")
