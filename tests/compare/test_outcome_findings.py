"""Evidence that is missing: it decides nothing about the agent, and is told once.

Evaluators in error: one finding for each reason, with the cases that it concerns.
"""

import pytest

from agentevals.compare import baselines
from agentevals.compare.outcome_findings import EvaluatorErrors
from agentevals.compare.settlement import review_of
from agentevals.model.cases import Status
from agentevals.model.completeness import Fact, Presence, TurnGap
from agentevals.model.outcome import Change, FailOn, Kind
from agentevals.model.policy import Acceptance, Limit, Policy
from agentevals.model.results import Blame, Identity, Severity, Verdict
from agentevals.model.review import Scene
from agentevals.report.pages import first_line
from tests.compare.runs import ORIGIN, against, case, report, result, run, settled, unknown

ALIKE = {"identity": Identity(evaluators={"path": "e1", "words": "e1"}, rules="r1")}
WARN = Policy(fail_on_not_evaluated=False)
CRASH = (
    "evaluator 'mine' exited with code 1: boom\nTraceback (most recent call last):\n"
    "  File \"/repo/mine.py\", line 3, in mine\nKeyError: 'final_response'"
)


def kinds(outcome):
    return {one.case_id: one.kind for one in outcome.highlights}


def gate(outcome, figure):
    [found] = [one for one in outcome.gates if one.figure == figure]
    return found


def say(outcome):
    return first_line.make_headline(review_of(Scene(), [outcome])).sentence


def evidence_of(outcome):
    return [one.message for one in outcome.findings if one.rule == "missing-evidence"]


def test_one_sentence_tells_of_all_cases_with_the_remedy_first():
    cases = [case(f"c{at}", unknown(), unknown("words", Fact.ANSWER)) for at in range(5)]

    [sentence] = evidence_of(settled(cases))

    assert sentence == (
        "Set CAPTURE=true, and record again. Not recorded: the answer, because a model's output "
        "is not in the span; the tool calls, because a model's output is not in the span. "
        "2 evaluators (path, words) could not judge 5 cases (c0, c1, c2 and 2 more)"
    )


def test_each_remedy_has_a_sentence_and_there_are_not_many():
    cases = [case(f"c{at}", unknown(remedy=f"Set R{at}")) for at in range(30)]

    found = evidence_of(settled(cases))

    assert found[0].startswith("Set R0. Not recorded: the tool calls, because")
    assert len(found) == 21
    assert found[-1] == "evidence is missing for other reasons as well, 10 times"


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        ([case("a", unknown())], "Not evaluated: 1 case lacks evidence."),
        (
            [case("a", unknown()), case("b", result("path", 1.0))],
            "Not evaluated: 1 of 2 cases lacks evidence.",
        ),
        (
            [case("a", unknown()), case("b", result("path", 0.0))],
            "Not ready to merge: 1 of 2 cases failed.",
        ),
    ],
)
def test_a_case_that_lacks_evidence_has_not_failed(cases, sentence):
    outcome = settled(cases)

    assert outcome.verdict is Verdict.FAIL
    assert outcome.exit_code == 1
    assert say(outcome) == sentence
    assert outcome.counts.failed == sum(one.score == 0.0 for one in cases)


def test_a_config_may_allow_it_also_where_all_cases_lack_evidence():
    some = settled([case("a", unknown(), policy=WARN), case("b", result("path", 1.0))], WARN)
    every = settled([case("a", unknown(), policy=WARN)], WARN)

    assert (some.exit_code, some.counts.passed) == (0, 1)
    assert say(some) == "Can be merged, with care: 1 of 2 cases lacks evidence."
    assert (every.exit_code, every.counts.passed) == (0, 0)
    assert say(every) == "Not evaluated: 1 case lacks evidence."


def test_nobody_can_answer_for_a_case_that_was_not_evaluated():
    entry = Acceptance(case="a", reason="later", until="2027-01-31")
    policy = Policy(accepted=(entry,))

    outcome = settled([case("a", unknown(required=0.5)), case("b", result("path", 1.0))], policy)

    assert outcome.exit_code == 1
    assert outcome.counts.accepted == 0


@pytest.mark.parametrize("fail_on", FailOn)
@pytest.mark.parametrize("policy", [Policy(), WARN], ids=["fail", "warn"])
def test_a_case_that_lost_its_evidence_is_no_regression(policy, fail_on):
    base = run({"a": 1.0, "b": 1.0}, **ALIKE)
    head = report([case("a", unknown(), policy=policy), case("b", result("path", 1.0))], **ALIKE)

    outcome = against(head, base, fail_on=fail_on)

    assert kinds(outcome) == {"a": Kind.NOT_EVALUATED}
    assert outcome.counts.regressed == 0
    assert outcome.unknown.uncompared == outcome.against.paired == 1


