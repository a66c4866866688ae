"""Reviews that tests and pictures share: what pull requests of a shop's support agent came to."""

import re
from typing import Any

import msgspec

from agentevals.model.cases import Status
from agentevals.model.outcome import (
    Against,
    Change,
    Counts,
    Figure,
    Gate,
    Highlight,
    Interval,
    Kind,
    Origin,
    Outcome,
    Place,
    Point,
    Reason,
    Standing,
    Unit,
)
from agentevals.model.policy import Acceptance
from agentevals.model.results import EVALUATOR_ERROR, Blame, Finding, Severity, Verdict
from agentevals.model.review import Review, Scene, State
from agentevals.model.rule_changes import Offer, RuleChange, Rules, TurnedCase

HEAD = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"
BASE = "d4e5f6a7b8c90718293a4b5c6d7e8f9001122334"
SCENE = Scene(
    server_url="https://github.example",
    repository="shop/support-agent",
    event="pull_request",
    number=42,
    head_sha=HEAD,
    head_ref="faster-refunds",
    base_sha=BASE,
    base_ref="main",
    run_id=9001,
    run_number=815,
    run_attempt=2,
    run_url="https://github.example/shop/support-agent/actions/runs/9001",
    workflow="evals",
    job="evals",
    made_at="2026-08-20T14:00:00+00:00",
)
ORIGIN = Origin(
    source="artifact of the merge base",
    commit=BASE,
    run_url="https://github.example/shop/support-agent/actions/runs/8990",
    run_number=812,
    made_at="2026-08-20T08:00:00+00:00",
)
TRACES, RULES = "traces/support.jsonl", "evals/support.yaml"
PASSED, FAILED = Standing(verdict=Verdict.PASS), Standing(verdict=Verdict.FAIL)


def gate(figure: str, name: str, unit: Unit, **fields: Any) -> Gate:
    """A row; plain numbers become figures, pairs intervals."""
    for side in ("head", "base"):
        if isinstance(fields.get(side), int | float):
            fields[side] = Figure(value=fields[side])
    if isinstance(fields.get("interval"), tuple):
        fields["interval"] = Interval(low=fields["interval"][0], high=fields["interval"][1])
    found = re.search(
        r"(?:drop ≤ |≤ \N{MULTIPLICATION SIGN})([0-9.]+)( pp)?", fields.get("limit", "")
    )
    if found:
        fields["margin"] = float(found[1]) / (100 if found[2] else 1)
    return Gate(figure=figure, name=name, unit=unit, **{"pairs": 60, **fields})


def share(met: int, of: int) -> Figure:
    return Figure(value=met / of, met=met, of=of)


def reason(
    text: str, line: int | None = None, *, evaluator: str = "tool_path", **fields: Any
) -> Reason:
    place = Place(path=RULES, line=line) if line else None
    return Reason(evaluator=evaluator, status=Status.FAILED, text=text, rule=place, **fields)


def case(name: str, kind: Kind, line: int | None = None, **fields: Any) -> Highlight:
    place = Place(path=TRACES, line=line) if line else None
    return Highlight(case_id=name, kind=kind, trace=place, **fields)


