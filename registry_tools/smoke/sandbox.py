"""Check the sandbox here before third-party code is started."""

from collections.abc import Sequence
from functools import cache

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import promises
from agentevals.sandbox.isolation import LEVELS
from agentevals.sandbox.promises import CheckedPromise, Outcome

_TRIES = 2  # one of the promises is about time, which a busy machine may not keep


@cache
def find_objection(level: str) -> str:
    """Return why nothing may run; "" when every promise of the sandbox holds.

    Found out once in a process, whose launcher stays the same.
    """
    why = ""
    for _ in range(_TRIES):
        try:
            why = judge_promises(*promises.check(), level)
        except EvaluatorError as error:
            return str(error)
        if not why:
            break
    return why


def judge_promises(walls: str, checked: Sequence[CheckedPromise], level: str) -> str:
    """Return the reason for checked promises."""
    if LEVELS.index(walls.partition(" ")[0]) < LEVELS.index(level):
        return f"this machine has only the walls {walls}, and {level!r} was asked for"
    broken = [one for one in checked if one.outcome is Outcome.BROKEN]
    said = "; ".join(f"{one.promise}: it {', '.join(one.achieved[:2])}" for one in broken)
    return f"a promise of the sandbox does not hold: {said}" if broken else ""
