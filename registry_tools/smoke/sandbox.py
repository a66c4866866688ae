"""Whether the walls hold here, tried out before anything foreign is started."""

from agentevals.errors import EvaluatorError
from agentevals.isolation import LEVELS, promises
from agentevals.isolation.promises import Outcome

_TRIES = 2  # one of the promises is about time, which a busy machine may not keep


def objection(level: str) -> str:
    """Why nothing may be run; "" when every promise holds and the walls are high enough."""
    said = ""
    for _ in range(_TRIES):
        try:
            walls, checked = promises.check()
        except EvaluatorError as error:
            return str(error)
        found = walls.partition(" ")[0]
        if LEVELS.index(found) < LEVELS.index(level):
            return f"this machine has only the walls {walls}, and {level!r} was asked for"
        broken = [one for one in checked if one.outcome is Outcome.BROKEN]
        if not broken:
            return ""
        said = "; ".join(f"{one.promise}: it {', '.join(one.achieved[:2])}" for one in broken)
    return f"a promise of the sandbox does not hold: {said}"