@pytest.mark.parametrize("policy", [Policy(), WARN], ids=["fail", "warn"])
def test_a_case_whose_failure_cannot_be_seen_any_more_is_not_fixed(policy):
    base = run({"a": {"path": 0.0, "words": 1.0}, "b": {"path": 1.0, "words": 1.0}}, **ALIKE)
    head = report(
        [
            case("a", unknown(), result("words", 1.0), policy=policy),
            case("b", result("path", 1.0), result("words", 1.0)),
        ],
        policy=policy,
        **ALIKE,
    )

    outcome = against(head, base)

    assert outcome.counts.fixed == 0
    assert gate(outcome, "pass_rate").change is Change.UNCHANGED
    assert gate(outcome, "score").pairs == 1


def test_a_baseline_without_evidence_proves_nothing():
    base = report([case("a", unknown()), case("b", result("path", 1.0))], **ALIKE)

    better = against(run({"a": 1.0, "b": 1.0}, **ALIKE), base)
    worse = against(run({"a": 0.0, "b": 1.0}, **ALIKE), base)

    assert (better.counts.fixed, kinds(better)) == (0, {})
    assert (worse.counts.regressed, kinds(worse)) == (0, {"a": Kind.FAILING})
    assert gate(worse, "pass_rate").pairs == 1


def test_a_baseline_that_was_not_recorded_in_full_does_not_prove_that_a_case_got_better():
    base = report([case("a", result("path", 0.0), unknown("words"))], **ALIKE)

    outcome = against(run({"a": {"path": 1.0, "words": 1.0}}, **ALIKE), base)

    assert outcome.counts.fixed == 0
    assert gate(outcome, "pass_rate").base is None


def test_what_was_recorded_and_fails_is_a_regression_whatever_else_is_missing():
    base = run({"a": {"path": 1.0, "words": 1.0}}, **ALIKE)
    head = report([case("a", result("path", 0.0), unknown("words", Fact.ANSWER))], **ALIKE)

    outcome = against(head, base)

    assert kinds(outcome) == {"a": Kind.REGRESSED}
    assert [one.evaluator for one in outcome.highlights[0].reasons] == ["path"]


def test_where_no_pair_has_evidence_nothing_was_compared():
    outcome = against(report([case("a", unknown())], **ALIKE), run({"a": 1.0}, **ALIKE))

    assert outcome.against.state is Change.NO_BASELINE
    assert "evidence is missing in every case" in outcome.against.reason


def test_no_figure_counts_a_case_that_lacks_evidence():
    cases = [
        case("a", unknown(), result("words", 0.6), performance={"tokens": {"total": 9000}}),
        case("b", result("path", 1.0), result("words", 0.8), performance={"tokens": {"total": 50}}),
    ]

    outcome = settled(cases)

    assert {one.figure: one.head.value for one in outcome.gates} == {
        "pass_rate": 1.0,
        "score": 0.9,
        "evaluator:path": 1.0,
        "evaluator:words": 0.8,
        "tokens": 50,
    }


def test_a_partial_amount_is_none():
    gap = TurnGap(turn=1, fact=Fact.TOKENS, presence=Presence.UNKNOWN, evidence="e")
    spent = {"tokens": {"total": 9000}}
    cases = [case("a", result("path", 1.0), performance=spent, gaps=(gap,))]

    assert "tokens" not in {one.figure for one in settled(cases).gates}


def test_a_packed_baseline_remembers_what_lacked_evidence():
    base = report([case("a", unknown()), case("b", result("path", 0.0), unknown("words"))])

    packed = baselines.pack(baselines.make_baseline(base, ORIGIN), 10_000)

    first, second = baselines.unpack(packed).cases
    assert (first.has_gap, first.lacks_evidence) == (True, True)
    assert (second.has_gap, second.lacks_evidence) == (True, False)


def test_a_removed_case_that_lacked_evidence_was_not_failing():
    base = report([case("a", unknown()), case("b", result("path", 1.0))], **ALIKE)

    outcome = against(run({"b": 1.0}, **ALIKE), base)

    assert (outcome.counts.removed, outcome.counts.removed_failing) == (1, 0)


def test_a_limit_of_the_pass_rate_does_not_tolerate_missing_evidence():
    policy = Policy(limits={"pass_rate": Limit(at_least=0.5)})
    outcome = settled([case("a", unknown()), case("b", result("path", 1.0))], policy)

    assert outcome.exit_code == 1
    assert gate(outcome, "pass_rate").head.of == 1


