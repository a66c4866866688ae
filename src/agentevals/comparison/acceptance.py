"""Which failures somebody answers for, and until when."""

from collections.abc import Iterable, Sequence
from datetime import date

from agentevals.model import Status
from agentevals.report import Acceptance, CaseReport, Finding, Result, Severity, Verdict
from agentevals.verdict import misses


class Acceptances:
    """The entries of a config, looked up case by case; it remembers which were of use."""

    def __init__(self, entries: Sequence[Acceptance], today: date) -> None:
        self._entries, self._today = entries, today.isoformat()
        self._used: set[int] = set()

    def of(self, case: CaseReport) -> tuple[Acceptance | None, bool]:
        """The entry that covers a failing case, and whether it has expired.

        Only scores can be accepted: an error is not a judgement.
        """
        failed = [result.name for result in case.results if misses(result)]
        if case.verdict is not Verdict.FAIL or not failed or not _only_scores(case.results):
            return None, False
        covering = [self._covering(case.case_id, name) for name in failed]
        if any(found is None for found in covering):
            return None, False
        expired = [e for e in covering if e is not None and e.until < self._today]
        return (expired or covering)[0], bool(expired)

    def _covering(self, case_id: str, evaluator: str) -> Acceptance | None:
        """The one that lasts longest, where several say the same."""
        fitting = [
            (entry.until, at)
            for at, entry in enumerate(self._entries)
            if entry.case == case_id and entry.evaluator in {"", evaluator}
        ]
        if not fitting:
            return None
        _, at = max(fitting)
        self._used.add(at)
        return self._entries[at]

    def findings(self) -> Iterable[Finding]:
        """Entries that cover nothing. Complete once every case was looked up."""
        for at, entry in enumerate(self._entries):
            if at not in self._used:
                message = f"nothing of case {entry.case!r} fails any more that 'gate.accept' covers"
                yield Finding(
                    severity=Severity.NOTE,
                    rule="acceptance-unused",
                    message=f"{message} ({entry.reason}); remove the entry",
                )


def _only_scores(results: Iterable[Result]) -> bool:
    return all(result.status is not Status.ERROR for result in results)
