import msgspec
import pytest

from agentevals.compare import baselines, comparison
from agentevals.model.cases import Status
from agentevals.model.outcome import Change, FailOn, Kind, Origin
from agentevals.model.policy import Acceptance, Limit, Policy, Unsure
from agentevals.model.results import Blame, Finding, Identity, Severity, Verdict
from tests.compare.runs import TODAY, against, report, result, run


def kinds(section):
    return {shown.case_id: shown.kind for shown in section.highlights}


def gate(section, figure):
    [found] = [row for row in section.gates if row.figure == figure]
    return found


def many(passing, failing=0):
    """So many cases that pass, and so many that fail."""
    names = [f"c{number:03}" for number in range(passing + failing)]
    return dict.fromkeys(names[:passing], 1.0) | dict.fromkeys(names[passing:], 0.0)


def test_the_same_run_again_changes_nothing():
    same = run(many(40, 3))

    section = against(same, same)

    assert {row.change for row in section.gates} == {Change.UNCHANGED}
    assert section.counts.regressed == section.counts.fixed == 0
    assert set(kinds(section).values()) == {Kind.FAILING}


def test_every_case_has_the_kind_that_its_two_sides_give_it():
    base = run({"kept": 1, "broken": 1, "mended": 0, "still": 0, "gone": 1, "gone-failing": 0})
    head = run({"kept": 1, "broken": 0, "mended": 1, "still": 0, "new": 1, "new-failing": 0})

    section = against(head, base)

    assert kinds(section) == {
        "broken": Kind.REGRESSED,
        "still": Kind.FAILING,
        "gone": Kind.REMOVED,
        "gone-failing": Kind.REMOVED,
        "new": Kind.ADDED,
        "new-failing": Kind.ADDED,
        "mended": Kind.FIXED,
    }
    assert (section.counts.removed, section.counts.removed_failing) == (2, 1)


MEAN = Policy(pass_at=0.8, borderline_at=0.6)


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        (1, 0.7, Kind.BORDERLINE),
        (0.7, 0.7, Kind.BORDERLINE),
        (0.1, 0.7, Kind.FIXED),
        (0.7, 0.1, Kind.REGRESSED),
    ],
)
def test_a_case_that_is_borderline_is_shown_and_is_no_regression(was, now, kind):
    section = against(run({"a": now}, policy=MEAN), run({"a": was}, policy=MEAN))

    assert kinds(section) == {"a": kind}
    assert section.verdict is (Verdict.FAIL if kind is Kind.REGRESSED else Verdict.BORDERLINE)
    assert kinds(against(run({"a": 0.7}, policy=MEAN))) == {"a": Kind.BORDERLINE}


def test_where_the_mean_decides_an_evaluator_that_fails_all_the_time_makes_no_case_fixed():
    base = run({"a": {"path": 1, "words": 0.4}}, policy=Policy(pass_at=0.7))
    head = run({"a": {"path": 1, "words": 0.4, "new": 1}}, policy=Policy(pass_at=0.7))
    worse = run({"a": {"path": 0.4, "words": 0.4, "new": 1, "x": 1}}, policy=Policy(pass_at=0.7))

    assert [case.verdict for case in (*base.cases, *head.cases, *worse.cases)] == ["pass"] * 3
    assert kinds(against(head, base)) == kinds(against(worse, base)) == {}


def own(digests, scores, **fields):
    """Cases that have an evaluator of their own, which is part of what is expected of them."""
    identity = Identity(evaluators={"all": "e"}, cases=digests, rules="r", **fields)
    return run(scores, identity=identity)


def test_evaluators_that_only_some_cases_have_are_compared_where_these_are_the_same():
    digests = {"a": "1", "b": "1", "c": "1"}
    base = own(digests, {name: {"all": 1, "own": 1} for name in digests})
    head = own(
        digests | {"b": "2"},
        {"a": {"all": 1, "own": 0}, "b": {"all": 1, "own": 0}, "c": {"all": 1, "own": 1}},
    )

    section = against(head, base)

    found = gate(section, "evaluator:own")
    assert (found.base.value, found.difference, section.against.paired) == (1, -0.5, 2)
    assert kinds(section) == {"a": Kind.REGRESSED, "b": Kind.FAILING}
    assert [reason.evaluator for reason in section.highlights[0].reasons] == ["own"]


