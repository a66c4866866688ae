"""Reports that the tests of every format share."""

from agentevals.compare.settlement import review_of
from agentevals.model.cases import Status
from agentevals.model.policy import Policy
from agentevals.model.results import (
    Blame,
    CaseReport,
    Evaluation,
    Finding,
    Report,
    Result,
    Severity,
)
from agentevals.model.review import Scene
from agentevals.run import verdict
from tests.compare.runs import against, settled

TRAJECTORY, WORDS = "tool_trajectory_avg_score", "response_match_score"

SPREAD = {"min": 1.0, "median": 2.0, "max": 3.0, "count": 2, "p50": 2.0, "p95": 3.0, "p99": 3.0}
CASE_PERFORMANCE = {
    "latency": {"overall": SPREAD, "llm_calls": SPREAD, "tool_executions": SPREAD},
    "tokens": {"total_prompt": 250, "total_output": 45, "total": 295, "per_llm_call": SPREAD},
    "counts": {"llm_calls": 2, "tool_calls": 1, "invocations": 1},
    "models": ["gpt-4o-mini"],
}
RUN_PERFORMANCE = {
    "tokens": {
        "total_prompt": 3776,
        "total_output": 130,
        "total": 3906,
        "cache_read_tokens": 1024,
    },
    "latency": {"overall_per_trace": {"p50": 4200.0, "p95": 9100.0, "p99": 61_500.0}},
    "counts": {"traces": 3, "total_llm_calls": 6, "total_tool_calls": 1},
    "models": ["gpt-4o-mini"],
}


def call(name, /, **args):
    return {"name": name, "args": args}


def graded(name, score, *, threshold=0.5, **more):
    status = Status.PASSED if score >= threshold else Status.FAILED
    known = {"type": name, "status": status, "threshold": threshold, "duration_ms": 12.0}
    return Result(name=name, score=score, **known | more)


def broken(name, error):
    known = {"type": "code", "status": Status.ERROR, "threshold": 0.5}
    return Result(name=name, error=error, blame=Blame.EVALUATOR, **known)


def unevaluated(name, reason):
    known = {"type": name, "status": Status.NOT_EVALUATED, "threshold": 0.5}
    return Result(name=name, misses=(reason,), details={"reason": reason}, **known)


def trajectory(score, *turns, threshold=0.5, **more):
    """A trajectory result; a turn is a pair of expected and actual calls."""
    comparisons = [
        {"invocation_id": f"turn-{n}", "expected": e, "actual": a, "matched": e == a}
        for n, (e, a) in enumerate(turns)
    ]
    details = {"comparisons": comparisons}
    per_turn = tuple(float(e == a) for e, a in turns)
    return graded(
        TRAJECTORY, score, threshold=threshold, details=details, per_turn=per_turn, **more
    )


def case(name, *results, policy=None, turns=1, **more):
    score = verdict.score_of(results)
    known = {
        "verdict": verdict.judge_case(results, score, policy or Policy()),
        "eval_case_id": name,
        "conversation_id": "0af7651916cd43dd8448eb211c80319c",
        "trace_ids": ("0af7651916cd43dd8448eb211c80319c",),
        "sources": ("traces/weather.jsonl",),
        "user": "What is the weather in Paris?",
        "performance": CASE_PERFORMANCE,
    }
    return CaseReport(case_id=name, score=score, results=results, turns=turns, **known | more)


def report(*cases, findings=(), **more):
    tally = verdict.Tally()
    for each in cases:
        tally.add(each)
    outcome = settled(cases, findings=findings)
    known = {
        "title": "Weather agent",
        "verdict": outcome.verdict,
        "exit_code": outcome.exit_code,
        "score": tally.score,
        "counts": tally.counts,
        "evaluators": tuple(dict.fromkeys(r.name for each in cases for r in each.results)),
        "performance": RUN_PERFORMANCE if cases else {},
        "version": "0.1.0",
        "duration_ms": 1234.5,
    }
    return Report(cases=cases, findings=tuple(findings), **known | more)


def alone(report):
    """The review of a run that has nothing beside it."""
    facts = {name: getattr(report, name) for name in Evaluation.__struct_fields__}
    return review_of(Scene(), [against(Evaluation(**facts))])


