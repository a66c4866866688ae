import pytest

from agentevals.compare.statistics.resampling import RESAMPLES, affordable, chance


@pytest.mark.parametrize(
    ("size", "resamples"),
    [(2, RESAMPLES), (200, RESAMPLES), (1_000, 2_000), (5_000, 400), (1_000_000, 399)],
)
def test_many_cases_are_resampled_less_often(size, resamples):
    assert affordable(size, 2_000_000) == resamples


def test_chance_starts_at_the_same_place_every_time():
    first, second = chance(), chance()

    assert first is not second
    assert first.randbytes(64) == second.randbytes(64)
