"""How many cases got worse for certain: what `fail-on: regressed` goes by."""

from collections.abc import Container, Iterable

from agentevals.compare.cases import Pair
from agentevals.compare.highlights import Beside
from agentevals.compare.statistics import mcnemar
from agentevals.model.review import Against, Kind

_ALPHA = 0.05


def count_regressions(
    found: Iterable[tuple[Pair, Kind]], beside: Beside, accepted: Container[str], against: Against
) -> int | None:
    """How many cases regressed for certain, of those that nobody answers for.

    None where there is nothing to compare all of them with. What only a judge saw in single runs
    may be its mood. It counts where so many fell, and so few rose, that chance does not explain
    it, or where all of several cases fell.
    """
    if against.state is not None:
        return None
    facts, lost, won = 0, 0, 0
    for pair, kind in found:
        if pair.case_id in accepted or kind not in {Kind.REGRESSED, Kind.FIXED}:
            continue
        if not beside.is_certain(pair, kind):
            lost, won = lost + (kind is Kind.REGRESSED), won + (kind is Kind.FIXED)
        else:
            facts += kind is Kind.REGRESSED
    by_chance = lost <= won or mcnemar.mid_p(lost, won) / 2 >= _ALPHA  # one-sided
    return facts + lost if not by_chance or 1 < lost == against.paired else facts
