"""What did not come together, said once all conversations of a run were paired."""

from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import cast

from agentevals.configs.plan import Expectation, Pairs, StoredExpectations
from agentevals.model.noun import Noun
from agentevals.model.policy import Policy
from agentevals.model.results import Finding, Severity
from agentevals.run.pairing.unpaired_findings import (
    EMPTY,
    LISTED,
    NO_EVAL_SET,
    NOTHING_ALIKE,
    NOTHING_SAID,
    Leftovers,
    list_names,
    report_nothing_answered,
    report_nothing_recorded,
    report_uneven,
    report_unpaired,
    suggest_doctor,
)


class Expected(Noun, frozen=True, omit_defaults=False):
    """The eval cases of a run by their ids, and the weight of what is left over.

    `case_ids` is None without an eval set; `asked` is what the first of them ask for.
    """

    case_ids: tuple[str, ...] | None = None
    asked: tuple[str, ...] = ()
    needed: bool = False
    by_position: bool = False
    foreign_allowed: bool = False
    missed: Severity = Severity.ERROR


def describe(
    expectations: Sequence[Expectation] | None, policy: Policy, *, needed: bool, pairs: Pairs
) -> Expected:
    """Return what findings need to know of an eval set."""
    known = expectations or ()
    return Expected(
        case_ids=None if expectations is None else _list_names(expectations),
        asked=tuple(wanted.opening or wanted.case_id for wanted in known[:LISTED]),
        needed=needed,
        by_position=pairs == "position" and expectations is not None,
        foreign_allowed=not policy.fail_on_foreign,
        missed=Severity.ERROR if policy.fail_on_missing else Severity.WARNING,
    )


def _list_names(expectations: Sequence[Expectation]) -> tuple[str, ...]:
    if isinstance(expectations, StoredExpectations):
        return cast("tuple[str, ...]", expectations.case_ids)  # they lie on disk
    return tuple([wanted.case_id for wanted in expectations])


def report(expected: Expected, left: Leftovers) -> tuple[Finding, ...]:
    """Return what is left over on either side."""
    return (
        *_report_leftovers(expected, left),
        *_report_preparations(left),
        *_report_foreign(expected, left),
    )


def _report_leftovers(expected: Expected, left: Leftovers) -> tuple[Finding, ...]:
    if not left.with_turns:
        return (report_nothing_recorded(list(left.silent)),)
    if expected.case_ids is None:
        return (NO_EVAL_SET,) if expected.needed else ()
    if expected.by_position and left.recorded != len(expected.case_ids):
        return (report_uneven(left.recorded, len(expected.case_ids)),)
    if not left.answered:
        return _report_unanswered(expected, left)
    strays = starmap(report_unpaired, left.unpaired.items())
    return (*_report_missing(expected, left), *left.differing, *strays)


def _report_unanswered(expected: Expected, left: Leftovers) -> tuple[Finding, ...]:
    """With what conversations say of their case, where that is another one."""
    if not expected.case_ids:
        return (EMPTY,)
    told = {
        reason: names
        for reason, names in left.unpaired.items()
        if reason not in {NOTHING_ALIKE, NOTHING_SAID}
    }
    nothing = report_nothing_answered(expected.asked, len(expected.case_ids))
    return (nothing, *starmap(report_unpaired, told.items()))


def _report_missing(expected: Expected, left: Leftovers) -> Iterator[Finding]:
    fails = expected.missed is Severity.ERROR
    remedy = "; record it again, or give --allow-missing" if fails else ""
    known = expected.case_ids or ()
    for place in left.list_unanswered(len(known)):
        case_id = known[place]
        yield Finding(
            severity=expected.missed,
            rule="missing-case",
            message=f"{case_id}: no recorded conversation answers this eval case{remedy}",
        )


def _report_preparations(left: Leftovers) -> Iterator[Finding]:
    if left.preparing:
        names = list_names(left.preparing)
        message = (
            "there is nothing to evaluate in traces that only create an agent, or only show "
            f"a server that the agent calls: {names}"
        )
        yield Finding(severity=Severity.NOTE, rule="preparation", message=message)


def _report_foreign(expected: Expected, left: Leftovers) -> Iterator[Finding]:
    """Said with a remedy where they fail the run, and only where there is an agent as well."""
    if left.foreign and left.with_turns:
        names = list_names(left.foreign)
        look = f"'{suggest_doctor(list(left.silent))}' shows what is in them"
        then = f"--allow-foreign leaves them out; {look}"
        told = "left out" if expected.foreign_allowed else then
        message = f"nothing in these traces was recorded by an agent; {told}: {names}"
        severity = Severity.NOTE if expected.foreign_allowed else Severity.WARNING
        yield Finding(severity=severity, rule="foreign-trace", message=message)