def broken(name="mine", error=CRASH, blame=Blame.EVALUATOR):
    return result(name, None, status=Status.ERROR, error=error, blame=blame)


def told(*cases):
    errors = EvaluatorErrors()
    for one in cases:
        errors.add(one)
    return [found.message for found in errors.findings()]


def test_a_crash_in_all_cases_is_told_once():
    cases = [case(f"c{number}", broken()) for number in range(8)]

    assert told(*cases) == [
        "evaluator 'mine' crashed in all 8 cases: KeyError: 'final_response' (mine.py:3)"
    ]


def test_of_some_cases_the_first_are_named():
    cases = [case(f"c{number}", broken() if number else result("mine", 1.0)) for number in range(6)]

    assert told(*cases)[0].startswith(
        "evaluator 'mine' crashed in 5 of 6 cases (c1, c2, c3 and 2 more)"
    )


def test_the_only_case_needs_no_name():
    assert told(case("a", broken()))[0].startswith("evaluator 'mine' crashed in the only case: ")


@pytest.mark.parametrize(
    ("blame", "error", "message"),
    [
        (
            Blame.OUTSIDE,
            "the judge cannot be reached",
            (
                "evaluator 'mine' could not reach a service that it needs in the only case: "
                "the judge cannot be reached"
            ),
        ),
        (
            Blame.INPUT,
            "no judge is configured",
            ("evaluator 'mine' cannot use its input in the only case: no judge is configured"),
        ),
        (
            Blame.EVALUATOR,
            "evaluator 'mine' gave the score 2",
            "evaluator 'mine' ended in an error in the only case: gave the score 2",
        ),
        (
            Blame.BUG,
            "bug in t: KeyError(1)",
            "evaluator 'mine' ran into a bug of agentevals in the only case: bug in t: KeyError(1)",
        ),
        (Blame.EVALUATOR, "", "evaluator 'mine' ended in an error in the only case"),
    ],
)
def test_whose_doing_it_is_is_told(blame, error, message):
    assert told(case("a", broken(error=error, blame=blame))) == [message]


def test_many_different_errors_are_counted():
    cases = [case(f"c{number}", broken(error=f"gave {number}")) for number in range(25)]

    assert len(told(*cases)) == 21
    assert told(*cases)[-1] == "evaluator 'mine' ended in an error 5 more times, for other reasons"


def test_a_finding_is_an_error_of_its_own_rule():
    errors = EvaluatorErrors()
    errors.add(case("a", broken(blame=Blame.OUTSIDE)))
    [found] = errors.findings()

    assert (found.severity, found.rule) == (Severity.ERROR, "evaluator-error")
    assert found.blame is Blame.OUTSIDE


class TestBesideABase:
    CRASHED = report([case(name, result("path", 1.0), broken()) for name in "ab"])
    PASSED = report([case(name, result("path", 1.0), result("mine", 1.0)) for name in "ab"])

    @pytest.mark.parametrize("base", [CRASHED, PASSED])
    @pytest.mark.parametrize("fail_on", FailOn)
    def test_nothing_is_unchanged_where_nobody_can_tell(self, base, fail_on):
        outcome = against(self.CRASHED, base, fail_on=fail_on)

        assert outcome.verdict is Verdict.ERROR
        assert not {gate.change for gate in outcome.gates} & {Change.UNCHANGED, Change.REGRESSED}
        assert outcome.against.reason == (
            "no case has a verdict on both sides: evaluators ended in errors"
        )

    def test_a_case_in_error_has_neither_failed_nor_regressed(self):
        outcome = against(self.CRASHED, self.PASSED)

        assert {shown.kind for shown in outcome.highlights} == {Kind.ERROR}
        assert (outcome.counts.failed, outcome.counts.regressed, outcome.counts.errors) == (0, 0, 2)
        assert [shown.reasons for shown in outcome.highlights] == [(), ()]

    def test_a_case_whose_base_was_in_error_is_not_fixed(self):
        outcome = against(self.PASSED, self.CRASHED)

        assert outcome.counts.fixed == 0
        assert outcome.verdict is Verdict.PASS

    def test_a_case_that_fails_as_well_is_listed_by_what_failed_it(self):
        failing = report([case("a", result("path", 0.0), broken())])
        [shown] = against(failing, self.PASSED).highlights[:1]

        assert shown.kind is Kind.REGRESSED
        assert [reason.evaluator for reason in shown.reasons] == ["path"]

    def test_a_score_of_what_was_left_is_no_score_of_the_run(self):
        assert self.CRASHED.score is None
