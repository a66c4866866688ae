import msgspec
import pytest

from agentevals.compare.policies import find_changes
from agentevals.model.results import Acceptance, Limit, Policy, Severity, Unsure

BASE = Policy(
    limits={"pass_rate": Limit(at_least=0.9), "cost": Limit(at_most=0.5, max_ratio=1.2)},
    on_inconclusive=Unsure.FAIL,
    max_baseline_age_days=7,
)


def with_limit(figure, **bounds):
    return msgspec.structs.replace(BASE, limits=BASE.limits | {figure: Limit(**bounds)})


def accepting(until, evaluator=""):
    entry = Acceptance(case="paris", reason="later", until=until, evaluator=evaluator)
    return msgspec.structs.replace(BASE, accepted=(entry,))


def said(base, head):
    return [
        (found.severity, found.message.partition(": ")[2]) for found in find_changes(base, head)
    ]


@pytest.mark.parametrize(
    ("head", "change"),
    [
        (with_limit("pass_rate", at_least=0.5), "pass_rate.at_least 0.9 → 0.5"),
        (
            msgspec.structs.replace(BASE, limits={"pass_rate": Limit(at_least=0.9)}),
            "cost.at_most 0.5 → no limit, cost.max_ratio 1.2 → no limit",
        ),
        (with_limit("cost", at_most=1, max_ratio=1.2), "cost.at_most 0.5 → 1"),
        (accepting("2027-01-31"), "accept paris not accepted → until 2027-01-31"),
        (
            accepting("2027-01-31", "tone"),
            "accept paris of tone not accepted → until 2027-01-31",
        ),
        (
            msgspec.structs.replace(BASE, on_inconclusive=Unsure.PASS),
            "on_inconclusive fail → pass",
        ),
        (
            msgspec.structs.replace(BASE, fail_on_not_evaluated=False),
            "on_not_evaluated fail → warn",
        ),
        (msgspec.structs.replace(BASE, fail_on_missing=False), "allow_missing false → true"),
        (
            msgspec.structs.replace(BASE, max_baseline_age_days=30),
            "max_baseline_age_days 7 → 30",
        ),
    ],
)
def test_a_gate_that_is_less_strict_is_a_warning_and_the_way_back_a_note(head, change):
    [(severity, message)] = said(BASE, head)
    [(back, _)] = said(head, BASE)

    assert (severity, message) == (Severity.WARNING, change)
    assert back is Severity.NOTE


def test_with_a_share_that_must_pass_single_cases_may_fail_which_is_less_strict_than_without():
    without = with_limit("pass_rate")

    assert said(without, BASE) == [(Severity.WARNING, "pass_rate.at_least every case → 0.9")]
    assert said(BASE, without) == [(Severity.NOTE, "pass_rate.at_least 0.9 → every case")]


def test_an_acceptance_that_lasts_longer_is_less_strict():
    longer = said(accepting("2027-01-31"), accepting("2027-02-28"))

    assert longer == [(Severity.WARNING, "accept paris until 2027-01-31 → until 2027-02-28")]


def test_what_is_less_strict_stands_first():
    stricter_and_softer = msgspec.structs.replace(
        BASE, limits={"score": Limit(at_least=0.8), "pass_rate": Limit(at_least=0.8)}
    )

    [(severity, message)] = said(BASE, stricter_and_softer)

    assert severity is Severity.WARNING
    assert message.endswith("score.at_least no limit → 0.8")


def test_many_changes_are_counted():
    entries = tuple(
        Acceptance(case=f"c{number}", reason="later", until="2027-01-31") for number in range(30)
    )

    [found] = find_changes(BASE, msgspec.structs.replace(BASE, accepted=entries))

    assert found.message.endswith(" and 20 more")


def test_the_same_gate_is_nothing_to_tell():
    assert said(BASE, BASE) == []
