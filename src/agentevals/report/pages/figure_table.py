"""The table of figures: base, this pull request, the difference, its limit, and what follows."""

from collections.abc import Sequence

from agentevals.model.outcome import Change, Outcome
from agentevals.report.pages import page_links, page_wording
from agentevals.report.pages.figure_rows import (
    Row,
    describe_apart,
    describe_power,
    is_notable,
    list_rows,
)
from agentevals.report.pages.page_shortening import Gates, Stage
from agentevals.text import markdown
from agentevals.text.wording import NOTHING, plural

_NAME = 80  # characters of a name
_MOST = 60  # rows


def table(outcome: Outcome, base: str, stage: Stage) -> str:
    """Draw the figures that decide or have changed; nothing if there is none."""
    rows = list(list_rows(outcome))
    shown = [row for row in rows if _is_shown(row, stage)]
    hidden = len(rows) - len(shown) if stage.gates is not Gates.ALL else 0
    if not shown:
        return ""
    told = (
        describe_apart(outcome, markdown.code(base, 60) if base else "the base"),
        describe_power(outcome),
        _explain_unknown(shown),
    )
    below = "".join(f"\n{sentence}\n" for sentence in told if sentence and stage.passing)
    return _table(shown, base, hidden) + below


def _explain_unknown(shown: Sequence[Row]) -> str:
    """Say once why a figure may not be evaluated, and what to do about it."""
    if all(row.change is not Change.NOT_EVALUATED for row in shown):
        return ""
    return f"A figure that no case of this run has is not evaluated: {page_links.REMEDY}."


def others(outcome: Outcome, base: str) -> str:
    """The figures that decide nothing, folded away."""
    rest = [row for row in list_rows(outcome) if not is_notable(row)]
    if not rest:
        return ""
    return markdown.details(plural(len(rest), "more figure"), _table(rest, base, 0))


def _table(shown: Sequence[Row], base: str, hidden: int) -> str:
    """Columns in which no row says anything are left out."""
    titles = [title.format(base=markdown.code(base, 60) if base else "Base") for title in _COLUMNS]
    rows = [_write(row) for row in shown[:_MOST]]
    kept = [at for at in range(len(titles)) if any(row[at] != NOTHING for row in rows)]
    lines = (titles, list(_COLUMNS.values()), *rows)
    page = "".join(f"| {' | '.join(line[at] for at in kept)} |\n" for line in lines)
    return page + _more(hidden + len(shown) - len(rows))


_COLUMNS = {
    "Figure": ":--",
    "Cases": "--:",
    "{base}": "--:",
    "This PR": "--:",
    "Difference": ":--",
    "Limit": ":--",
    "Verdict": ":--",
}


def _is_shown(row: Row, stage: Stage) -> bool:
    if stage.gates is Gates.FAILING:
        return row.fails or row.warns
    return stage.gates is Gates.ALL and is_notable(row)


def _write(row: Row) -> list[str]:
    return [
        markdown.text(row.name or row.figure, _NAME),
        row.cases or NOTHING,
        page_wording.figure(row.base, row.unit),
        page_wording.figure(row.head, row.unit),
        page_wording.difference(row, interval=row.by_interval),
        _limit(row.limit),
        page_wording.verdict(row),
    ]


def _limit(limit: str) -> str:
    """Each condition in one piece."""
    conditions = markdown.text(limit, _NAME).split(" and ")
    return " and ".join(map(page_wording.tied, conditions)) or NOTHING


def _more(count: int) -> str:
    return f"\n*{plural(count, 'more gate')} not shown.*\n" if count > 0 else ""
