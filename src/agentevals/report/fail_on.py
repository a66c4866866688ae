"""What `fail-on: regressed` and `any-flip` fail though no case or limit does: cases of which fewer
attempts pass than on the base, and figures without a limit that got worse for certain."""

from collections.abc import Iterator

from agentevals.compare.gate_table import amount
from agentevals.model.outcome import FailOn, Gate, Highlight, Kind, Outcome
from agentevals.model.results import Decline, Finding, Severity
from agentevals.text import wording


def describe(one: Highlight) -> str:
    """`6 of 10 attempts passed, 10 of 10 on the base`."""
    return ", ".join(describe_attempts(one)) or "fewer of its attempts pass than on the base"


def describe_attempts(one: Highlight) -> Iterator[str]:
    """Yield how many attempts passed now, and on the base, where there were several."""
    now, was = one.now, one.was
    if now is None or now.runs == 1:
        return
    yield wording.write_attempts(now.passed, now.runs)
    if was is not None and (was.runs > 1 or one.kind is Kind.REGRESSED):
        yield f"{was.passed:,} of {was.runs:,} on the base"


def is_fall(one: Highlight) -> bool:
    """Return whether a case regressed that does not fail, and nobody answers for it."""
    answered = one.accepted is not None and not one.expired
    return one.kind is Kind.REGRESSED and one.now is not None and not (one.fails or answered)


def fails_run(outcome: Outcome, one: Highlight) -> bool:
    """Return whether a fall is among those that fail the run."""
    return is_fall(one) and fails_by_cases(outcome)


def fails_by_cases(outcome: Outcome) -> bool:
    """Return whether the run fails because cases fell: one of them, or more than by chance."""
    if not outcome.decline or not outcome.exit_code:
        return False
    if outcome.fail_on is FailOn.ANY_FLIP:
        return outcome.counts.regressed > 0
    return outcome.fail_on is FailOn.REGRESSED and outcome.decline.proven


def explain_cases(outcome: Outcome, decline: Decline) -> str:
    """Say why the run fails because cases fell."""
    if outcome.fail_on is FailOn.ANY_FLIP:
        return f"{outcome.counts.regressed:,} regressed"
    return explain_decline(decline)


def explain_decline(decline: Decline) -> str:
    """Say whether chance explains what fell: `more than chance explains (p = 0.016)`."""
    if decline.facts:
        return f"{wording.plural(decline.facts, 'case')} fell on the same recording"
    if decline.proven:
        return f"more than chance explains ({wording.write_p(decline.p_value)})"
    return f"chance may explain it ({wording.write_p(decline.p_value)})" if decline.fell else ""


def explain_chance(outcome: Outcome) -> str:
    """Say whether chance explains what fell, where that is what decides."""
    decides = outcome.fail_on is FailOn.REGRESSED and outcome.decline
    return explain_decline(decides) if decides else ""


def list_falls(outcome: Outcome) -> Iterator[tuple[Highlight, bool]]:
    """Yield the falls of a section, each with whether it fails the run."""
    return ((one, fails_run(outcome, one)) for one in outcome.highlights if is_fall(one))


def warns(outcome: Outcome, one: Highlight) -> bool:
    return is_fall(one) and not fails_run(outcome, one)


def tell_lost(outcome: Outcome, gate: Gate) -> str:
    """Say that a figure without a limit got worse, which fails the run; empty where it does not.

    Where somebody answers for cases, nobody knows if the figure of the others did as well.
    """
    fails = fails_by_cases(outcome) and not outcome.counts.accepted
    return "it got worse for certain" if fails and gate.has_fallen and not gate.fails else ""


def tell_decline(outcome: Outcome) -> str:
    """Say what fails the run if no case and no figure shows it alone; empty where one does."""
    known = outcome.decline
    shown = any(one.kind is Kind.REGRESSED for one in outcome.highlights)
    if not known or not fails_by_cases(outcome) or shown:
        return ""
    if any(gate.fails or tell_lost(outcome, gate) for gate in outcome.gates):
        return ""
    counted = f"{wording.plural(known.fell, 'case')} fell and {known.rose:,} rose"
    return f"{counted}, {explain_decline(known)}"


def find_lost(outcome: Outcome) -> Iterator[Finding]:
    """Yield what fails the run without a limit: figures, or all cases together."""
    if why := tell_decline(outcome):
        yield Finding(severity=Severity.ERROR, rule="regressed", message=why)
    for gate in outcome.gates:
        if (why := tell_lost(outcome, gate)) and gate.head and gate.base:
            was, now = (amount(one.value, gate.unit) for one in (gate.base, gate.head))
            text = f"{gate.name} is {now}, {was} on the base: {why}"
            yield Finding(severity=Severity.ERROR, rule="gate", message=text)