GATES = (
    gate(
        "pass_rate",
        "Pass rate",
        Unit.SHARE,
        base=share(56, 60),
        head=share(54, 60),
        difference=-0.0333,
        interval=(-0.098, 0.031),
        limit="≥ 92 %",
        change=Change.INCONCLUSIVE,
        fails=True,
        reason="below the limit",
    ),
    gate(
        "evaluator:tool_path",
        "Tool path",
        Unit.SCORE,
        base=0.94,
        head=0.87,
        difference=-0.07,
        interval=(-0.12, -0.03),
        p_value=0.004,
        limit="drop ≤ 0.03",
        change=Change.REGRESSED,
        fails=True,
        reason="broken",
    ),
    gate(
        "evaluator:forbidden_calls",
        "No forbidden calls",
        Unit.SCORE,
        base=1.0,
        head=1.0,
        difference=0.0,
        limit="≥ 1.00",
        change=Change.UNCHANGED,
    ),
    gate(
        "cost",
        "Mean cost per case",
        Unit.MONEY,
        base=0.041,
        head=0.046,
        difference=1.12,
        interval=(1.08, 1.17),
        p_value=0.0001,
        limit="≤ \N{MULTIPLICATION SIGN}1.25",
        change=Change.EQUIVALENT,
    ),
    gate(
        "latency",
        "Typical latency per turn",
        Unit.MILLISECONDS,
        base=8200.0,
        head=8000.0,
        difference=0.98,
        interval=(0.81, 1.15),
        limit="≤ \N{MULTIPLICATION SIGN}1.2",
        change=Change.EQUIVALENT,
    ),
    gate(
        "evaluator:helpfulness",
        "helpfulness (judge)",
        Unit.SCORE,
        base=0.82,
        limit="≥ 0.80",
        change=Change.NOT_EVALUATED,
        warns=True,
        reason="not evaluated",
        pairs=0,
    ),
)
CASES = (
    case(
        "refund-over-limit",
        Kind.REGRESSED,
        41,
        was=PASSED,
        now=FAILED,
        reasons=(reason("called issue_refund before check_policy", 18),),
        calls_before=(
            "lookup_order(id)",
            "check_policy(amount)",
            "issue_refund(amount)",
            "reply()",
        ),
        calls_now=("lookup_order(id)", "issue_refund(amount)", "check_policy(amount)", "reply()"),
    ),
    case(
        "two-orders",
        Kind.REGRESSED,
        12,
        was=PASSED,
        now=FAILED,
        reasons=(reason("argument order_id was A-17, expected A-71", 33),),
    ),
    case(
        "late-parcel",
        Kind.REGRESSED,
        203,
        was=Standing(verdict=Verdict.PASS, score=0.95),
        now=Standing(verdict=Verdict.FAIL, score=0.4),
        reasons=(
            reason("11 steps, budget 6 (search 7 times)", 40, evaluator="steps"),
            reason(
                "the answer blames the customer",
                evaluator="tone",
                judged=True,
                score=0.4,
                threshold=0.7,
            ),
        ),
    ),
    case("gift-card", Kind.REMOVED, was=FAILED),
    case("angry-customer", Kind.FIXED, 77, was=FAILED, now=PASSED),
    *(case(f"voucher-{n}", Kind.ADDED, now=PASSED) for n in range(1, 5)),
    case("slow-bank", Kind.FLAKY, now=Standing(verdict=Verdict.FAIL, runs=5, passed=3)),
)
TREND = tuple(
    Point(commit=f"{n:x}" * 40, made_at=f"2026-08-{n + 4:02}", pass_rate=rate, cost=cost)
    for n, (rate, cost) in enumerate(
        [(0.87, 0.038), (0.92, 0.039), (0.93, 0.04), (0.9, 0.04), (0.93, 0.041), (0.9333, 0.041)], 9
    )
)
COUNTS = Counts(
    cases=64,
    passed=58,
    failed=6,
    regressed=3,
    fixed=1,
    added=4,
    removed=1,
    removed_failing=1,
    flaky=1,
)
REPRODUCE = "agentevals run evals/support.yaml traces/support.jsonl --baseline main.json"


def section(config: str = RULES, title: str = "support", **fields: Any) -> Outcome:
    known = {
        "verdict": Verdict.PASS,
        "exit_code": 0,
        "counts": Counts(cases=64, passed=64),
        "against": Against(origin=ORIGIN, paired=60),
        "reproduce": REPRODUCE,
    }
    return Outcome(config=config, title=title, **known | fields)


def review(*sections: Outcome, **fields: Any) -> Review:
    """As bad as its worst section."""
    worst = max(sections, key=lambda s: (s.exit_code, s.verdict is Verdict.FAIL), default=None)
    known = {
        "scene": SCENE,
        "verdict": worst.verdict if worst else Verdict.PASS,
        "exit_code": worst.exit_code if worst else 0,
        "key": "evals",
        "version": "1.4.0",
    }
    return Review(sections=sections, **known | fields)


