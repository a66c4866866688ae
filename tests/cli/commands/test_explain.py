import json

import msgspec
import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.cases import Status
from agentevals.model.completeness import Fact, Presence, TurnGap
from agentevals.model.policy import Policy
from agentevals.model.results import Blame, Result, Verdict
from agentevals.model.review import Scene
from agentevals.report.outputs import OUTPUTS
from tests.compare.runs import against, case, report, result, run, unknown
from tests.support import DOCS, agentevals

CALLS = {
    "comparisons": [
        {
            "expected": [{"name": "cancel", "args": {"order_id": 3}}],
            "actual": [{"name": "refund", "args": {"order_id": 8, "amount": 9999}}],
            "matched": False,
        }
    ]
}
GAPS = (
    TurnGap(turn=1, fact=Fact.TOOL_CALLS, presence=Presence.UNKNOWN, evidence="e1", remedy="Set A"),
    TurnGap(turn=2, fact=Fact.QUESTION, presence=Presence.WITHHELD, evidence="e2", remedy="Set A"),
)


def cancel(**fields):
    results = (
        result("tool_trajectory_avg_score", 0.0, details=CALLS),
        result("response_match_score", 1.0),
    )
    facts = {
        "user": "Cancel order 3",
        "turns": 1,
        "sources": ("traces/cancel.json",),
        "calls": ("refund(order_id, amount)",),
    }
    return case("cancel", *results, **{**facts, **fields})


def lacking():
    return case("where", unknown(), result("words", 1.0), gaps=GAPS, turns=2)


def write(path, *outcomes, name="review"):
    path.write_text("".join(OUTPUTS[name].render(review_of(Scene(), outcomes))))
    return str(path)


@pytest.fixture
def written(tmp_path):
    base = run({"cancel": {"tool_trajectory_avg_score": 1.0, "response_match_score": 1.0}})
    head = report([cancel(), lacking(), case("fine", result("words", 1.0))])
    return write(tmp_path / "report.json", against(head, base))


def explain(*words):
    return agentevals("explain", *words)


def test_an_explanation_begins_with_the_verdict_and_what_decided_it(written):
    shown = explain(written, "cancel")

    assert shown.returncode == 0
    page = DOCS.joinpath("output.md").read_text().split("$ agentevals explain")[1]
    sample = page.partition("```text\n")[2].partition("```")[0]
    assert shown.stdout == sample.replace("eval_config.yaml", "evals.yaml")


def test_what_was_not_recorded_stands_last_with_its_remedy(written):
    lines = explain(written, "where").stdout.splitlines()

    assert lines[0] == "NOT EVALUATED  where · score 1.00 · 2 turns"
    assert lines[1] == "because    evidence is missing for path, and nothing else fails it"
    assert "question   not recorded" in lines
    assert "calls      not recorded" in lines
    assert "– path  not evaluated · decides" in lines  # noqa: RUF001 -- the sign
    assert lines[-4:] == [
        "not recorded",
        "  turn 1   the tool calls, because e1",
        "  turn 2   the question, because e2",
        "  to do    Set A",
    ]


def test_programs_get_the_same(written):
    [found] = json.loads(explain(written, "where", "-o", "json").stdout)

    assert (found["verdict"], found["question"], found["calls"]) == ("not-evaluated", None, None)
    assert [one["fact"] for one in found["unknown"]] == ["tool_calls", "question"]
    assert [one["decides"] for one in found["judgements"]] == [True, False]
    assert found["judgements"][0]["gap"]["remedy"] == "Set CAPTURE=true, and record again"


def test_a_report_of_a_run_is_explained_as_a_review_is(tmp_path):
    path = write(tmp_path / "r.json", against(report([cancel()])), name="report")

    assert explain(path, "cancel").stdout.startswith("FAIL  cancel · score 0.50 · 1 turn\n")


def test_a_case_is_found_by_the_id_of_its_trace(tmp_path):
    path = write(tmp_path / "r.json", against(report([cancel(trace_ids=("ab12",))])))

    assert explain(path, "ab12").stdout.startswith("FAIL  cancel")


