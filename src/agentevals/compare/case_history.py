"""The history of a case: how its earlier recordings ended on the base, a letter for each attempt.

It tells how much of a change is the noise of the agent. A recording counts once, however many runs
have judged it, and only what was judged as it is now.
"""

from collections.abc import Iterable, Sequence

from agentevals.compare.baselines import Baseline, Common, add_earlier, find_common
from agentevals.compare.case_pairs import Pair, find_reader
from agentevals.compare.case_summaries import BaseCase, CaseSummary
from agentevals.model.results import Verdict

_KEPT = 10  # letters; what is older tells little about the agent of today


def collect_earlier(
    paired: Iterable[Pair], summaries: Sequence[CaseSummary], common: Common | None
) -> dict[str, str]:
    """Return the history of each case as the runs after this one will know it."""
    if common is None or not common.whole:
        return {}
    shared = (pair for pair in paired if pair.head and pair.base and not pair.changed)
    return _join_all((p.case_id, p.base, summaries[p.at].attempts) for p in shared)


def recall_earlier(known: Baseline, kept: Baseline) -> Baseline:
    """Return a baseline that was evaluated just now with the history that a kept run knew."""
    common = find_common(kept.identity, known)
    if not common.whole:
        return known
    before, now = _group(kept), _group(known)
    shared = before.keys() & now.keys() - common.changed_cases
    earlier = _join_all((name, before[name], now[name]) for name in shared)
    return add_earlier(known, earlier)


def _group(baseline: Baseline) -> dict[str, list[BaseCase]]:
    found: dict[str, list[BaseCase]] = {}
    for case in baseline.cases:
        found.setdefault(case.case_id, []).append(case)
    return found


def _join_all(
    sides: Iterable[tuple[str, Sequence[BaseCase], Iterable[BaseCase]]],
) -> dict[str, str]:
    found = {name: _join(before, now) for name, before, now in sides}
    return {name: earlier for name, earlier in found.items() if earlier}


def _join(before: Sequence[BaseCase], now: Iterable[BaseCase]) -> str:
    """Append the attempts of the run before, unless their recordings are judged again now."""
    again = {case.recording for case in now} - {""}
    own = (_letter(case) for case in before if case.recording not in again)
    return f"{before[0].earlier}{''.join(own)}"[-_KEPT:]


def _letter(case: BaseCase) -> str:
    """Return how an attempt ended; nothing if nobody could judge it."""
    if find_reader("pass_rate")(case) is None:
        return ""
    return "f" if case.verdict is Verdict.FAIL else "p"
