"""Where ours differs on purpose: which difference is explained by which numbered decision.

A rule looks at one difference and at the two runs. It explains only what the decision says, so
that a new difference in the same row stays unexplained.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.conformance.rows import Difference

if TYPE_CHECKING:
    from tests.conformance.agentevals import Recording, Run

Rule = Callable[[Difference, "Recording", "Run"], bool]


def explain(difference: Difference, recording: "Recording", run: "Run") -> str:
    """The number of the decision that asks for this difference, or nothing."""
    return next((n for n, rule in _RULES if rule(difference, recording, run)), "")


_RULES: tuple[tuple[str, Rule], ...] = ()
