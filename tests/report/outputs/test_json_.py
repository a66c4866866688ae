import json
import re

import jsonschema
import pytest

from agentevals.cli import schemas
from agentevals.compare.settlement import review_of
from agentevals.model.results import Report
from agentevals.model.review import Scene
from agentevals.report.outputs import json_
from tests.compare.runs import against, run
from tests.report.outputs.reports import (
    HOSTILE,
    MIXED,
    PASSED,
    REPORTS,
    RUN_PERFORMANCE,
    TOGETHER,
    alone,
    case,
    graded,
    hostile,
    report,
)


def rendered(report):
    return "".join(json_.render(alone(report)))


def parsed(report):
    return json.loads(rendered(report))


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_fits_the_published_schema(name):
    schema = json.loads(schemas.path("run").read_text())

    assert list(jsonschema.Draft202012Validator(schema).iter_errors(parsed(REPORTS[name]))) == []


def test_a_run_as_programs_read_it(golden):
    golden("reports/mixed.json", rendered(report(PASSED, findings=MIXED.findings)))


def test_it_is_formatted_as_the_standard_library_would():
    text = rendered(MIXED)

    assert text == json.dumps(json.loads(text), indent=2) + "\n"


def test_the_keys_of_the_predecessor_are_there():
    run = parsed(MIXED)
    trace = run["traces"][0]

    assert {"traces", "errors", "performance_metrics"} <= run.keys()
    assert {"trace_id", "num_invocations", "conversion_warnings", "metrics"} <= trace.keys()
    assert list(trace["metrics"][0])[:7] == [
        "metric_name",
        "score",
        "eval_status",
        "per_invocation_scores",
        "duration_ms",
        "error",
        "details",
    ]


def test_what_is_empty_in_the_predecessor_is_left_out():
    run = parsed(report(case("a", graded("words", 1.0), performance={}), performance={}))

    assert "performance_metrics" not in run
    assert "performance_metrics" not in run["traces"][0]
    assert "details" not in run["traces"][0]["metrics"][0]


def test_an_error_is_not_evaluated_with_a_reason():
    metric = parsed(MIXED)["traces"][2]["metrics"][1]

    assert (metric["eval_status"], metric["outcome"]) == ("NOT_EVALUATED", "ERROR")
    assert metric["error"].startswith("politeness.py: exited with code 2")


def test_a_missed_gate_is_no_pass_although_its_score_is_one():
    [trace] = parsed(report(case("gate", graded("safety", 0.8, required=0.9))))["traces"]

    [metric] = trace["metrics"]
    assert (metric["eval_status"], metric["outcome"]) == ("PASSED", "FAILED")


def test_a_conversation_without_turns_has_one_metric_for_all():
    trace = parsed(REPORTS["no_turns"])["traces"][0]

    assert [metric["metric_name"] for metric in trace["metrics"]] == ["(all)"]
    assert trace["metrics"][0]["error"] == "No invocations extracted from trace."
    assert trace["metrics"][0]["duration_ms"] is None
    assert trace["num_invocations"] == 0


def test_errors_are_the_files_that_could_not_be_read():
    run = parsed(MIXED)

    assert run["errors"] == ["traces/bad.json:3: not JSON: a value is missing"]
    assert len(run["findings"]) == 4


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_stays_inside_its_string(text):
    written = rendered(hostile(text))

    assert re.fullmatch("[\n\x20-\x7e]*", written)
    assert "##[" not in written
    assert not re.search(r"^\s*::", written, re.MULTILINE)
    speakable = re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert json.loads(written)["traces"][0]["case_id"] in (text, speakable)


def test_nesting_without_end_costs_only_what_is_nested():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    metrics = parsed(report(case("a", graded("x", 0.5, details={"deep": deep}))))["traces"][0]

    assert metrics["metrics"][0]["score"] == 0.5


def test_cases_are_written_one_by_one():
    walked = []

    class Cases(tuple):
        def __iter__(self):
            for each in super().__iter__():
                walked.append(each)
                yield each

    review = alone(Report(title="t", verdict="pass", exit_code=0, cases=Cases([PASSED] * 3)))
    walked.clear()
    pieces = json_.render(review)
    next(piece for piece in pieces if "greeting" in piece)

    assert len(walked) == 1


def test_performance_is_passed_on_as_it_is():
    assert parsed(MIXED)["performance_metrics"] == RUN_PERFORMANCE


def test_what_all_cases_together_say_is_there_where_there_is_something():
    assert parsed(TOGETHER)["overall"]["Own"] == {"reduce_scores": 0.3}
    assert "overall" not in parsed(MIXED)


def test_a_run_with_a_baseline_has_one_key_more():
    base, head = run({"kept": 1, "lost": 1}), run({"kept": 1, "lost": 0})
    with_it, without = (
        json.loads("".join(json_.render(review_of(Scene(), [against(head, known)]))))
        for known in (base, None)
    )

    assert with_it.keys() - without.keys() == {"comparison"}
    assert list(with_it["comparison"]) == ["against", "counts", "gates", "highlights"]
    assert with_it["comparison"]["counts"]["regressed"] == 1
    assert [case["case_id"] for case in with_it["comparison"]["highlights"]] == ["lost"]
    schema = json.loads(schemas.path("run").read_text())
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(with_it)) == []