def test_those_that_a_judge_judges_are_compared_where_it_is_the_same():
    scores = {name: {"all": 1, "own": 1} for name in "ab"}
    base = own({"a": "1", "b": "1"}, scores, judged=("own",), judge="one")
    head = own({"a": "1", "b": "1"}, scores, judged=("own",), judge="other")

    assert gate(against(base, base), "evaluator:own").base.value == 1
    assert gate(against(head, base), "evaluator:own").base is None


def test_what_one_case_of_several_has_is_no_figure_unless_it_has_a_limit():
    scores = {"a": {"all": 1, "a's": 1}, "b": {"all": 1, "b's": 1}}
    limited = Policy(limits={"evaluator:b's": Limit(at_least=0.5)})

    figures = [
        [row.figure for row in against(run(scores, policy=policy)).gates]
        for policy in (Policy(), limited)
    ]
    assert figures == [
        ["pass_rate", "score"],
        ["pass_rate", "score", "evaluator:all", "evaluator:b's"],
    ]
    assert "evaluator:a's" in {row.figure for row in against(run({"a": scores["a"]})).gates}


def test_without_a_baseline_what_fails_is_shown_and_the_reason_is_said():
    section = against(run({"good": 1, "bad": 0}), reason="none made")

    assert kinds(section) == {"bad": Kind.FAILING}
    assert section.against.state is Change.NO_BASELINE
    assert section.against.reason == "none made"
    assert gate(section, "pass_rate").change is Change.NO_BASELINE


def test_the_path_of_a_regressed_case_is_shown_beside_that_of_the_base():
    base = run({"refund": 1}, calls={"refund": ("lookup(id)", "check(amount)", "reply()")})
    head = run({"refund": 0}, calls={"refund": ("lookup(id)", "refund(amount)", "reply()")})

    [shown] = against(head, base).highlights

    assert shown.calls_before == ("lookup(id)", "check(amount)", "reply()")
    assert shown.calls_now == ("lookup(id)", "refund(amount)", "reply()")
    assert not shown.expected_calls


def test_a_case_that_is_expected_otherwise_now_is_not_compared():
    base = run({"a": 1, "b": 1}, identity=Identity(evaluators={"path": "e"}, cases={"a": "1"}))
    head = run({"a": 0, "b": 1}, identity=Identity(evaluators={"path": "e"}, cases={"a": "2"}))

    section = against(head, base)

    assert section.counts.regressed == 0
    assert section.against.paired == 1
    assert kinds(section) == {"a": Kind.FAILING}


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        ({"path": "1"}, {"path": "2"}, "evaluator was changed: path"),
        ({}, {"path": "1"}, "evaluator was added: path"),
        ({"path": "1", "tone": "1"}, {"path": "1"}, "evaluator was removed: tone"),
    ],
)
def test_other_evaluators_are_never_compared_silently(base, head, reason):
    section = against(
        run({"a": 0}, identity=Identity(evaluators=head)),
        run({"a": 1}, identity=Identity(evaluators=base)),
    )

    assert section.against.state is Change.INCOMPATIBLE
    assert section.against.reason == reason
    assert gate(section, "pass_rate").change is Change.INCOMPATIBLE
    assert gate(section, "pass_rate").base is None


def test_an_evaluator_that_did_not_change_is_compared_even_when_another_did():
    base = run(
        {"a": {"path": 1.0, "tone": 0.0}}, identity=Identity(evaluators={"path": "1", "tone": "1"})
    )
    head = run(
        {"a": {"path": 0.0, "tone": 1.0}}, identity=Identity(evaluators={"path": "1", "tone": "2"})
    )

    section = against(head, base)

    assert kinds(section) == {"a": Kind.REGRESSED}
    assert gate(section, "evaluator:path").difference == -1
    assert gate(section, "evaluator:tone").change is Change.INCOMPATIBLE