def scene(**fields: Any) -> Scene:
    return msgspec.structs.replace(SCENE, **fields)


def kept(*gates: Gate) -> tuple[Gate, ...]:
    """The gates of a run in which nothing happened."""
    return tuple(
        msgspec.structs.replace(
            one,
            head=one.base,
            difference=1.0 if one.is_ratio else 0.0,
            interval=None,
            p_value=None,
            change=Change.UNCHANGED,
            fails=False,
            warns=False,
            reason="",
        )
        for one in gates
    )


FAILING = section(
    verdict=Verdict.FAIL,
    exit_code=1,
    counts=COUNTS,
    gates=GATES,
    highlights=CASES,
    trend=TREND,
)
PASSING = section(gates=kept(*GATES), trend=TREND)
UNDERPOWERED_GATE = gate(
    "pass_rate",
    "Pass rate",
    Unit.SHARE,
    base=share(8, 9),
    head=share(7, 9),
    difference=-0.111,
    interval=(-0.39, 0.18),
    p_value=1.0,
    pairs=9,
    limit="drop ≤ 3 pp",
    change=Change.UNDERPOWERED,
    warns=True,
    reason="too few cases to tell",
)
ALONE = tuple(
    msgspec.structs.replace(one, base=None, difference=None, interval=None, p_value=None, pairs=0)
    for one in (GATES[0], GATES[1], GATES[3])
)
UNREADABLE = Finding(
    severity=Severity.ERROR,
    rule="unreadable",
    message="not JSON: a value is missing",
    path="traces/bad.json",
    line=3,
    blame=Blame.INPUT,
)
UNKNOWN_TYPE = Finding(
    severity=Severity.ERROR,
    rule="config",
    message="unknown evaluator type 'tool_trajctory' (did you mean 'tool_trajectory_avg_score'?)",
    path=RULES,
    line=7,
    blame=Blame.INPUT,
)
CRASHED = Finding(
    severity=Severity.ERROR,
    rule=EVALUATOR_ERROR,
    message="evaluator 'tone' crashed in all 8 cases: KeyError: 'final_response' (tone.py:3)",
    blame=Blame.EVALUATOR,
)
CRASHED_IN_SOME = msgspec.structs.replace(
    CRASHED,
    message="evaluator 'tone' crashed in 2 of 64 cases (order, greeting): IndexError: list index "
    "out of range (tone.py:12)",
)
EDITED = Finding(
    severity=Severity.WARNING,
    rule="policy-edited",
    message="this pull request lowers the limit of the pass rate from 95 % to 92 %",
    path=RULES,
    line=4,
)


def without_baseline(state: Change, why: str) -> Outcome:
    gates = tuple(
        msgspec.structs.replace(one, change=state, fails=False, warns=False, reason="", head=head)
        for one, head in zip(
            ALONE, (share(57, 60), Figure(value=0.93), Figure(value=0.041)), strict=True
        )
    )
    why_not = "nothing to compare with" if state is Change.NO_BASELINE else "not comparable"
    unsure = [msgspec.structs.replace(one, warns=True, reason=why_not) for one in gates[1:]]
    return section(gates=(gates[0], *unsure), against=Against(state=state, reason=why))


LOWERED = RuleChange(
    config=RULES, rule="evaluator 'tool_path'", what="threshold 0.9 → 0.5", digest="1f" * 20
)
DELETED = RuleChange(config=RULES, rule="case 'two-orders'", what="removed", digest="2e" * 20)
TURNED = (
    TurnedCase(
        config=RULES,
        rule=LOWERED.rule,
        case_id="refund-over-limit",
        reason="0.50, needs 0.90; issue_refund was called before check_policy",
        pair="3d" * 20,
    ),
    TurnedCase(
        config=RULES,
        rule=DELETED.rule,
        case_id="two-orders",
        reason="no recorded conversation answers it",
        pair="4c" * 20,
    ),
)


