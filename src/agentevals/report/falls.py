"""What `fail-on: regressed` fails though no case or limit does: cases of which fewer attempts pass
than on the base, and figures without a limit that got worse for certain."""

from collections.abc import Iterable, Iterator

from agentevals.compare.gates import amount
from agentevals.model.outcome import FailOn, Gate, Highlight, Kind, Outcome
from agentevals.model.results import Finding, Severity, Verdict
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
    """Return whether a fall is what fails the run.

    One that may be the mood of a judge does only where nothing else can have.
    """
    if not is_fall(one) or not _fails_by_regressions(outcome):
        return False
    return one.certain or not (_has_certain(outcome.highlights) or _has_lost_gate(outcome))


def list_falls(outcome: Outcome) -> Iterator[tuple[Highlight, bool]]:
    """Yield the falls of a section, each with whether it fails the run."""
    return ((one, fails_run(outcome, one)) for one in outcome.highlights if is_fall(one))


def warns(outcome: Outcome, one: Highlight) -> bool:
    return is_fall(one) and not fails_run(outcome, one)


def tell_lost(outcome: Outcome, gate: Gate) -> str:
    """Say that a figure without a limit got worse, which fails the run; empty where it does not.

    Where somebody answers for cases, nobody knows if the figure of the others did as well.
    """
    fails = _fails_by_regressions(outcome) and not outcome.counts.accepted
    return "it got worse for certain" if fails and gate.has_fallen and not gate.fails else ""


def find_lost(outcome: Outcome) -> Iterator[Finding]:
    """Yield the figures without a limit that fail the run."""
    for gate in outcome.gates:
        if (why := tell_lost(outcome, gate)) and gate.head and gate.base:
            was, now = (amount(one.value, gate.unit) for one in (gate.base, gate.head))
            text = f"{gate.name} is {now}, {was} on the base: {why}"
            yield Finding(severity=Severity.ERROR, rule="gate", message=text)


def _fails_by_regressions(outcome: Outcome) -> bool:
    failed = outcome.verdict is Verdict.FAIL and outcome.exit_code > 0
    return failed and outcome.fail_on is FailOn.REGRESSED and outcome.against.state is None


def _has_certain(highlights: Iterable[Highlight]) -> bool:
    found = (one for one in highlights if one.kind is Kind.REGRESSED and one.certain)
    return any(one.accepted is None or one.expired for one in found)


def _has_lost_gate(outcome: Outcome) -> bool:
    return any(gate.fails or tell_lost(outcome, gate) for gate in outcome.gates)