def test_another_judge_keeps_judged_scores_from_being_compared():
    def judged(judge):
        return Identity(evaluators={"path": "1", "tone": "1"}, judged=("tone",), judge=judge)

    base = run({"a": {"path": 1.0, "tone": 1.0}}, identity=judged("gpt"))
    head = run({"a": {"path": 1.0, "tone": 0.0}}, identity=judged("claude"))

    section = against(head, base)

    assert section.against.reason == "another judge, or other settings of it"
    assert gate(section, "evaluator:path").change is Change.UNCHANGED
    assert gate(section, "evaluator:tone").change is Change.INCOMPATIBLE


def test_a_flip_by_a_judge_alone_is_no_fact():
    identity = Identity(evaluators={"path": "1", "tone": "1"}, judged=("tone",), judge="gpt")
    base = run({"a": {"path": 1.0, "tone": 1.0}}, identity=identity)
    head = run({"a": {"path": 1.0, "tone": 0.0}}, identity=identity)

    section = against(head, base, fail_on=FailOn.REGRESSED)

    assert [shown.certain for shown in section.highlights] == [False]
    assert section.verdict is Verdict.PASS


def test_repeats_of_a_case_are_one_pair():
    section = against(run({"a": [1, 0, 1], "b": [1, 1]}), run({"a": [1, 1], "b": [1, 1]}))

    row = gate(section, "pass_rate")

    assert (row.pairs, row.head.met, row.head.of) == (2, 2, 2)
    assert (row.paired.met, row.paired.of, row.paired.attempts) == (4, 5, True)
    assert kinds(section) == {"a": Kind.FLAKY}
    assert section.highlights[0].now.passed == 2


def test_a_case_whose_attempts_do_not_agree_is_flaky_where_it_passes_by_the_rule():
    three, two = [1, 0, 1], [1, 0]

    section = against(run({"a": three, "b": two}), run({"a": three, "b": two}))

    assert kinds(section) == {"a": Kind.FLAKY, "b": Kind.FAILING}


class TestLimits:
    def test_a_share_below_its_limit_fails_and_single_failures_do_not(self):
        policy = Policy(limits={"pass_rate": Limit(at_least=0.9)})

        kept = against(run(many(9, 1), policy=policy))
        broken = against(run(many(8, 2), policy=policy))

        assert (kept.verdict, kept.exit_code) == (Verdict.PASS, 0)
        assert (broken.verdict, broken.exit_code) == (Verdict.FAIL, 1)
        assert gate(broken, "pass_rate").reason == "below the limit"

    def test_a_drop_that_is_sure_and_larger_than_the_margin_has_regressed(self):
        policy = Policy(limits={"score": Limit(max_drop=0.03), "pass_rate": Limit(at_least=0)})
        head = run({f"c{n}": 0.7 + n % 3 / 50 for n in range(30)}, policy=policy)
        base = run({f"c{n}": 0.9 + n % 2 / 50 for n in range(30)}, policy=policy)

        row = gate(against(head, base), "score")

        assert (row.change, row.fails) == (Change.REGRESSED, True)

    def test_small_changes_either_way_among_many_cases_are_equivalent(self):
        policy = Policy(limits={"score": Limit(max_drop=0.05)})
        head = run({f"c{n}": 0.9 + n % 4 / 100 for n in range(60)}, policy=policy)
        base = run({f"c{n}": 0.9 + (n + 2) % 4 / 100 for n in range(60)}, policy=policy)

        row = gate(against(head, base), "score")

        assert (row.change, row.fails, row.warns) == (Change.EQUIVALENT, False, False)

    @pytest.mark.parametrize(
        ("unsure", "fails", "warns"),
        [(Unsure.FAIL, True, False), (Unsure.WARN, False, True), (Unsure.PASS, False, False)],
    )
    def test_too_few_cases_are_said_and_handled_as_the_policy_wants(self, unsure, fails, warns):
        limits = {"pass_rate": Limit(at_least=0, max_drop=0.02)}
        policy = Policy(limits=limits, on_inconclusive=unsure)

        row = gate(
            against(run(many(11, 1), policy=policy), run(many(12), policy=policy)), "pass_rate"
        )

        assert (row.change, row.fails, row.warns) == (Change.UNDERPOWERED, fails, warns)
        assert row.reason == "too few cases to tell, 830 to 5,200 would decide"

    @pytest.mark.parametrize("unsure", list(Unsure))
    def test_a_limit_against_a_base_that_is_not_there(self, unsure):
        policy = Policy(limits={"score": Limit(max_drop=0.02)}, on_no_baseline=unsure)

        section = against(run(many(5), policy=policy))

        assert gate(section, "score").fails is (unsure is Unsure.FAIL)
        assert gate(section, "score").warns is (unsure is Unsure.WARN)
        assert gate(section, "score").limit == "drop ≤ 0.02"

    def test_amounts_are_compared_as_ratios(self):
        def spent(factor):
            return {
                f"c{n}": {"tokens": {"total": factor * (100 + n)}, "latency": {}} for n in range(20)
            }

        policy = Policy(limits={"tokens": Limit(max_ratio=1.25)})
        head = run({f"c{n}": 1 for n in range(20)}, policy=policy, amounts=spent(2))
        base = run({f"c{n}": 1 for n in range(20)}, policy=policy, amounts=spent(1))

        row = gate(against(head, base), "tokens")

        assert row.difference == pytest.approx(2)
        assert (row.change, row.fails, row.limit) == (Change.REGRESSED, True, "≤ \xd71.25")

    def test_a_figure_with_a_limit_that_nothing_measured_fails(self):
        policy = Policy(limits={"cost": Limit(at_most=0.5)})

        section = against(run(many(5), policy=policy))

        assert gate(section, "cost").change is Change.NOT_EVALUATED
        assert section.verdict is Verdict.FAIL


