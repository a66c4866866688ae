""""""

import base64
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare import baselines
from agentevals.compare.branch_trends import Trend
from agentevals.model.errors import InputError
from agentevals.model.outcome import Figure, Origin, Point
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


def small():
    report = run({"a": 1, "b": [0, 1]}, calls={"a": ("find(id)",)}, amounts={"a": SPENT})
    trend = Trend(points=(Point(commit="c" * 40, pass_rate=0.5),), strips={"a": "p"})
    made = baselines.make_baseline(report, ORIGIN, figures={"score": Figure(value=0.5)})
    return msgspec.structs.replace(made, trend=trend)


def test_a_packed_baseline_comes_back_as_it_was():
    assert baselines.unpack(baselines.pack(small(), 60_000)) == small()


def test_it_is_found_in_the_text_around_it():
    text = f"Results\n<!-- {baselines.pack(small(), 60_000)} -->\nmore"

    assert baselines.unpack(text) == small()


def large(cases):
    report = run({f"case {n} {n * 7919 % 104729:x}": n % 7 / 7 for n in range(cases)})
    return baselines.make_baseline(report, ORIGIN, figures={"score": Figure(value=0.5)})


@pytest.mark.parametrize(("cases", "paired"), [(300, 300), (20_000, 0)])
def test_a_large_one_loses_detail_and_keeps_its_figures(cases, paired):
    text = baselines.pack(large(cases), 12_000)

    back = baselines.unpack(text)

    assert len(text) <= 12_000
    assert (len(back.cases), back.figures["score"].value) == (paired, 0.5)


def test_where_not_even_the_figures_fit_there_is_nothing():
    assert baselines.pack(small(), 50) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nothing here", "there is no baseline in it"),
        (baselines.DIGEST, "cut off"),
        (f"{baselines.DIGEST}###", "cannot be read"),
        (baselines.DIGEST + base64.b64encode(zlib.compress(b"[1]")).decode(), "cannot be read"),
        (baselines.DIGEST + base64.b64encode(zlib.compress(b"x")[:-3]).decode(), "cut off"),
        (baselines.DIGEST + base64.b64encode(zlib.compress(bytes(2**25))).decode(), "cut off"),
    ],
)
def test_a_broken_one_is_an_error_with_a_reason(text, why):
    with pytest.raises(InputError, match=why):
        baselines.unpack(text)


@given(st.text(), st.integers(0, 400))
def test_a_text_that_was_tampered_with_never_breaks_the_reader(noise, at):
    text = baselines.pack(baselines.make_baseline(run({"a": 1}), Origin()), 60_000)
    tampered = text[:at] + noise + text[at:]

    try:
        back = baselines.unpack(tampered)
    except InputError as error:
        back = error

    assert isinstance(back, InputError | baselines.Baseline)


def test_the_strips_of_cases_are_dropped_first():
    names = [f"case {n * 7919 % 104729:x}" for n in range(300)]
    strips = {
        name: format(n * 2654435761 % 2**30, "030b").replace("0", "f").replace("1", "p")
        for n, name in enumerate(names)
    }
    made = msgspec.structs.replace(
        large(300), trend=Trend(points=small().trend.points, strips=strips)
    )
    whole = baselines.pack(made, 60_000)

    back = baselines.unpack(baselines.pack(made, len(whole) - 1))

    assert back.trend == Trend(points=small().trend.points)
    assert back.cases == made.cases
