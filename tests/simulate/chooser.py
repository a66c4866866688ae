"""How many cases a limit takes, as the product says: `make docs` writes the tables of the page."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from statistics import fmean

from agentevals.compare import gate_table
from agentevals.compare.figure_changes import Question
from agentevals.compare.statistics import difference_bounds, statistical_power
from agentevals.compare.statistics.difference_bounds import Flips
from agentevals.compare.statistics.statistics_inputs import SHARE
from agentevals.model.policy import Limit
from tests.simulate import amounts, rates, scores
from tests.simulate.agents import PullRequest, make_cases
from tests.simulate.pull_requests import Drawn, measure_figure

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
_KNOWN, _FEW = 1000, 5  # cases that tell the spread well, and hardly
_RUNS = (
    ("5 % fail", 1, 0.05),
    ("5 % fail, 3 attempts", 3, 0.05),
    ("20 % fail", 1, 0.2),
    ("20 % fail, 3 attempts", 3, 0.2),
    ("20 % fail, 10 attempts", 10, 0.2),
)


def list_rate_rows() -> Iterator[str]:
    """Yield for each drop how many cases keep it, by how often runs fail by chance."""
    yield f"| `max_drop` | no case flips | {' | '.join(name for name, *_ in _RUNS)} |"
    yield "|---|---|" + "---|" * len(_RUNS)
    for drop in (0.2, 0.1, 0.05, 0.02):
        limit = Limit(max_drop=drop)
        several = [
            _find_needed("pass_rate", limit, partial(rates.draw_attempts, number, 1 - f, 1 - f))
            for _, number, f in _RUNS
        ]
        yield f"| {drop:g} | {find_steady(drop):,} | {' | '.join(several)} |"


def list_figure_rows() -> Iterator[str]:
    """Yield for limits of other figures how many cases keep them."""
    yield "| limit | a case differs by | cases |"
    yield "|---|---|---|"
    for drop in (0.05, 0.03, 0.02):
        for noise in (0.05, 0.1, 0.2):
            needed = _find_needed(
                "score", Limit(max_drop=drop), partial(scores.draw_noise, 0.0, noise)
            )
            yield f"| a score, `max_drop: {drop:g}` | {noise:g} | {needed} |"
    for figure in ("cost", "latency"):
        for ratio in (1.5, 1.2, 1.1):
            for noise in (0.1, 0.3):
                one = partial(amounts.draw_amount, 1.0, 0.5, noise / 2**0.5)
                needed = _find_needed(figure, Limit(max_ratio=ratio), one)
                yield f"| {figure}, `max_ratio: {ratio:g}` | {noise * 100:g} % | {needed} |"


def list_drop_rows() -> Iterator[str]:
    """Yield for numbers of cases which drop `fail-on: regressed` finds in 8 of 10 runs."""
    shares = (0.0, 0.1, 0.2)
    yield f"| cases | {' | '.join(f'{share * 100:g} % flip by chance' for share in shares)} |"
    yield "|---|" + "---|" * len(shares)
    for cases in (10, 20, 30, 50, 100, 200, 300):
        drops = [_name_drop(cases, round(cases * share / 2)) for share in shares]
        yield f"| {cases} | {' | '.join(drops)} |"


TABLES: Mapping[str, Callable[[], Iterator[str]]] = {
    "cases for a pass rate": list_rate_rows,
    "cases for other figures": list_figure_rows,
    "drops": list_drop_rows,
}
_BLOCK = re.compile(r"(?<=<!-- chosen: )([a-z ]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def render_page() -> str:
    """Return the page with its tables as the product says."""
    text = PAGE.read_text(encoding="utf-8")
    return _BLOCK.sub(
        lambda mark: f"{mark[1]}{mark[2]}" + "\n".join(TABLES[mark[1]]()) + "\n", text
    )


def find_steady(drop: float) -> int:
    """Return from how many cases on a drop is kept where no case flips."""
    return next(n for n in count(1) if Flips(0, 0, n).find_low(SHARE) >= -drop)


def _find_needed(figure: str, limit: Limit, one: Callable[[Random], Drawn]) -> str:
    """Return what the product says once it knows the spread well, whatever these cases decide.

    As long as there are few cases, an unseen one counts as well.
    """
    random = Random(1)
    few, many = (
        measure_figure(figure, [one(random) for _ in range(size)]) for size in (_FEW, _KNOWN)
    )
    if few.difference is None or many.difference is None:
        return "-"
    distance = gate_table._find_distance(Question(many, limit))
    errors = gate_table._list_errors(many.difference)
    reaches = (few.difference.estimate.reach, many.difference.estimate.reach)
    with_unseen, alone = (
        round(fmean(statistical_power.find_needed_cases(distance, errors, reach)))
        for reach in reaches
    )
    needed = min(with_unseen, max(alone, difference_bounds._SPREAD_FROM))
    return f"{gate_table._round_up(needed):,}"


def _name_drop(cases: int, flips: int) -> str:
    """Return the drop that is named where as many cases flip either way."""
    pairs = [
        *make_cases(cases - 2 * flips, was=True, now=True),
        *make_cases(flips, was=True, now=False),
        *make_cases(flips, was=False, now=True),
    ]
    found = PullRequest(pairs).decide().detectable
    return f"{found * 100:.1f} pp" if found else "-"


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
