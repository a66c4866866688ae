"""The drop that is found in 8 of 10 runs, and the cases that a limit takes."""

from math import ceil, log

import numpy as np
import pytest
from scipy import optimize, stats

from agentevals.compare.statistics import statistical_power
from agentevals.compare.statistics.statistical_power import (
    SignTest,
    find_detectable_drop,
    find_needed_cases,
)

TEST = SignTest(alpha=0.05, few=10, flip=0.2)
Z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)


def find_power(cases, drop, noise, alpha):
    """The chance that scipy's sign test finds a drop, over every outcome."""
    won = max(0.0, min(noise / 2, 1 - drop - noise / 2))
    lost = min(1.0, drop + won)
    found = 0.0
    for losses in range(cases + 1):
        wins = np.arange(cases - losses + 1)
        significant = stats.binom.sf(losses - 1, losses + wins, 0.5) <= alpha
        rest = cases - losses - wins
        outcomes = np.stack([np.full_like(wins, losses), wins, rest], axis=1)[significant]
        if len(outcomes):
            found += stats.multinomial.pmf(outcomes, cases, [lost, won, 1 - lost - won]).sum()
    return found


@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.0125])
def test_the_drop_is_found_in_eight_of_ten_of_all_outcomes(alpha, draw, deviations):
    test = TEST._replace(alpha=alpha)
    for cases in (10, 11, 20, 30, 60, 100, *map(int, draw.integers(12, 120, 4))):
        for flipped in (0, 1, cases // 10, cases // 5):
            drop = find_detectable_drop(cases, flipped, test)
            if drop is None:
                assert find_power(cases, 1 - flipped / cases / 2, flipped / cases, alpha) < 0.8
            else:
                found = find_power(cases, drop, flipped / cases, alpha)
                deviations.check("power at the printed drop, scipy", found, 0.8, 1e-3)


@pytest.mark.parametrize("flipped", [0, 50, 400])
def test_of_very_many_cases_it_is_connors(flipped, deviations):
    """Connor (1987): n = (z_a · sqrt(flips) + z_b · sqrt(flips - drop²))² / drop², one-sided."""
    cases = 4_000
    noise = flipped / cases

    def lack(drop):
        flips = drop + noise
        reach = stats.norm.ppf(0.95) * flips**0.5 + stats.norm.ppf(0.8) * (flips - drop**2) ** 0.5
        return reach**2 / drop**2 - cases

    theirs = optimize.brentq(lack, 1e-6, 1 - noise)
    deviations.check(
        "power, Connor by scipy", find_detectable_drop(cases, flipped, TEST), theirs, 0.01
    )


def test_a_variance_lies_where_scipy_says(draw, deviations):
    for freedom in (7, 8, 9, 29, 99, 9_999, *map(int, draw.integers(7, 500, 50))):
        for share in (0.1, 0.9):
            ours, theirs = (
                statistical_power._find_chi_square(share, freedom),
                stats.chi2.ppf(share, freedom),
            )
            deviations.check("chi-square quantile, scipy", ours, theirs, 3e-3)


def test_the_cases_that_a_limit_takes_solve_its_equation(draw, deviations):
    """margin = z · sqrt(variance / n) - log(0.025) · reach / n."""
    for _ in range(200):
        margin, variance = float(draw.uniform(0.01, 0.3)), float(draw.uniform(0, 0.5) ** 2)
        reach = float(draw.choice([0.0, 1.0, 3.0]))
        if not variance and not reach:
            continue

        def lack(root, margin=margin, variance=variance, reach=reach):
            return Z * variance**0.5 / root - log(0.025) * reach / root**2 - margin

        theirs = ceil(optimize.brentq(lack, 1e-3, 1e6) ** 2 - 1e-6)
        ours = statistical_power._find_needed(margin, variance, reach)
        deviations.check("needed cases, scipy", ours, theirs, 1e-9)


def test_the_range_of_needed_cases_is_that_of_the_variance(draw, deviations):
    """80 % of a variance by chi-square; with z, as nothing else is unsure."""
    for _ in range(60):
        errors = draw.normal(0, 0.2, int(draw.integers(10, 200)))
        freedom, variance = len(errors) - 1, float((errors**2).mean())
        found = find_needed_cases(0.05, errors.tolist(), 0.0)
        for ours, share in zip(found, (0.9, 0.1), strict=True):
            theirs = Z**2 * variance * freedom / stats.chi2.ppf(share, freedom) / 0.05**2
            deviations.check("range of needed cases, scipy", ours, ceil(theirs), 0.05)


@pytest.mark.parametrize(("noise", "margin"), [(0.05, 0.05), (0.1, 0.05), (0.2, 0.1), (0.01, 0.02)])
def test_with_so_many_cases_the_limit_is_kept_in_eight_of_ten_runs(noise, margin, draw, deviations):
    """The interval of a thousand drawn runs. It asks for rather more than for less."""
    from agentevals.compare.statistics.difference_bounds import Flips

    flips = noise * (1 - noise)
    needed = statistical_power._find_needed(margin, 2 * flips, 1.0)
    chances = [(1 - noise) ** 2, flips, flips, noise**2]
    runs = draw.multinomial(needed, chances, 1_000)
    kept = np.mean([Flips(int(r[1]), int(r[2]), needed).find_low(0.025) >= -margin for r in runs])

    deviations.check("chance to keep a limit", float(kept), 0.88, 0.13)
    assert kept >= 0.77