def test_a_gate_that_was_missed_is_the_first_reason_of_its_case():
    named = {"missed_gates": ["criterion 'a' is required and was not met"]}
    vetoed = result("path", 0.9, vetoes=True, details=named, misses=("[a] x: no",))
    failed = run({"bad": 0}).cases[0]

    section = against(report([msgspec.structs.replace(failed, results=(vetoed,))]))

    [reason] = section.highlights[0].reasons
    assert reason.status is Status.FAILED
    assert reason.text == "criterion 'a' is required and was not met; [a] x: no"


class TestAcceptance:
    ENTRY = Acceptance(case="bad", reason="waits for the new model", until="2026-11-18")

    def test_an_accepted_failure_does_not_fail_and_is_shown(self):
        section = against(run({"bad": 0, "good": 1}, policy=Policy(accepted=(self.ENTRY,))))

        assert (section.verdict, section.counts.accepted) == (Verdict.PASS, 1)
        assert section.highlights[0].accepted == self.ENTRY

    def test_it_fails_again_after_its_last_day(self):
        entry = Acceptance(case="bad", reason="waits", until="2026-11-17")

        section = against(run({"bad": 0}, policy=Policy(accepted=(entry,))))

        assert section.verdict is Verdict.FAIL
        assert section.highlights[0].expired

    def test_it_covers_only_the_evaluator_that_it_names(self):
        entry = Acceptance(case="bad", evaluator="tone", reason="waits", until="2027-01-01")
        head = run({"bad": {"tone": 0.0, "path": 0.0}}, policy=Policy(accepted=(entry,)))

        assert against(head).verdict is Verdict.FAIL

    def test_a_case_of_several_attempts_is_accepted_once(self):
        section = against(run({"bad": [0, 1, 0], "good": 1}, policy=Policy(accepted=(self.ENTRY,))))

        assert (section.verdict, section.counts.accepted) == (Verdict.PASS, 1)

    @pytest.mark.parametrize(
        ("evaluator", "said"),
        [("", "case 'bad' passes now"), ("path", "evaluator 'path' passes case 'bad' now")],
    )
    def test_an_entry_is_to_be_removed_once_its_case_passes(self, evaluator, said):
        entry = msgspec.structs.replace(self.ENTRY, evaluator=evaluator)

        [found] = against(run({"bad": 1}, policy=Policy(accepted=(entry,)))).findings

        assert (found.rule, found.severity) == ("acceptance-unused", Severity.NOTE)
        assert found.message == (
            f"{said}: remove the entry from 'gate.accept' (waits for the new model)"
        )

    @pytest.mark.parametrize(
        ("scores", "evaluator"),
        [
            ({"good": 1}, ""),  # it was not recorded this time
            ({"bad": [1, 0]}, ""),
            ({"bad": {"path": None}}, ""),
            ({"bad": {"tone": 1.0, "path": None}}, "path"),
            ({"bad": {"tone": 1.0}}, "path"),
            ({"bad": {"tone": 0.0, "path": 0.0}}, "path"),
        ],
        ids=str,
    )
    def test_nobody_is_told_to_remove_what_may_be_needed(self, scores, evaluator):
        entry = msgspec.structs.replace(self.ENTRY, evaluator=evaluator)
        identity = Identity(cases={"bad": "d1", "good": "d2"})

        section = against(run(scores, identity=identity, policy=Policy(accepted=(entry,))))

        assert [found for found in section.findings if found.rule != "attempts"] == []

    def test_an_error_leaves_open_whether_an_entry_is_needed(self):
        failed = run({"bad": 0}).cases[0]
        broken = result("path", None, status=Status.ERROR, error="boom", blame=Blame.EVALUATOR)
        case = msgspec.structs.replace(failed, results=(broken,))

        findings = against(report([case], policy=Policy(accepted=(self.ENTRY,)))).findings

        assert [found.rule for found in findings] == ["evaluator-error"]

    @pytest.mark.parametrize(
        ("name", "said"),
        [("goood", " (did you mean 'good'?)"), ("late refund", "; check its name")],
    )
    def test_a_name_that_no_case_has_is_said_where_nothing_lists_the_cases(self, name, said):
        entry = msgspec.structs.replace(self.ENTRY, case=name)
        policy = Policy(accepted=(entry,))

        [found] = against(run({"good": 1}, policy=policy)).findings

        assert (found.rule, found.severity) == ("acceptance-unknown", Severity.WARNING)
        assert found.message == f"'gate.accept': no case {name!r} was evaluated{said}"

    def test_an_error_cannot_be_accepted(self):
        failed = run({"bad": 0}).cases[0]
        broken = result("path", None, status=Status.ERROR, error="boom", blame=Blame.EVALUATOR)
        case = msgspec.structs.replace(failed, results=(broken,))

        assert against(report([case], policy=Policy(accepted=(self.ENTRY,)))).exit_code == 1