def changed_rules(*turned: TurnedCase, approved: int = 0) -> Rules:
    approvals = [msgspec.structs.replace(one, approved_by="maria") for one in turned[:approved]]
    rules = Rules(base=BASE, changes=(LOWERED, DELETED), turned=(*approvals, *turned[approved:]))
    offers = [Offer.make(one.pair for one in part) for part in (approvals, rules.pending) if part]
    return msgspec.structs.replace(rules, offers=tuple(offers))


REVIEWS = {
    "failed": review(FAILING, notes=(EDITED,)),
    "passed": review(PASSING),
    "no-baseline": review(
        without_baseline(
            Change.NO_BASELINE,
            "no run of main has an artifact yet, and main has no traces of its own",
        )
    ),
    "incompatible": review(
        without_baseline(
            Change.INCOMPATIBLE,
            "evaluator was changed: tool_path; other rules for when a case passes",
        )
    ),
    "underpowered": review(
        section(
            gates=(UNDERPOWERED_GATE,),
            counts=Counts(cases=9, passed=7, failed=2, regressed=1),
            against=Against(origin=ORIGIN, paired=9),
            highlights=CASES[:1],
        )
    ),
    "broken": review(
        state=State.BROKEN,
        verdict=Verdict.ERROR,
        exit_code=2,
        notes=(UNKNOWN_TYPE, UNREADABLE),
    ),
    "crashed": review(
        section(
            verdict=Verdict.ERROR,
            exit_code=1,
            counts=Counts(cases=8, unscored=8, errors=8),
            against=Against(
                state=Change.NO_BASELINE,
                reason="no case has a verdict on both sides: evaluators ended in errors",
                origin=ORIGIN,
            ),
            findings=(CRASHED,),
            highlights=tuple(case(f"order-{n}", Kind.ERROR) for n in range(1, 9)),
        )
    ),
    "crashed beside a failure": review(
        section(
            verdict=Verdict.FAIL,
            exit_code=1,
            counts=Counts(cases=64, passed=61, failed=1, errors=2, regressed=1),
            gates=kept(*GATES),
            findings=(CRASHED_IN_SOME,),
            highlights=(CASES[0], case("order", Kind.ERROR), case("greeting", Kind.ERROR)),
        )
    ),
    "running": review(state=State.RUNNING, verdict=None),
    "unchanged": review(state=State.UNCHANGED, verdict=None),
    "several": review(
        FAILING,
        section(config="evals/billing.yaml", title="billing", gates=kept(*GATES[:3])),
        section(
            config="evals/search.yaml",
            title="search",
            gates=(UNDERPOWERED_GATE,),
            counts=Counts(cases=9, passed=9),
        ),
    ),
    "accepted": review(
        section(
            gates=kept(*GATES),
            counts=Counts(cases=64, passed=62, failed=2, regressed=2, accepted=1),
            verdict=Verdict.FAIL,
            exit_code=1,
            highlights=(
                msgspec.structs.replace(
                    CASES[0],
                    accepted=Acceptance(
                        case="refund-over-limit",
                        reason="policy service is down, #77",
                        until="2026-08-01",
                    ),
                    expired=True,
                ),
                msgspec.structs.replace(
                    CASES[1],
                    accepted=Acceptance(
                        case="two-orders",
                        reason="fixed by the new order service",
                        until="2026-09-30",
                    ),
                ),
            ),
        )
    ),
    "fork": review(PASSING, scene=scene(fork=True, secondhand=True)),
    "rules changed": review(
        PASSING, rules=changed_rules(*TURNED), verdict=Verdict.FAIL, exit_code=1
    ),
    "rules approved": review(PASSING, rules=changed_rules(*TURNED, approved=2)),
    "tolerated": review(
        msgspec.structs.replace(FAILING, exit_code=0),
    ),
}
