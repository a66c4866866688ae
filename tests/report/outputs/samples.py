"""Reviews that the tests of every file share."""

import re
from collections.abc import Iterator
from enum import Enum
from itertools import repeat

import msgspec

from agentevals.compare import cancelled_settlement
from agentevals.model.cases import Status
from agentevals.model.errors import InputError
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
from agentevals.model.policy import Acceptance, Limit, Policy
from agentevals.model.results import Blame, Finding, Identity, Partial, Severity, Verdict
from agentevals.model.review import Review, Scene, State
from agentevals.report.untrusted_report import read
from tests.compare import runs
from tests.report.outputs.reports import MIXED, PASSED, TRAJECTORY, TWO_TURNS, WORDS, graded, report
from tests.report.outputs.reports import case as judged

SCENE = Scene(
    server_url="https://github.example",
    repository="acme/weather",
    event="pull_request",
    number=7,
    head_sha="a" * 40,
    base_sha="b" * 40,
    run_id=11,
    run_number=3,
    made_at="2026-11-18T12:00:00+00:00",
)
REGRESSED = Highlight(
    case_id="umbrella",
    kind=Kind.REGRESSED,
    now=Standing(verdict=Verdict.FAIL, score=0.41),
    was=Standing(verdict=Verdict.PASS, score=0.9, passed=1),
    reasons=(
        Reason(
            evaluator=TRAJECTORY,
            status=Status.FAILED,
            text="turn 2: close was not called",
            score=0.5,
            threshold=1.0,
            rule=Place(path="evals/eval_config.yaml", line=18),
        ),
        Reason(
            evaluator=WORDS,
            status=Status.FAILED,
            text="turn 1 shares 2 of 10 words",
            score=0.3127,
            threshold=0.5,
        ),
    ),
    trace=Place(path="traces/weather.jsonl", line=41),
    calls_before=("geocode", "forecast"),
    calls_now=("geocode",),
)
FAILING = Highlight(
    case_id="order",
    kind=Kind.FAILING,
    now=Standing(verdict=Verdict.FAIL, score=0.0),
    was=Standing(verdict=Verdict.FAIL, score=0.0),
    reasons=(Reason(evaluator="politeness", status=Status.ERROR, text="exited with code 2"),),
    certain=False,
)
FIXED = Highlight(
    case_id="greeting",
    kind=Kind.FIXED,
    now=Standing(verdict=Verdict.PASS, score=0.9, passed=1),
    was=Standing(verdict=Verdict.FAIL, score=0.2),
)
FLAKY = Highlight(
    case_id="order",
    kind=Kind.FLAKY,
    now=Standing(verdict=Verdict.FAIL, score=0.5, runs=2, passed=1),
)
BY_HAND = Acceptance(case="umbrella", reason="#12, the new forecast", until="2027-01-31")
RATE = Gate(
    figure="pass_rate",
    name="pass rate",
    unit=Unit.SHARE,
    head=Figure(value=1 / 3, interval=Interval(low=0.06, high=0.79), met=1, of=3),
    base=Figure(value=2 / 3, met=2, of=3),
    difference=-1 / 3,
    p_value=0.5,
    pairs=3,
    limit="at least 90 %",
    change=Change.REGRESSED,
    fails=True,
    reason="33 % is below 90 %",
)
TOKENS = Gate(
    figure="tokens",
    name="tokens",
    unit=Unit.TOKENS,
    head=Figure(value=3906.0),
    change=Change.NO_BASELINE,
)
MISSING = Gate(figure="cost", name="cost", unit=Unit.MONEY, change=Change.NOT_EVALUATED)
FOUND = Finding(
    severity=Severity.WARNING, rule="unpaired", message="no eval case", path="traces/a.json", line=3
)
UNREADABLE = Finding(
    severity=Severity.ERROR, rule="config", message="no such file", blame=Blame.INPUT
)


def section(report=MIXED, **more):
    known = {
        "config": "evals/eval_config.yaml",
        "title": report.title if report else "Weather agent",
        "verdict": report.verdict if report else Verdict.FAIL,
        "exit_code": report.exit_code if report else 1,
        "score": report.score if report else None,
        "counts": Counts(cases=3, passed=1, failed=2, regressed=1),
        "report": report,
    }
    return Outcome(**known | more)


