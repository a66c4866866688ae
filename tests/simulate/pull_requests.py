"""Pull requests whose truth is known, in pairs of cases as the product has them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentevals.compare.baselines import Common
from agentevals.compare.case_pairs import Pair
from agentevals.compare.case_summaries import BaseCase
from agentevals.compare.figures import Measured, measure
from agentevals.model.results import Verdict

COMMON = Common(differing=frozenset(), changed_cases=frozenset(), obstacles=())


class Drawn(NamedTuple):
    """The values of the attempts of one case, on the base and on the head."""

    was: Sequence[float]
    now: Sequence[float]
    family: str = ""


def measure_figure(figure: str, drawn: Iterable[Drawn]) -> Measured:
    """Return a figure over cases with these values."""
    return measure(
        figure, [_pair(figure, at, one) for at, one in enumerate(drawn)], comparable=True
    )


def _pair(figure: str, at: int, drawn: Drawn) -> Pair:
    return Pair(
        f"case {at}",
        head=tuple(make_case(figure, value, drawn.family) for value in drawn.now),
        base=tuple(make_case(figure, value, drawn.family) for value in drawn.was),
    )


def make_case(figure: str, value: float, family: str = "") -> BaseCase:
    """Return an attempt that has this value of a figure."""
    if figure == "pass_rate":
        return BaseCase("", Verdict.PASS if value else Verdict.FAIL, family=family)
    if figure == "score":
        return BaseCase("", Verdict.PASS, value, family=family)
    return BaseCase("", Verdict.PASS, amounts={figure: value}, family=family)
