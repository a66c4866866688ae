import pytest

from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.traces.loaders.files import sentences, write


def result(name="one", **execution):
    return {
        "evaluationName": name,
        "agentExecutionOutput": {"result": {"output": "x"}, **execution},
    }


def load(tmp_path, *results):
    path = write(tmp_path / "out.json", {"evaluationSetResults": results})
    return loaders.load([path])


@pytest.mark.parametrize("results", [[], [{"agentExecutionOutput": None}]])
def test_scores_alone_are_nothing_to_score(tmp_path, results):
    recordings = load(tmp_path, *results)

    assert list(recordings.traces) == []
    assert "run 'uipath eval' with --verbose" in sentences(recordings)[0]


def test_an_item_without_an_execution_costs_only_itself(tmp_path):
    recordings = load(tmp_path, result(), {"agentExecutionOutput": None}, 5)

    assert [trace.case_id for trace in recordings.traces] == ["one"]
    assert sentences(recordings, without=tmp_path) == [
        (
            "out.json: evaluationSetResults[1]: it has no execution; run it with --verbose; "
            "it is skipped"
        ),
        "out.json: evaluationSetResults[2]: expected an object; it is skipped",
    ]


@pytest.mark.parametrize(
    ("output", "answer"),
    [({"a": [1]}, '{"a": [1]}'), ("done", "done"), (None, None), ({}, "{}")],
)
def test_the_answer_is_what_was_put_out(tmp_path, output, answer):
    tool = {"tool.name": "t", "openinference.span.kind": "TOOL"}
    spans = [{"name": "a", "parent_name": None, "attributes": tool}]
    given = result(trace={"spans": spans}, result={"output": output})

    [conversation] = converse(load(tmp_path, given).traces)
    assert [turn.response for turn in conversation.turns] == [answer]


def test_an_agent_that_failed_is_told(tmp_path):
    error = {"code": "E", "title": "Crash", "detail": "no such order"}
    recordings = load(tmp_path, result(result={"status": "faulted", "error": error}))

    assert recordings.traces[0].warnings == ("the agent failed: Crash: no such order",)


@pytest.mark.parametrize("spans", [5, [5], [{"attributes": 5}]])
def test_malformed_spans_cost_their_item(tmp_path, spans):
    recordings = load(tmp_path, result(trace={"spans": spans}), result("other"))

    assert [trace.case_id for trace in recordings.traces] == ["other"]
    assert len(recordings.findings) == 1


def test_an_item_that_was_run_twice_is_two_traces(tmp_path):
    again = result(execution_time=2)
    first = write(tmp_path / "a" / "out.json", {"evaluationSetResults": [result(), again]})
    second = write(
        tmp_path / "b" / "out.json", {"evaluationSetResults": [result(execution_time=3)]}
    )

    recordings = loaders.load([first, second])
    assert [trace.case_id for trace in recordings.traces] == ["one"] * 3
    assert recordings.findings == ()


@pytest.mark.parametrize("took", [1e308, 10**30, -1, "long", None, True])
def test_a_time_beyond_all_bounds_costs_no_more_than_its_item(tmp_path, took):
    recordings = load(tmp_path, result(execution_time=took), result("two"))

    assert list(recordings.traces)[-1].case_id == "two"
    assert all("agentevals" not in said for said in sentences(recordings, without=tmp_path))
