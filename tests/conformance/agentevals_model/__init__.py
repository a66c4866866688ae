"""What ours has to say where a decision differs from agentevals-cli, computed from the inputs.

Each decision changes the picture of what was recorded, one after the other. The result is what
ours is compared with, so that decisions compose and none excuses another value.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

from tests.conformance.agentevals_model import (
    answers,
    judged,
    programs,
    readings,
    releases,
    scripted,
    verdict,
)
from tests.conformance.agentevals_model.inputs import Inputs
from tests.conformance.agentevals_model.picture import Picture
from tests.conformance.rows import Difference, differences

# nothing may be added to what users have written
OF_USERS = frozenset({"args", "config", "response"})

Stage = Callable[[Picture, Inputs], None]

_STAGES: tuple[tuple[str, Stage], ...] = (
    ("2.1", releases.write_as_json),
    ("2.10", releases.read_as_newest),
    ("2.10", releases.judge_as_newest),
    ("1.7", releases.guess_nothing),
    ("1.2", programs.find_beside_config),
    ("2.8", programs.run_typescript),
    ("7.6", programs.take_fractions),
    ("2.3", readings.read_old_spelling),
    ("2.4", readings.read_lines),
    ("2.5", readings.read_and_join),
    ("2.6", readings.compute_similarity),
    ("2.15", answers.pair_by_position),
    ("2.16", answers.keep_texts),
    ("2.17", answers.write_words),
    ("2.18", answers.drop_empty_arguments),
    ("2.20", answers.keep_text_arguments),
    ("7.4", answers.read_events),
    ("2.18", judged.judge_calls_again),
    ("2.11", scripted.ask_judge),
    ("1.11", judged.leave_unknown_unjudged),
    ("1.7", verdict.miss_cases),
    ("1.4", verdict.fail_unjudged),
    ("2.19", verdict.join_attempts),
)


@dataclass(frozen=True)
class Expected:
    """What ours has to say, and which decision asks for each difference to what was recorded."""

    picture: Picture
    explained: tuple[tuple[str, Difference], ...]


def expect(recorded: Picture, inputs: Inputs) -> Expected:
    """Apply every decision to what was recorded."""
    explained: list[tuple[str, Difference]] = []
    picture = recorded
    for decision, change in _STAGES:
        changed = copy.deepcopy(picture)
        if _applies(change, changed, inputs):
            found = differences(picture.as_dict(), changed.as_dict(), whole=OF_USERS)
            explained += [(decision, difference) for difference in found]
            picture = changed
    return Expected(picture, tuple(explained))


def _applies(change: Stage, picture: Picture, inputs: Inputs) -> bool:
    """Apply one decision; whether it could read the recording."""
    try:
        change(picture, inputs)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False
    return True
