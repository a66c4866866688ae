"""The table of gates: base, this pull request, the difference, its limit, and what follows."""

from collections.abc import Sequence

from agentevals.model.outcome import Change, Gate, Outcome
from agentevals.report.pages import numbers, words
from agentevals.report.pages.stages import Gates, Stage
from agentevals.text import markdown
from agentevals.text.wording import NOTHING, plural

_NAME = 80  # characters of a gate's name
_MOST = 60  # rows


def table(outcome: Outcome, base: str, stage: Stage) -> str:
    """Draw the gates that decide or have surely changed; nothing if there is none."""
    shown = [gate for gate in outcome.gates if _is_shown(gate, stage)]
    hidden = len(outcome.gates) - len(shown) if stage.gates is not Gates.ALL else 0
    return _table(shown, base, hidden) if shown else ""


def others(outcome: Outcome, base: str) -> str:
    """The figures that decide nothing, folded away."""
    rest = [gate for gate in outcome.gates if not _is_notable(gate)]
    if not rest:
        return ""
    return markdown.details(plural(len(rest), "more figure"), _table(rest, base, 0))


def _table(shown: Sequence[Gate], base: str, hidden: int) -> str:
    compared = any(gate.base is not None for gate in shown)
    columns = _COMPARED if compared else _ALONE
    titles = [title.format(base=markdown.code(base, 60) if base else "Base") for title in columns]
    rows = [_row(gate, compared=compared) for gate in shown[:_MOST]]
    page = "".join(f"| {' | '.join(cells)} |\n" for cells in (titles, columns.values(), *rows))
    return page + _more(hidden + len(shown) - len(rows))


_COMPARED = {
    "Gate": ":--",
    "{base}": "--:",
    "This PR": "--:",
    "Δ (95 % CI)": ":--",
    "Limit": ":--",
    "Verdict": ":--",
}
_ALONE = {"Gate": ":--", "This PR": "--:", "Limit": ":--", "Verdict": ":--"}


def _is_shown(gate: Gate, stage: Stage) -> bool:
    if stage.gates is Gates.FAILING:
        return gate.fails or gate.warns
    return stage.gates is Gates.ALL and _is_notable(gate)


_ALWAYS = frozenset({"pass_rate", "score"})
_MOVED = frozenset({Change.REGRESSED, Change.IMPROVED})


def _is_notable(gate: Gate) -> bool:
    decides = bool(gate.limit) or gate.fails or gate.warns
    return decides or gate.figure in _ALWAYS or gate.change in _MOVED


def _row(gate: Gate, *, compared: bool) -> list[str]:
    beside = [numbers.figure(gate.base, gate.unit)] if compared else []
    change = [numbers.difference(gate)] if compared else []
    return [
        markdown.text(gate.name or gate.figure, _NAME),
        *beside,
        numbers.figure(gate.head, gate.unit),
        *change,
        _limit(gate.limit),
        words.verdict(gate),
    ]


def _limit(limit: str) -> str:
    """Each condition in one piece."""
    conditions = markdown.text(limit, _NAME).split(" and ")
    return " and ".join(map(numbers.tied, conditions)) or NOTHING


def _more(count: int) -> str:
    return f"\n*{plural(count, 'more gate')} not shown.*\n" if count > 0 else ""
