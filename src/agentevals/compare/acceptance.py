"""Which failures somebody answers for, and until when."""

from collections.abc import Iterable, Sequence
from datetime import date
from difflib import get_close_matches

from agentevals.model.cases import Status
from agentevals.model.policy import Acceptance
from agentevals.model.results import CaseReport, Finding, Result, Severity, Verdict
from agentevals.run.verdict import misses


class Acceptances:
    """The entries of a config, looked up case by case; it remembers which are needed."""

    def __init__(self, entries: Sequence[Acceptance], today: date) -> None:
        self._entries, self._today = entries, today.isoformat()
        self._evaluated: set[str] = set()
        self._needed: set[int] = set()
        self._needless: set[int] = set()

    def look_at(self, case: CaseReport) -> None:
        """Remember whether a case still needs the entries that name it."""
        if not self._entries:
            return
        self._evaluated.add(case.case_id)
        for at, entry in enumerate(self._entries):
            if entry.case == case.case_id:
                passes = _passes(case, entry.evaluator)
                (self._needless if passes else self._needed).add(at)

    def find(self, case: CaseReport) -> tuple[Acceptance | None, bool]:
        """The entry that covers a failing case, and whether it has expired.

        Only scores can be accepted: an error is not a judgement.
        """
        failed = [result.name for result in case.results if misses(result)]
        judged = failed and not case.lacks_evidence and _only_scores(case.results)
        if case.verdict is not Verdict.FAIL or not judged:
            return None, False
        covering = [self._covering(case.case_id, name) for name in failed]
        if any(found is None for found in covering):
            return None, False
        expired = [e for e in covering if e is not None and e.until < self._today]
        return (expired or covering)[0], bool(expired)

    def _covering(self, case_id: str, evaluator: str) -> Acceptance | None:
        """The one that lasts longest, where several say the same."""
        fitting = [
            entry
            for entry in self._entries
            if entry.case == case_id and entry.evaluator in {"", evaluator}
        ]
        return max(fitting, key=lambda entry: entry.until, default=None)

    def findings(self, *, names_known: bool) -> Iterable[Finding]:
        """Entries that are not needed, or that name no case. Complete once all were looked at.

        Whether a name is wrong can only be told where `names_known`, the cases of this run, are
        all there are and nobody else has looked.
        """
        for at, entry in enumerate(self._entries):
            if at in self._needless - self._needed:
                passes = f"case {entry.case!r} passes now"
                if entry.evaluator:
                    passes = f"evaluator {entry.evaluator!r} passes case {entry.case!r} now"
                yield Finding(
                    severity=Severity.NOTE,
                    rule="acceptance-unused",
                    message=f"{passes}: remove the entry from 'gate.accept' ({entry.reason})",
                )
            elif names_known and entry.case not in self._evaluated:
                near = get_close_matches(entry.case, self._evaluated, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else "; check its name"
                yield Finding(
                    severity=Severity.WARNING,
                    rule="acceptance-unknown",
                    message=f"'gate.accept': no case {entry.case!r} was evaluated{hint}",
                )


def _passes(case: CaseReport, evaluator: str) -> bool:
    """Return whether it was judged, by that evaluator or any, and nothing has to be accepted."""
    judged = [r for r in case.results if r.evaluated and evaluator in {"", r.name}]
    if not evaluator:
        return bool(judged) and case.verdict is not Verdict.FAIL
    return bool(judged) and not any(map(misses, judged))


def _only_scores(results: Iterable[Result]) -> bool:
    return all(result.status is not Status.ERROR for result in results)
