"""Where ours differs from AgentV on purpose: which difference is explained by which decision."""

from collections.abc import Callable
from typing import Any

from tests.conformance.rows import Difference

Recorded = dict[str, Any]
Rule = Callable[[Difference, Recorded, Recorded, Recorded], bool]


def explain(difference: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> str:
    """The number of the decision that asks for this difference, or nothing."""
    return next((n for n, rule in _RULES if rule(difference, case, recorded, ours)), "")


def _refused(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """What AgentV drops when it loads is an error here, with its place."""
    return bool(recorded.get("load_messages")) and bool(ours.get("refused"))


_RULES: tuple[tuple[str, Rule], ...] = (("1.1", _refused),)
