"""Fisher's exact test, of one case and of many; McNemar's; adjusted p values."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable, mcnemar
from statsmodels.stats.multitest import multipletests

from agentevals.compare.statistics import significance
from agentevals.compare.statistics.significance import (
    Table,
    benjamini_hochberg,
    compare_all,
    fell,
    fell_together,
    holm,
)

SMALLEST = 1e-12  # p values below say the same, and lose digits in every program


def test_fisher_is_that_of_scipy(draw, deviations):
    edges = [(1, 0, 0, 1), (0, 1, 1, 0), (5, 0, 5, 0), (0, 0, 3, 2), (10_000, 0, 0, 10_000)]
    random = [draw.integers(0, draw.choice([3, 10, 300]), 4) for _ in range(500)]
    for table in (*edges, *random):
        base_passed, base_failed, head_passed, head_failed = map(int, table)
        rows = [[base_passed, base_failed], [head_passed, head_failed]]
        theirs = stats.fisher_exact(rows, alternative="greater").pvalue
        ours = fell(base_passed, base_failed, head_passed, head_failed)
        deviations.check("Fisher, one-sided, scipy", ours, theirs, 1e-9, scale=SMALLEST)


def find_tails(tables):
    """The exact tails of the sum of scipy's hypergeometric numbers, by numpy's convolution."""
    chances, seen = np.ones(1), 0
    for table in tables:
        if table.head and table.runs > table.head:
            numbers = np.arange(table.head + 1)
            law = stats.hypergeom(table.runs, table.passed, table.head)
            chances = np.convolve(chances, law.pmf(numbers))
            seen += table.head_passed
    return chances[: seen + 1].sum(), chances[seen:].sum()


def draw_tables(draw, most):
    tables = [Table(*map(int, draw.integers(0, 6, 4))) for _ in range(draw.integers(1, most))]
    return tables + [Table(1, 0, 1, 0)] * int(draw.integers(0, 3))


def test_the_stratified_test_is_exact(draw, deviations):
    for _ in range(300):
        tables = draw_tables(draw, 40)
        fewer, more = find_tails(tables)
        wanted = min(1.0, 2 * min(fewer, more))
        deviations.check("stratified, exact", fell_together(tables), fewer, 1e-9, scale=SMALLEST)
        deviations.check("stratified, two-sided", compare_all(tables), wanted, 1e-9, SMALLEST)


def draw_runs(draw, runs, before, now):
    """A case with so many runs on either side, and the chances that one passes."""
    passed, still = int(draw.binomial(runs[0], before)), int(draw.binomial(runs[1], now))
    return Table(passed, int(runs[0]) - passed, still, int(runs[1]) - still)


def shape(table):
    return np.array(
        [[table.head_passed, table.head_failed], [table.base_passed, table.base_failed]]
    )


def test_of_many_runs_it_is_mantel_and_haenszels(draw, deviations):
    """By statsmodels, whose statistic is two-sided: its root, with the sign of the difference."""
    for _ in range(40):
        tables = [draw_runs(draw, draw.integers(1, 9, 2), 0.6, 0.55) for _ in range(150)]
        squared = StratifiedTable([*map(shape, tables)]).test_null_odds(correction=True).statistic
        expected = sum(table.head * table.passed / table.runs for table in tables)
        seen = sum(table.head_passed for table in tables)
        assert sum(table.head for table in tables) > 400
        if seen - expected < -0.5:
            ours, theirs = fell_together(tables), stats.norm.cdf(-sqrt(squared))
            deviations.check("stratified, many runs, statsmodels", ours, theirs, 1e-7)


def test_of_many_runs_it_is_as_good_as_exact(draw, deviations):
    for _ in range(40):
        tables = [draw_runs(draw, (3, 3), 0.7, 0.67) for _ in range(200)]
        ours, exact = fell_together(tables), find_tails(tables)[0]
        deviations.check("stratified, many runs, exact", ours, exact, 0.05, scale=1e-3)


@pytest.mark.parametrize("past", [1, 4, 20, 100])
def test_many_cases_that_pass_as_ever_say_nothing(past, draw, deviations):
    for fallen in (1, 2, 3):
        tables = [Table(past, 0, 1, 0)] * 1_000 + [Table(past, 0, 0, 1)] * fallen
        exact = find_tails(tables[-fallen:])[0]
        deviations.check("stratified, most cases the same", fell_together(tables), exact, 1e-9)


def test_of_single_runs_it_is_the_sign_test_and_mcnemars(draw, deviations):
    flips = [(0, 1), (1, 0), (200, 200), (0, 300), *draw.integers(0, 150, (200, 2))]
    for lost, won in ((int(one), int(other)) for one, other in flips):
        tables = [Table(1, 0, 0, 1)] * lost + [Table(0, 1, 1, 0)] * won + [Table(1, 0, 1, 0)] * 5
        if lost + won:
            sign = stats.binomtest(won, lost + won, alternative="less").pvalue
            deviations.check("sign test, scipy", fell_together(tables), sign, 1e-9, scale=SMALLEST)
        theirs = mcnemar([[5, lost], [won, 0]], exact=True).pvalue
        wanted = min(1.0, theirs) if lost + won else 1.0
        deviations.check("McNemar, statsmodels", compare_all(tables), wanted, 1e-9, scale=SMALLEST)


def draw_p_values(draw, times=500):
    yield from ([0.0], [1.0], [0.5] * 30, [0.0, 1.0, 1e-300], [0.01, 0.04, 0.03, 0.005])
    for _ in range(times):
        values = draw.uniform(0, 1, draw.integers(1, 40)) ** draw.choice([1, 4])
        yield np.round(values, 2).tolist() if draw.random() < 0.3 else values.tolist()


def test_holm_is_that_of_statsmodels(draw, deviations):
    for p_values in draw_p_values(draw, times=60):  # theirs takes a tenth of a second
        theirs = multipletests(p_values, method="holm")[1]
        for ours, wanted in zip(holm(p_values), theirs, strict=True):
            deviations.check("Holm, statsmodels", ours, wanted, 1e-12)


def test_benjamini_and_hochbergs_is_that_of_both(draw, deviations):
    for p_values in draw_p_values(draw):
        ours = benjamini_hochberg(p_values)
        both = multipletests(p_values, method="fdr_bh")[1], stats.false_discovery_control(p_values)
        for name, theirs in zip(("statsmodels", "scipy"), both, strict=True):
            for one, wanted in zip(ours, theirs, strict=True):
                deviations.check(f"Benjamini-Hochberg, {name}", one, wanted, 1e-12)


def test_the_number_of_ways_is_that_of_scipy(draw, deviations):
    for total in (0, 1, 5, 100, 10_000, *map(int, draw.integers(0, 10_000, 100))):
        for passed in {0, total, total // 3}:
            ours = fell(total - passed, passed, 1, 0)
            wanted = stats.hypergeom(total + 1, total - passed + 1, 1).cdf(1)
            deviations.check("Fisher, one run of the head", ours, wanted, 1e-9)
    assert significance.fell(0, 0, 0, 0) == 1.0