class TestFailOn:
    BASE = {"old": 0.0, "good": 1.0}

    @pytest.mark.parametrize(
        ("fail_on", "head", "verdict", "code"),
        [
            (FailOn.FAILED, {"old": 0, "good": 1}, Verdict.FAIL, 1),
            (FailOn.REGRESSED, {"old": 0, "good": 1}, Verdict.PASS, 0),
            (FailOn.REGRESSED, {"old": 0, "good": 0}, Verdict.PASS, 0),
            (FailOn.ANY_FLIP, {"old": 0, "good": 0}, Verdict.FAIL, 1),
            (FailOn.ANY_FLIP, {"old": 0, "good": 1, "new": 0}, Verdict.PASS, 0),
            (FailOn.REGRESSED, {"old": 0, "good": 1, "new": 0}, Verdict.PASS, 0),
            (FailOn.ERROR, {"old": 0, "good": 0}, Verdict.PASS, 0),
            (FailOn.NEVER, {"old": 0, "good": 0}, Verdict.FAIL, 0),
        ],
    )
    def test_what_fails(self, fail_on, head, verdict, code):
        section = against(run(head), run(self.BASE), fail_on=fail_on)

        assert (section.verdict, section.exit_code) == (verdict, code)

    def test_where_nothing_can_be_compared_every_failure_counts(self):
        assert against(run({"old": 0}), fail_on=FailOn.REGRESSED).verdict is Verdict.FAIL

    @pytest.mark.parametrize("fail_on", [FailOn.FAILED, FailOn.REGRESSED, FailOn.ERROR])
    def test_what_could_not_be_judged_is_never_a_pass(self, fail_on):
        found = Finding(severity=Severity.ERROR, rule="x", message="lost", blame=Blame.OUTSIDE)

        section = against(run({"good": 1}, findings=(found,)), run({"good": 1}), fail_on=fail_on)

        assert (section.verdict, section.exit_code) == (Verdict.ERROR, 3)