# allowed by `on_not_evaluated: warn`
UNSCORED = case(
    "void", unevaluated("tokens", "none recorded"), policy=Policy(fail_on_not_evaluated=False)
)
SAME_CALLS = ([call("forecast", city="Paris")], [call("forecast", city="Paris")])
PASSED = case("greeting", trajectory(1.0, SAME_CALLS), graded(WORDS, 0.8119))
ARGUMENTS = (
    [
        call("geocode", place="Paris"),
        call("forecast", city="Paris", days=3, unit="celsius"),
        {"name": "confirm", "args": None},
        call("alert", text="the weather of tomorrow will be sunny"),
        call("close"),
    ],
    [
        call("geocode", place="Paris"),
        call("forecast", city="Paris", days="3", unit="celsius", language="fr"),
        call("confirm"),
        call("alert", text="the weather of tomorrow will be rainy"),
        call("log", text="天気"),
    ],
)
TWO_TURNS = case(
    "umbrella",
    trajectory(0.5, ([], []), ARGUMENTS, threshold=1.0),
    graded(WORDS, 0.3127, per_turn=(0.2, 0.4254), misses=("turn 1 shares 2 of 10 words",)),
    turns=2,
)
ORDER = case(
    "order",
    trajectory(0.0, ([call("a", x=1), call("b", y=2)], [call("b", y=2), call("a", x=1)])),
    broken("politeness", "politeness.py: exited with code 2\nZeroDivisionError: division by zero"),
)
MISSING = Finding(
    severity=Severity.ERROR,
    rule="missing-case",
    message="refund: no recorded conversation answers this eval case",
)
UNREADABLE = Finding(
    severity=Severity.ERROR,
    rule="unreadable",
    message="not JSON: a value is missing",
    path="traces/bad.json",
    line=3,
    blame=Blame.INPUT,
)
LEFT_OUT = Finding(severity=Severity.NOTE, rule="foreign-trace", message="1 trace left out")
NO_TURNS = case("silent", error="No invocations extracted from trace.", turns=0, sources=())

MIXED = report(PASSED, TWO_TURNS, ORDER, findings=(MISSING, UNREADABLE, LEFT_OUT))
REPORTS = {
    "passing": report(PASSED, case("weather_in_東京", trajectory(1.0, SAME_CALLS))),
    "one_passing": report(PASSED),
    "mixed": MIXED,
    "one_failing": report(TWO_TURNS),
    "ungraded": report(
        *(
            case(name, unevaluated(WORDS, "no eval set provided"), broken("p", "p.py: no answer"))
            for name in ("a", "b", "c", "d", "e")
        )
    ),
    "no_turns": report(NO_TURNS),
    "empty": report(findings=(UNREADABLE,)),
}

HOSTILE = (
    "\x1b[31mred\x1b[0m\x07 \x9b2J",
    "\u202egnp.exe \u2066x\u2069 \u200b\ufeff",
    "nul \x00 \ud800 surrogate \udfff",
    "::error::gone\n::set-output name=x::y\n  ::add-mask::a",
    "##[error]x ##[add-mask]y",
    "<!-- agentevals --> <img src=x onerror=alert(1)> <script>",
    "| a \\| b | `` ` ``` \n\n# head\n- item\n> quote",
    "@octocat #1 org/repo#2 GH-3 https://evil.example www.evil.example ![x](y) [x](y)",
    "]]> &amp; <![CDATA[ </failure> \" ' \ufffe\uffff",
    "e\u0301" * 40 + "\u0300" * 500,
    "👩‍👩‍👧‍👦 🇫🇷 1️⃣ 日本語 \u1112\u1161\u11ab",
    "x" * 1_000_000,
    "a\u2028b\u2029c\x85d\x0b\x0c",
    "a\r::error::gone\rb",
)


def hostile(text):
    """A report in which every text that comes from outside is this one."""
    calls = ([call(text, **{text: text})], [call(text, **{text: text + "!"}), call(text)])
    results = (
        trajectory(0.0, calls, misses=(text, text), reasoning=text),
        graded(text, 0.1, type=text, misses=(text,), reasoning=text, details={text: [text]}),
        broken(text, text),
        unevaluated(text, text),
    )
    found = Finding(severity=Severity.ERROR, rule="r", message=text, path=text, blame=Blame.INPUT)
    known = {"user": text, "sources": (text,), "warnings": (text,), "trace_ids": (text,)}
    performance = RUN_PERFORMANCE | {"models": [text]}
    return report(
        case(text, *results, **known),
        case(text, error=text, **known),
        case(text, trajectory(1.0, SAME_CALLS), **known),
        findings=(found,),
        title=text,
        performance=performance,
        isolation=text,
    )


# what evaluators say about all cases together, as UiPath's do
TOGETHER = report(
    PASSED,
    overall={
        "Plain": {"reduce_scores": 0.5, "metric": "mean", "scored": 2, "total": 2},
        "Label": {"reduce_scores": 0.52, "metric": "f-score", "scored": 2, "total": 2},
        "Match": {
            "reduce_scores": 0.5,
            "metric": "mean",
            "Match::precision": {"score": 2 / 3, "details": {"metric": "precision"}},
            "Match::confusion_matrix": {
                "score": 0.0,
                "details": {
                    "metric": "confusion_matrix",
                    "classes": ["a", "b"],
                    "confusionMatrix": [[2, 1], [0, 3]],
                },
            },
        },
        "Own": {"reduce_scores": 0.3},
    },
)
