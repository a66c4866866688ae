"""A case with several attempts is compared by how many of them pass, and not by the worst."""

import pytest

from agentevals.model.cases import Status
from agentevals.model.outcome import FailOn, Kind
from agentevals.model.policy import Limit, Policy
from agentevals.model.provenance import Provenance
from tests.compare.runs import against, case, report, result, run, unknown


def runs(passed, of):
    return [1.0] * passed + [0.0] * (of - passed)


def compared(base, head, cases=1, **fields):
    """The same change in so many cases, each side as (passed, runs)."""
    names = [f"c{number}" for number in range(cases)]
    return against(
        run(dict.fromkeys(names, runs(*head))), run(dict.fromkeys(names, runs(*base))), **fields
    )


def kind(section):
    kinds = {shown.kind for shown in section.highlights}
    assert len(kinds) <= 1
    return kinds.pop() if kinds else None


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ((1, 1), (0, 1), Kind.REGRESSED),
        ((2, 2), (0, 2), Kind.REGRESSED),
        ((3, 3), (1, 3), Kind.REGRESSED),
        ((9, 10), (0, 10), Kind.REGRESSED),
        ((10, 10), (5, 10), Kind.REGRESSED),
        ((1, 1), (1, 10), Kind.REGRESSED),
        ((10, 10), (9, 10), Kind.FLAKY),
        ((10, 10), (7, 10), Kind.FLAKY),
        ((2, 2), (1, 2), Kind.FAILING),
        ((2, 3), (1, 3), Kind.FAILING),
        ((9, 10), (9, 10), Kind.FLAKY),
        ((1, 3), (0, 3), Kind.FAILING),
        ((9, 10), (10, 10), None),
        ((0, 10), (9, 10), Kind.FIXED),
        ((5, 10), (10, 10), Kind.FIXED),
    ],
)
def test_a_case_moves_with_the_share_of_its_runs_that_pass(base, head, expected):
    assert kind(compared(base, head)) is expected


@pytest.mark.parametrize(
    ("base", "head", "code"),
    [((9, 10), (0, 10), 1), ((10, 10), (9, 10), 0), ((10, 10), (10, 10), 0), ((3, 3), (2, 3), 0)],
)
def test_only_what_no_repeat_explains_fails_a_run_that_may_not_regress(base, head, code):
    section = compared(base, head, fail_on=FailOn.REGRESSED)

    assert section.exit_code == code


@pytest.mark.parametrize(
    ("cases", "regressed"), [(1, True), (30, False)], ids=["one", "one of thirty"]
)
def test_the_more_cases_have_repeats_the_surer_a_small_fall_has_to_be(cases, regressed):
    names = [f"c{number}" for number in range(cases)]
    base = run(dict.fromkeys(names, runs(10, 10)))
    head = run(dict.fromkeys(names, runs(10, 10)) | {"c0": runs(6, 10)})

    section = against(head, base)

    assert kind(section) is (Kind.REGRESSED if regressed else Kind.FLAKY)


def test_thirty_cases_of_ten_runs_that_break_wholly_have_all_regressed():
    section = compared((9, 10), (0, 10), cases=30, fail_on=FailOn.REGRESSED)

    assert (section.counts.regressed, section.exit_code) == (30, 1)


def test_what_the_repeats_prove_is_certain_though_a_judge_alone_has_seen_it():
    judged = run({"a": runs(10, 10)}).identity
    section = against(
        run({"a": runs(0, 10)}, identity=_judged(judged)),
        run({"a": runs(10, 10)}, identity=_judged(judged)),
        fail_on=FailOn.REGRESSED,
    )

    assert ([shown.certain for shown in section.highlights], section.exit_code) == ([True], 1)


def _judged(identity):
    return type(identity)(evaluators=identity.evaluators, rules=identity.rules, judged=("path",))


@pytest.mark.parametrize("fail_on", [FailOn.FAILED, FailOn.REGRESSED])
def test_a_fall_is_seen_although_most_attempts_still_pass(fail_on):
    section = compared((10, 10), (6, 10), fail_on=fail_on)

    assert kind(section) is Kind.REGRESSED
    assert not section.highlights[0].fails
    assert section.exit_code == (fail_on is FailOn.REGRESSED)


def test_attempts_of_different_versions_of_the_agent_are_a_warning():
    def recorded(*agents):
        return [
            case("a", result("path", 1.0), provenance=Provenance(agents=(agent,)))
            for agent in agents
        ]

    mixed, same = against(report(recorded("1", "2"))), against(report(recorded("1", "1")))

    assert [found.rule for found in mixed.findings] == ["attempts", "mixed-attempts"]
    assert [found.rule for found in same.findings] == ["attempts"]


@pytest.mark.parametrize(("cases", "of", "passed"), [(4, 10, 6), (2, 20, 12)])
def test_a_fall_of_many_repeated_cases_is_seen_in_each_that_fell_most(cases, of, passed):
    section = compared((of, of), (passed, of), cases=cases, fail_on=FailOn.REGRESSED)

    assert (section.counts.regressed, section.exit_code) == (cases, 1)


def test_a_fall_that_no_case_shows_alone_is_seen_in_all_of_them():
    section = compared((5, 5), (3, 5), cases=5, fail_on=FailOn.REGRESSED)

    assert (section.counts.regressed, section.decline.fell) == (0, 5)
    assert section.exit_code == 1


@pytest.mark.parametrize("cases", [4, 30])
def test_attempts_that_pass_as_often_as_before_are_no_fall(cases):
    section = compared((8, 10), (8, 10), cases=cases, fail_on=FailOn.REGRESSED)

    assert (section.counts.regressed, section.exit_code) == (0, 0)


def mixed(*results):
    return [case("a", one) for one in results]


PASSED, MISSED = result("path", 1.0), result("path", 0.0)
BROKEN = result("path", None, status=Status.ERROR, error="boom")


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        ((MISSED, BROKEN, PASSED), Kind.ERROR),
        ((PASSED, BROKEN, PASSED), Kind.ERROR),
        ((MISSED, unknown("path"), PASSED), Kind.NOT_EVALUATED),
        ((MISSED, MISSED, BROKEN), Kind.FAILING),
        ((MISSED, MISSED, unknown("path")), Kind.FAILING),
        ((PASSED, PASSED, unknown("path")), None),
    ],
)
def test_a_case_is_what_its_attempts_come_to_together(attempts, expected):
    section = against(report(mixed(*attempts)))

    assert kind(section) is expected
    row = next((gate for gate in section.gates if gate.figure == "pass_rate"), None)
    decided = expected in {None, Kind.FAILING}
    assert (row is not None) is decided


def test_a_limit_of_the_pass_rate_counts_cases_and_the_difference_attempts():
    policy = Policy(attempts="any", limits={"pass_rate": Limit(at_least=0.9)})
    head = run({"a": runs(3, 10), "b": runs(8, 10)}, policy=policy)
    section = against(head, run({"a": runs(9, 10), "b": runs(8, 10)}))

    row = next(gate for gate in section.gates if gate.figure == "pass_rate")
    assert (row.head.met, row.head.of, row.fails) == (2, 2, False)
    assert (row.paired.met, row.paired.of, row.base.met) == (11, 20, 17)
    assert row.difference == pytest.approx(-0.3)