def test_a_baseline_that_is_too_old_is_not_compared_with():
    policy = Policy(max_baseline_age_days=7)

    old = Origin(source="artifact", made_at="2026-11-01T00:00:00+00:00")
    base = baselines.make_baseline(run({"a": 1}), old)
    section = comparison.settle(
        run({"a": 0}, policy=policy), base, config="evals.yaml", today=TODAY
    )

    assert section.against.state is Change.STALE
    assert section.against.reason == "the baseline is 17 days old, and 7 are allowed"


SIX = [f"c{number}" for number in range(6)]
TWENTY = [f"c{number:02}" for number in range(20)]


def lose(count, *names):
    """Twenty cases. Each evaluator, in cases of its own, misses so many that it met before."""
    before = {case: dict.fromkeys(names, 1) for case in TWENTY}
    now = {case: dict(scores) for case, scores in before.items()}
    for at, name in enumerate(names):
        for case in TWENTY[at * count : (at + 1) * count]:
            now[case][name] = 0
    return before, now


def limited(*names):
    limit = Limit(max_drop=0.01)
    return Policy(limits={f"evaluator:{name}": limit for name in names})


@pytest.mark.parametrize(
    ("names", "p_value", "change"),
    [("a", 0.039, Change.REGRESSED), ("ab", 0.079, Change.UNDERPOWERED)],
)
def test_the_more_limits_there_are_the_surer_a_drop_has_to_be(names, p_value, change):
    before, now = lose(5, "a", "b")

    section = against(run(now, policy=limited(*names)), run(before, policy=limited(*names)))

    row = gate(section, "evaluator:a")
    assert (row.p_value, row.change) == (pytest.approx(p_value, abs=0.002), change)
    sure = "beyond the limit, which is not sure among several limits (adjusted p = 0.08)"
    assert row.reason == ("broken" if change is Change.REGRESSED else sure)


def test_two_limits_of_the_same_data_are_one_question():
    limits = {name: Limit(max_drop=0.02) for name in ("pass_rate", "score", "evaluator:a")}
    before, now = lose(5, "a")
    policy = Policy(limits=limits)

    section = against(run(now, policy=policy), run(before, policy=policy))

    assert {row.p_value for row in section.gates} == {gate(section, "pass_rate").p_value}
    assert {row.change for row in section.gates} == {Change.REGRESSED}


@pytest.mark.parametrize(("others", "change"), [("bcd", "inconclusive"), ("", "regressed")])
def test_one_figure_of_many_that_are_only_shown_does_not_stand_out_by_chance(others, change):
    before, now = lose(5, "a", "z")
    for at, name in enumerate(others):
        for case in TWENTY:
            before[case][name], now[case][name] = 1, int(case != TWENTY[at])
    steady = {case: scores | {"z": 1} for case, scores in now.items()}

    section = against(run(steady), run(before))

    assert gate(section, "evaluator:a").change == change


@pytest.mark.parametrize(
    ("gone", "new", "names"),
    [
        ({"old": "e1"}, {"new": "e1"}, {"old": "new", "new": "old"}),
        ({"old": "e1"}, {"new": "e2"}, {"old": "", "new": ""}),
        ({"old": "e1"}, {}, {"old": "", "new": ""}),
        ({"old": "e1"}, {"new": "e1", "newer": "e1"}, {"old": "", "new": "", "newer": ""}),
    ],
)
def test_a_case_that_went_may_be_one_that_came_of_which_the_same_is_expected(gone, new, names):
    def made(cases, digests):
        identity = Identity(evaluators={"path": "e1"}, rules="r1", cases={"kept": "e0", **digests})
        return run(dict.fromkeys(["kept", *cases], 1), identity=identity)

    section = against(made(names.keys() - {"old"}, new), made(["old"], gone))

    assert {one.case_id: one.other_name for one in section.highlights} == names


@pytest.mark.parametrize(("configs", "change"), [(1, Change.REGRESSED), (2, Change.UNDERPOWERED)])
def test_the_limits_of_several_configs_are_judged_together(configs, change):
    before, now = lose(5, "a")
    policy = limited("a")

    section = against(run(now, policy=policy), run(before, policy=policy), configs=configs)

    assert gate(section, "evaluator:a").change is change
