import pytest

from agentevals.compare import baselines
from tests.compare.runs import ORIGIN, run

SPENT = {"tokens": {"total": 120}, "latency": {"overall": {"count": 2, "median": 40.0}}}


def test_what_is_kept_of_a_case():
    report = run({"a": 1, "b": [0, 1]}, calls={"a": ("find(id)",)}, amounts={"a": SPENT})

    [first, *_] = baselines.make_baseline(report, ORIGIN).cases

    assert first.outcomes["path"].score == 1
    assert first.amounts == {"tokens": 120, "latency": 40}
    assert first.calls == ("find(id)",)


@pytest.mark.parametrize(
    "performance",
    [
        {"cost": {"total": -0.5}, "latency": {"overall": {"count": 1, "median": -40.0}}},
        {"cost": {"total": 1e308}, "tokens": {"total": 10**400}},
        {"cost": {"total": "much"}, "tokens": {"total": True}, "latency": [1]},
        {"latency": {"overall": {"count": 0, "median": 0.0}}, "tokens": {"total": 0}},
    ],
    ids=["clocks that run backwards", "absurd", "of another shape", "nothing"],
)
def test_what_nobody_can_have_measured_is_not_kept(performance):
    [case] = baselines.make_baseline(run({"a": 1}, amounts={"a": performance}), ORIGIN).cases

    assert case.amounts == {}
