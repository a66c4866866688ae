"""What `fail-on: regressed` makes of a run, and that nobody is told to merge a regression."""

import pytest

from agentevals.model.outcome import Change, FailOn
from agentevals.model.policy import Acceptance, Limit, Policy
from agentevals.model.results import Identity
from agentevals.model.review import Review, Scene
from agentevals.report.pages import first_line
from tests.compare.runs import against, run

JUDGED = Identity(evaluators={"tone": "e1", "path": "e1"}, rules="r1", judged=("tone",), judge="m")


def judged(cases, lost=0, won=0, *, broken=0, policy=None):
    """Base and head. A judge alone sees those lost and won; everybody sees those broken."""
    names = [f"c{number:03}" for number in range(cases)]
    base = {name: {"tone": 1.0, "path": 1.0} for name in names}
    head = {name: dict(scores) for name, scores in base.items()}
    for name in names[:lost]:
        head[name]["tone"] = 0.0
    for name in names[lost : lost + won]:
        base[name]["tone"] = 0.0
    for name in names[:broken]:
        head[name]["path"] = 0.0
    return [run(scores, identity=JUDGED, policy=policy) for scores in (base, head)]


def regressed(base, head, fail_on=FailOn.REGRESSED):
    return against(head, base, fail_on=fail_on)


def reviewed(section):
    return Review(
        scene=Scene(),
        verdict=section.verdict,
        exit_code=section.exit_code,
        sections=(section,),
    )


def said(section):
    return first_line.make_headline(reviewed(section)).sentence


@pytest.mark.parametrize("cases", [2, 3, 5, 30, 300])
def test_a_judge_that_fails_every_case_fails_the_run(cases):
    section = regressed(*judged(cases, lost=cases))

    assert section.exit_code == 1
    assert said(section) == f"Not ready to merge: {cases} cases regressed."


@pytest.mark.parametrize(
    ("lost", "won", "code"),
    [(1, 0, 0), (4, 0, 0), (5, 0, 1), (4, 4, 0), (6, 1, 0), (7, 1, 1), (30, 0, 1), (1, 9, 0)],
)
def test_a_few_changes_of_a_judges_mind_are_a_mood_and_many_are_none(lost, won, code):
    section = regressed(*judged(100, lost, won))

    assert section.exit_code == code
    assert not said(section).startswith("Ready to merge")


@pytest.mark.parametrize(("fail_on", "code"), [(FailOn.REGRESSED, 0), (FailOn.ANY_FLIP, 1)])
def test_one_flip_may_be_chance_and_fails_only_where_any_does(fail_on, code):
    section = regressed(*judged(300, broken=1), fail_on)

    assert section.exit_code == code
    assert section.counts.regressed == 1


def test_one_flip_among_many_cases_is_said_with_what_it_means():
    section = regressed(*judged(300, broken=1))

    assert said(section) == "Can be merged, with care: 1 case regressed."
    assert "chance may explain it (p = 0.50)" in first_line.make_headline(reviewed(section)).words


def test_a_score_that_has_fallen_for_certain_fails_the_run_though_every_case_still_passes():
    base = run({f"c{n}": 0.9 + n % 2 / 50 for n in range(30)})
    head = run({f"c{n}": 0.7 + n % 3 / 50 for n in range(30)})

    section = regressed(base, head)

    assert (section.counts.failed, section.exit_code) == (0, 1)
    assert said(section) == "Not ready to merge: Mean score regressed."


@pytest.mark.parametrize("fail_on", [FailOn.FAILED, FailOn.ERROR, FailOn.NEVER])
def test_whatever_fails_the_run_nobody_is_told_to_merge_what_has_got_worse_for_certain(fail_on):
    base = run({f"c{n}": 0.9 + n % 2 / 50 for n in range(30)})
    head = run({f"c{n}": 0.7 + n % 3 / 50 for n in range(30)})

    section = regressed(base, head, fail_on)

    assert section.exit_code == 0
    assert said(section) == "Can be merged, with care: Mean score regressed."


def test_where_only_errors_fail_the_run_its_regressions_are_said():
    section = regressed(*judged(100, broken=2), fail_on=FailOn.ERROR)

    assert section.exit_code == 0
    assert said(section) == "Can be merged, with care: 2 cases regressed."


def test_within_a_limit_single_cases_may_fail():
    policy = Policy(limits={"pass_rate": Limit(at_least=0.9)})

    section = regressed(*judged(100, broken=1, policy=policy), fail_on=FailOn.FAILED)

    assert said(section) == "Ready to merge: the gate passes."


@pytest.mark.parametrize(("covered", "code"), [(30, 0), (10, 1)])
def test_what_somebody_answers_for_does_not_fail_the_run(covered, code):
    entries = tuple(
        Acceptance(case=f"c{n:03}", reason="waits", until="2027-01-01") for n in range(covered)
    )
    section = regressed(*judged(100, lost=30, policy=Policy(accepted=entries)))

    assert section.exit_code == code


def test_more_tokens_are_no_regression_without_a_limit():
    def spent(tokens):
        amounts = {f"c{n}": {"tokens": {"total": tokens + n}, "latency": {}} for n in range(30)}
        return run({f"c{n}": 1.0 for n in range(30)}, amounts=amounts)

    section = regressed(spent(100), spent(200))

    assert [row.figure for row in section.gates if row.change is Change.REGRESSED] == ["tokens"]
    assert (section.exit_code, said(section)) == (0, "Ready to merge: all 30 cases passed.")


def test_where_nothing_but_a_regression_fails_the_run_what_failed_before_is_not_blamed():
    base, head = judged(30, lost=30)
    old = {"tone": 1.0, "path": 0.0}
    with_old = [
        run({case.case_id: _scores(case) for case in side.cases} | {"old": old}, identity=JUDGED)
        for side in (base, head)
    ]

    assert said(regressed(*with_old)) == "Not ready to merge: 30 cases regressed."


def _scores(case):
    return {result.name: result.score for result in case.results}
