"""Notes about cases that were recorded several times."""

from collections.abc import Iterator, Sequence

from agentevals.compare.summaries import CaseSummary
from agentevals.model.results import Evaluation, Finding, Severity
from agentevals.text.wording import plural

_NAMED = 3  # cases
_RULES = {
    "all": "a case passes if all of its attempts do",
    "any": "a case passes if one of its attempts does",
    "": "a case passes if most of its attempts do",
}


def find_notes(run: Evaluation, summaries: Sequence[CaseSummary]) -> Iterator[Finding]:
    """Say by which rule several attempts are one case, and which are not of the same agent."""
    repeated = [one for one in summaries if len(one.attempts) > 1]
    if not repeated:
        return
    total = sum(len(one.attempts) for one in repeated)
    rule = _RULES[run.policy.attempts or ""]
    message = f"{plural(len(repeated), 'case')} recorded {total:,} times: {rule} ('gate.attempts')"
    yield Finding(severity=Severity.NOTE, rule="attempts", message=message)
    mixed = [one.kept.case_id for one in repeated if _is_mixed(one)]
    if mixed:
        more = f" and {len(mixed) - _NAMED:,} more" if len(mixed) > _NAMED else ""
        names = f"{', '.join(map(repr, mixed[:_NAMED]))}{more}"
        message = (
            f"attempts of {names} are recordings of different versions of the agent. Remove the "
            "older recordings, or record into another folder"
        )
        yield Finding(severity=Severity.WARNING, rule="mixed-attempts", message=message)


def _is_mixed(case: CaseSummary) -> bool:
    return len({recording.agents for recording in case.recordings}) > 1