def review(*sections, **more):
    verdicts = [one.verdict for one in sections]
    known = {
        "scene": SCENE,
        "verdict": max(verdicts, key=list(Verdict).index, default=Verdict.PASS),
        "exit_code": max((one.exit_code for one in sections), default=0),
        "version": "0.1.0",
    }
    return Review(sections=sections, **known | more)


FULL = section(
    gates=(RATE, TOKENS, MISSING),
    highlights=(REGRESSED, FAILING, FIXED),
    against=Against(origin=Origin(source="artifact", commit="b" * 40), paired=3),
    findings=(*MIXED.findings, FOUND),
    trend=(Point(commit="c" * 40, pass_rate=0.9), Point(commit="d" * 40, pass_rate=0.95)),
    identity=Identity(evaluators={WORDS: "sha256:1"}, cases={"umbrella": "sha256:2"}),
    reproduce="agentevals run traces -c evals/eval_config.yaml",
)
GOOD = section(report(PASSED), counts=Counts(cases=1, passed=1))
BELOW = judged("low", graded(WORDS, 0.6), policy=Policy(pass_at=0.8))
REVIEWS = {
    "failed": review(FULL),
    "passed": review(GOOD),
    "several": review(FULL, section(report(PASSED), config="evals/other.yaml", leg="python 3.13")),
    "gate_only": review(
        msgspec.structs.replace(GOOD, verdict=Verdict.FAIL, exit_code=1, gates=(RATE,))
    ),
    "case_below_its_bar": review(section(report(BELOW))),
    "unexplained": review(msgspec.structs.replace(GOOD, verdict=Verdict.FAIL, exit_code=1)),
    "without_report": review(section(None, highlights=(REGRESSED, FIXED))),
    "small": review(
        section(
            None,
            gates=(RATE,),
            highlights=(msgspec.structs.replace(REGRESSED, reasons=REGRESSED.reasons[:1]),),
        )
    ),
    "flaky": review(section(highlights=(FLAKY,))),
    "broken": review(state=State.BROKEN, verdict=Verdict.ERROR, exit_code=2, notes=(UNREADABLE,)),
    "unsaid": review(state=State.BROKEN, verdict=Verdict.ERROR, exit_code=3),
    "running": review(state=State.RUNNING, verdict=None),
    "unchanged": review(state=State.UNCHANGED, verdict=None),
    "cancelled": review(
        cancelled_settlement.settle_partial(
            runs.run({"paris": 1.0, "rome": 0.0}, partial=Partial(done=2, of=9)),
            config="evals/weather.yaml",
            today=runs.TODAY,
            exit_code=130,
        ),
        state=State.CANCELLED,
        verdict=Verdict.FAIL,
        exit_code=130,
    ),
    "limits": review(
        section(
            msgspec.structs.replace(
                report(PASSED),
                policy=Policy(limits={"cost": Limit(at_most=1.5)}, accepted=(BY_HAND,)),
            )
        )
    ),
}


def accepted(**more):
    """The only failing case, and somebody who answers for it."""
    excused = msgspec.structs.replace(REGRESSED, accepted=BY_HAND, **more)
    return review(section(report(TWO_TURNS), verdict=Verdict.PASS, highlights=(excused,)))


def infected(value, text):
    """The same with this text, or the next of these, wherever text from outside may be."""
    following = text if isinstance(text, Iterator) else repeat(text)
    if isinstance(value, msgspec.Struct):
        fields = {n: infected(getattr(value, n), following) for n in value.__struct_fields__}
        return type(value)(**fields | _kept(value))
    if isinstance(value, dict):
        return {infected(k, following): infected(item, following) for k, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(infected(item, following) for item in value)
    return next(following) if isinstance(value, str) and not isinstance(value, Enum) else value


def _kept(value):
    return {"schema_version": value.schema_version} if isinstance(value, Review) else {}


# what a terminal, a reader of text from right to left, or GitHub's runner would obey
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]"
    r"|^\s*::|##\[",
    re.MULTILINE,
)


def texts(value):
    """Every text of a document that was read, and every name in it."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def outcome(content):
    """The review, or the sentence that refuses it."""
    try:
        return read(content)
    except InputError as error:
        return str(error)