def test_each_config_and_each_attempt_is_explained(tmp_path):
    first = against(report([cancel(), cancel()]))
    second = msgspec.structs.replace(first, config="other.yaml")
    path = write(tmp_path / "r.json", first, second)

    both = explain(path, "cancel").stdout
    one = explain(path, "cancel", "--config", "other.yaml").stdout

    assert both.count("FAIL  cancel") == 4
    assert one.count("FAIL  cancel") == one.count("other.yaml") == 2
    assert "attempt 2 of 2" in one


def passes(*results, policy=Policy(), **fields):  # noqa: B008 -- frozen
    return case("a", *results, policy=policy, **fields), policy


@pytest.mark.parametrize(
    ("explained", "because"),
    [
        (passes(result("words", 1.0)), "1 of 1 evaluator passed"),
        (
            passes(result("words", 0.4), result("path", 1.0), policy=Policy(pass_at=0.6)),
            "its score, 0.70, is enough",
        ),
        (
            passes(result("words", 0.1), result("path", 0.6), policy=Policy(pass_at=0.6)),
            "its score is 0.35, and 0.60 is needed",
        ),
        (
            passes(result("words", 0.9, required=0.95)),
            "words scored 0.90; required to score 0.95",
        ),
        (
            passes(
                Result(
                    name="words",
                    type="words",
                    status=Status.ERROR,
                    error="broke",
                    blame=Blame.BUG,
                )
            ),
            "words ended in an error: broke",
        ),
        (passes(result("words", None)), "words could not judge it"),
        (
            passes(
                result("words", None, misses=("there is no answer",)),
                policy=Policy(fail_on_not_evaluated=False),
            ),
            "no evaluator could judge it",
        ),
        (
            passes(result("words", None, misses=("there is no answer",), required=0.5)),
            "words could not judge it: required, and was not evaluated; there is no answer",
        ),
        (
            passes(error="the trace holds no turn", verdict=Verdict.FAIL),
            "no evaluator could run: the trace holds no turn",
        ),
    ],
)
def test_what_decided_is_one_sentence(tmp_path, explained, because):
    told, policy = explained
    path = write(tmp_path / "r.json", against(report([told], policy=policy)))

    assert f"because    {because}\n" in explain(path, "a").stdout


@pytest.mark.parametrize(
    ("case_id", "said"),
    [
        ("cancle", "it has no case 'cancle' (did you mean 'cancel'?)"),
        ("zzz", "it has no case 'zzz'; its cases are cancel, where, fine"),
    ],
)
def test_an_unknown_case_is_refused_with_the_nearest(written, case_id, said):
    refused = explain(written, case_id)

    assert refused.returncode == 2
    assert refused.stderr == f"agentevals: {written}: {said}\n"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"schema_version": "1.0", "sections": 3}', b"1e999"],
)
def test_a_file_that_is_no_report_is_refused_without_a_traceback(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content)

    refused = explain(str(path), "a")

    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "give what '-o report' writes, or a report.json of the action" in refused.stderr


def test_a_missing_file_a_folder_and_an_empty_review_are_refused(tmp_path):
    empty = write(tmp_path / "empty.json")

    assert "no such file" in explain(str(tmp_path / "none.json"), "a").stderr
    assert "it is not a file" in explain(str(tmp_path), "a").stderr
    assert "it has no cases, because nothing was evaluated" in explain(empty, "a").stderr
    assert explain(empty, "a").returncode == 2


def test_text_of_others_cannot_command_a_terminal(tmp_path):
    hostile = cancel(user="\x1b[2J::error::x", calls=("\x1b]0;x\x07()",), sources=("a\nb",))
    path = write(tmp_path / "r.json", against(report([hostile])))

    shown = explain(path, "cancel").stdout

    assert "\x1b" not in shown
    assert not any(text.startswith("::") for text in shown.splitlines())
