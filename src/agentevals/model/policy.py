"""The rules that a case, and a run, must meet. Data only."""

from enum import StrEnum
from typing import Literal

import msgspec

from agentevals.model.noun import Noun


class Limit(Noun, frozen=True, omit_defaults=False):
    """The range that one figure of a run must keep: on its own, and against the baseline.

    `max_drop` is a difference of shares or scores, `max_ratio` a quotient of amounts.
    """

    at_least: float | None = None
    at_most: float | None = None
    max_drop: float | None = None
    max_ratio: float | None = None

    @property
    def compares(self) -> bool:
        """True if it limits a change."""
        return self.max_drop is not None or self.max_ratio is not None


class Acceptance(Noun, frozen=True, omit_defaults=False):
    """A failing case that somebody answers for, until a day (`2027-01-31`, inclusive)."""

    case: str
    reason: str
    until: str
    evaluator: str = ""


class Unsure(StrEnum):
    """The answer to a question that could not be decided."""

    FAIL = "fail"
    WARN = "warn"
    PASS = "pass"  # noqa: S105 -- not a password


class Policy(Noun, frozen=True, omit_defaults=False):
    """The rules that a case, and the run, must meet.

    Without `pass_at` a case passes when every evaluator does. `limits` are by figure: the keys of
    `figures.AMOUNTS` and `figures.SHARES`, or `evaluator:` and a name.
    """

    pass_at: float | None = None
    borderline_at: float | None = None
    fail_on_not_evaluated: bool = True
    fail_on_missing: bool = True
    fail_on_foreign: bool = True
    limits: dict[str, Limit] = {}
    accepted: tuple[Acceptance, ...] = ()
    on_inconclusive: Unsure = Unsure.WARN
    on_no_baseline: Unsure = Unsure.WARN
    max_baseline_age_days: float | None = None
    # what a recording means that is not of this agent; left to whether it was changed if unset
    on_stale_recording: Literal["fail", "warn"] | msgspec.UnsetType = msgspec.UNSET
    # how many attempts of a case must pass; more than half of them if unset
    attempts: Literal["all", "any"] | msgspec.UnsetType = msgspec.UNSET
    # who may approve a change of rules; anybody with write permission if unset
    approval: Literal["other"] | msgspec.UnsetType = msgspec.UNSET
    # the key of the cases that says which of them are one family; each is one of its own if unset
    cluster: str | msgspec.UnsetType = msgspec.UNSET
