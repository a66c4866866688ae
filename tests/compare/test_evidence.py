"""Evidence that is missing: it decides nothing about the agent, and is told once."""

import pytest

from agentevals.compare import baselines, packing
from agentevals.compare.settlement import review_of
from agentevals.model.completeness import Fact, Presence, TurnGap
from agentevals.model.outcome import Change, FailOn, Kind
from agentevals.model.policy import Acceptance, Limit, Policy
from agentevals.model.results import Identity, Verdict
from agentevals.model.review import Scene
from agentevals.report.pages import line
from tests.compare.runs import ORIGIN, against, case, report, result, run, settled, unknown

ALIKE = {"identity": Identity(evaluators={"path": "e1", "words": "e1"}, rules="r1")}
WARN = Policy(fail_on_not_evaluated=False)


def kinds(outcome):
    return {one.case_id: one.kind for one in outcome.highlights}


def gate(outcome, figure):
    [found] = [one for one in outcome.gates if one.figure == figure]
    return found


def say(outcome):
    return line.make_headline(review_of(Scene(), [outcome])).sentence


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

    packed = packing.pack(baselines.make_baseline(base, ORIGIN), 10_000)

    first, second = packing.unpack(packed).cases
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
