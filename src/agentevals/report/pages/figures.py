"""What the first line says about the figures of a run."""

from collections.abc import Sequence

import msgspec

from agentevals.model.review import Change, Gate, Unit
from agentevals.report.pages import numbers

_NAMED = 3  # figures that got worse
_WORTH_SAYING = 0.05  # a smaller change of an amount is no headline


def fallen(gates: Sequence[Gate]) -> str:
    """The names of those that got worse for certain."""
    return numbers.list_names([gate.name for gate in gates if gate.has_fallen], _NAMED)


def first(gates: Sequence[Gate]) -> str:
    """The first share tells most about a run; where there is none, the first figure does."""
    known = [gate for gate in gates if gate.head is not None]
    shares = [gate for gate in known if gate.unit is Unit.SHARE]
    for gate in (shares or known)[:1]:
        return f"{gate.name} {numbers.figure(gate.head, gate.unit)}{_since(gate)}"
    return ""


def _since(gate: Gate) -> str:
    if gate.difference is None or gate.base is None:
        return ""
    if gate.change is Change.UNCHANGED:
        return ", unchanged"
    alone = msgspec.structs.replace(gate, interval=None)
    return f", {numbers.difference(alone)}"


def cost(gates: Sequence[Gate]) -> str:
    """How the cost has changed, where that is worth a word."""
    for gate in gates:
        known = gate.unit is Unit.MONEY and gate.difference is not None
        if known and abs((gate.difference or 1) - 1) >= _WORTH_SAYING:
            change = ((gate.difference or 1) - 1) * 100
            return f"{gate.name} {change:+.0f} %".replace("-", numbers.MINUS)
    return ""
