import msgspec
import pytest

from agentevals.action.rules.rule_differences import find_policy_changes
from agentevals.model.policy import Acceptance, Limit, Policy, Unsure

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


def told(base, head):
    return [f"{name} {what}" for name, what in find_policy_changes(base, head)]


def test_of_entries_about_one_case_the_longest_counts():
    old, new = (accepting(until).accepted[0] for until in ("2020-01-01", "2099-01-01"))
    base, head = (msgspec.structs.replace(BASE, accepted=all_) for all_ in ((old,), (new, old)))

    assert told(base, head) == ["accept paris until 2020-01-01 → until 2099-01-01"]


def test_large_limits_are_told_to_the_last_digit():
    base, head = (with_limit("tokens", at_most=most) for most in (1_234_567, 1_234_568))

    assert told(base, head) == ["tokens.at_most 1234567 → 1234568"]


@pytest.mark.parametrize(
    ("head", "changes"),
    [
        (with_limit("pass_rate", at_least=0.5), ["pass_rate.at_least 0.9 → 0.5"]),
        (with_limit("pass_rate"), ["pass_rate.at_least 0.9 → every case"]),
        (with_limit("score", at_least=0.8), ["score.at_least no limit → 0.8"]),
        (with_limit("evaluator:tone", max_drop=0.1), ["evaluators.tone.max_drop no limit → 0.1"]),
        (
            msgspec.structs.replace(BASE, limits={"pass_rate": Limit(at_least=0.9)}),
            ["cost.at_most 0.5 → no limit", "cost.max_ratio 1.2 → no limit"],
        ),
        (accepting("2027-01-31"), ["accept paris not accepted → until 2027-01-31"]),
        (
            accepting("2027-01-31", "tone"),
            ["accept paris of tone not accepted → until 2027-01-31"],
        ),
        (
            msgspec.structs.replace(BASE, on_inconclusive=Unsure.PASS),
            ["on_inconclusive fail → pass"],
        ),
        (
            msgspec.structs.replace(BASE, fail_on_not_evaluated=False),
            ["on_not_evaluated fail → warn"],
        ),
        (msgspec.structs.replace(BASE, fail_on_missing=False), ["allow_missing false → true"]),
        (msgspec.structs.replace(BASE, fail_on_foreign=False), ["allow_foreign false → true"]),
        (
            msgspec.structs.replace(BASE, max_baseline_age_days=30),
            ["max_baseline_age_days 7 → 30"],
        ),
        (msgspec.structs.replace(BASE, approval="other"), ["approval any → other"]),
        (msgspec.structs.replace(BASE, cluster="topic"), ["cluster none → topic"]),
        (BASE, []),
    ],
)
def test_each_rule_that_differs_is_named_with_both_sides(head, changes):
    assert told(BASE, head) == changes


def test_an_acceptance_that_lasts_longer_is_another_one():
    longer = told(accepting("2027-01-31"), accepting("2027-02-28"))

    assert longer == ["accept paris until 2027-01-31 → until 2027-02-28"]
