"""How many cases there were of each kind."""

from collections import Counter
from collections.abc import Sequence

from agentevals.compare.cases import Pair
from agentevals.compare.settlement import Tried
from agentevals.model.results import Evaluation, Verdict
from agentevals.model.review import Counts, Kind


def count_cases(found: Sequence[tuple[Pair, Kind]], tried: Tried, run: Evaluation) -> Counts:
    """The counts of a run; `found` are the cases that somebody should look at."""
    kinds = Counter(kind for _, kind in found)
    failing = (
        kind is Kind.REMOVED and any(case.verdict is Verdict.FAIL for case in pair.base)
        for pair, kind in found
    )
    return Counts(
        cases=run.counts.get("cases", 0),
        unscored=tried.unscored,
        passed=tried.passed,
        borderline=run.counts.get("cases_borderline", 0),
        failed=run.counts.get("cases_fail", 0),
        errors=run.counts.get("results_error", 0),
        not_evaluated=run.counts.get("results_not_evaluated", 0),
        regressed=kinds[Kind.REGRESSED],
        fixed=kinds[Kind.FIXED],
        added=kinds[Kind.ADDED],
        removed=kinds[Kind.REMOVED],
        removed_failing=sum(failing),
        changed=kinds[Kind.CHANGED],
        flaky=kinds[Kind.FLAKY],
        accepted=tried.excused,
    )
