"""What a cancelled run still tells. It has no verdict, and so it never passes."""

from collections.abc import Sequence
from datetime import date

import msgspec

from agentevals.compare import comparison, settlement
from agentevals.compare.baselines import NoBaseline
from agentevals.model.outcome import Outcome
from agentevals.model.results import Evaluation, Finding, Partial, Severity, Verdict
from agentevals.model.review import Review, Scene, State
from agentevals.text import wording

_MOST = 5_000  # cases that are written in the seconds that whoever cancels waits for
_AGAIN = "run it again for a verdict"


def settle_partial(run: Evaluation, *, config: str, today: date, exit_code: int) -> Outcome:
    """Return the outcome of a run that was cancelled: its cases, without gates or a baseline."""
    done = run.counts.get("cases", 0)
    partial = run.partial or Partial(done=done, of=done)
    run = msgspec.structs.replace(run, partial=partial, cases=run.cases if done <= _MOST else ())
    found = comparison.settle(run, NoBaseline(reason=""), config=config, today=today)
    # pages say it in their headline
    findings = (*run.findings, _make_finding(partial))
    report = found.report and msgspec.structs.replace(
        found.report, findings=findings, verdict=Verdict.FAIL, exit_code=exit_code
    )
    return msgspec.structs.replace(
        found,
        verdict=Verdict.FAIL,
        exit_code=exit_code,
        gates=(),
        findings=run.findings,
        report=report,
        unknown=msgspec.UNSET,
    )


def review_partial(
    scene: Scene, outcomes: Sequence[Outcome], notes: Sequence[Finding], exit_code: int
) -> Review:
    """Return the review of a cancelled run."""
    return msgspec.structs.replace(
        settlement.review_of(scene, outcomes, notes),
        state=State.CANCELLED,
        verdict=Verdict.FAIL,
        exit_code=exit_code,
    )


def note_unevaluated(config: str) -> Finding:
    """Return the note about a config that a cancelled run did not come to."""
    message = f"not evaluated, because the run was cancelled; {_AGAIN}"
    return Finding(severity=Severity.ERROR, rule=settlement.CANCELLED, message=message, path=config)


def _make_finding(partial: Partial) -> Finding:
    progress = wording.write_progress(partial.done, partial.of)
    left = "; its cases are too many to be listed in time" if partial.done > _MOST else ""
    message = f"the run was cancelled {progress}{left}; {_AGAIN}"
    return Finding(severity=Severity.ERROR, rule=settlement.CANCELLED, message=message)
