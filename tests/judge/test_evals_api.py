import json
import logging

import pytest

from agentevals.judge.evals_api import EvalsAPI
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from tests.hosted_evals import FakeClock, Hosted, deeds, environ, item
from tests.servers import as_json, reply, serve


def evaluated(server, *, timeout=120, time=None):
    api = EvalsAPI(timeout, environ(server), (time or FakeClock()).clock)
    with api.evaluation({"name": "e"}) as eval_id:
        run = api.run(eval_id, {"name": "r"})
        return api.list_items(eval_id, run.id)


def test_the_documented_calls_in_order():
    with serve(Hosted(item(0, 0.9), statuses=["queued", "in_progress", "completed"])) as server:
        evaluated(server)

    assert deeds(server) == [
        "POST ",
        "POST /eval_1/runs",
        "GET /eval_1/runs/run_1",
        "GET /eval_1/runs/run_1",
        "GET /eval_1/runs/run_1",
        "GET /eval_1/runs/run_1/output_items",
        "DELETE /eval_1",
    ]
    assert all(seen.headers["authorization"] == "Bearer sk-test" for seen in server.seen)
    assert json.loads(server.seen[1].body) == {"name": "r"}


def test_all_pages_are_read_and_the_order_is_that_of_the_data():
    scrambled = [item(number, 0.5) for number in (4, 0, 3, 1, 2)]
    with serve(Hosted(*scrambled, page=2)) as server:
        found = evaluated(server)

    assert [i.datasource_item_id for i in found] == [0, 1, 2, 3, 4]
    assert deeds(server)[3:6] == [
        "GET /eval_1/runs/run_1/output_items",
        "GET /eval_1/runs/run_1/output_items?after=item_0",
        "GET /eval_1/runs/run_1/output_items?after=item_1",
    ]


def test_a_run_that_takes_too_long_is_cancelled_and_the_eval_deleted():
    time = FakeClock()
    with (
        serve(Hosted(statuses=["in_progress"])) as server,
        pytest.raises(EvaluatorError, match="did not end within 5 s; raise 'timeout'"),
    ):
        evaluated(server, timeout=5, time=time)

    assert time.time <= 5
    assert deeds(server)[-2:] == ["POST /eval_1/runs/run_1", "DELETE /eval_1"]


@pytest.mark.parametrize("status", ["failed", "canceled"])
def test_a_run_that_fails_says_why_and_the_eval_is_deleted(status):
    hosted = Hosted(statuses=[status])
    hosted.run["error"] = {"code": "x", "message": "boom\x1b[2J"}
    with (
        serve(hosted) as server,
        pytest.raises(EvaluatorError, match=rf"the eval run ended as '{status}': boom \[2J"),
    ):
        evaluated(server)

    assert deeds(server)[-1] == "DELETE /eval_1"


def test_what_is_refused_is_quoted_without_the_key():
    refused = as_json({"error": {"message": "bad grader for sk-test"}}, 400)
    with (
        serve(Hosted(create=refused)) as server,
        pytest.raises(
            EvaluatorError, match=r"refuses to create the eval \(400\): bad grader for …"
        ),
    ):
        evaluated(server)

    assert deeds(server) == ["POST "]


def test_a_busy_api_is_asked_three_times():
    with (
        serve(Hosted(create=reply(429))) as server,
        pytest.raises(UnavailableError, match=r"answered 429 \(3 tries\)"),
    ):
        evaluated(server)

    assert len(server.seen) == 3


def test_an_address_that_is_something_else():
    with (
        serve(Hosted(create=reply(200, b"<html>"))) as server,
        pytest.raises(UnavailableError, match="not of the Evals API; check OPENAI_BASE_URL"),
    ):
        evaluated(server)


def test_an_eval_that_cannot_be_deleted_costs_no_result(caplog):
    with serve(Hosted(item(0, 1.0), delete=reply(404))) as server, caplog.at_level(logging.WARNING):
        assert len(evaluated(server)) == 1

    assert "left behind at the Evals API: /evals/eval_1: answered 404" in caplog.text


def test_an_api_that_is_gone_when_tidying_up_costs_no_result(caplog):
    with serve(Hosted(item(0, 1.0), delete=reply(500))) as server, caplog.at_level(logging.WARNING):
        assert len(evaluated(server)) == 1

    assert "left behind" in caplog.text


def test_ids_are_not_taken_for_paths():
    hosted = Hosted(create=as_json({"id": "../models"}, 201))
    with serve(lambda seen: hosted.create("") if "%2F" in seen.path else hosted(seen)) as server:
        api = EvalsAPI(120, environ(server), FakeClock().clock)
        with api.evaluation({}):
            pass

    assert deeds(server)[-1] == "DELETE /..%2Fmodels"


def test_pages_without_end_come_to_an_end():
    endless = as_json({"data": [], "has_more": True, "last_id": None})
    with serve(Hosted(list=endless)) as server:
        assert evaluated(server) == []


def test_a_missing_key_says_where_it_belongs():
    with pytest.raises(InputError, match="environment variable OPENAI_API_KEY"):
        EvalsAPI(120, {}, FakeClock().clock)
