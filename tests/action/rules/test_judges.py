"""Judges are asked about what differs, and not twice about what does not."""

import json

import pytest

from tests.action.test_step_judges import SAFETY, judged, judging, models, pinned


@pytest.fixture
def server():
    with judging() as server:
        yield server


def config(server, *evaluators, **judge):
    where = {"base_url": f"{server.url}/v1", "api_key_env": "OPENAI_API_KEY"}
    return judged(*evaluators, **where | judge)


@pytest.fixture
def job(job, monkeypatch):
    job.environ["OPENAI_API_KEY"] = "sk-of-the-step"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-step")
    return job.given(baseline="none")


def test_another_threshold_asks_no_question_again(job, server):
    strict, soft = (SAFETY | {"threshold": threshold} for threshold in (0.9, 0.1))

    done = job.pull_request(config(server, strict), config(server, soft)).run()

    questions = [json.loads(seen.body)["messages"] for seen in server.seen]
    assert done.report["rules"]["changes"][0]["what"] == "threshold 0.9 → 0.1"
    assert len(questions) == 4


def test_another_model_is_asked_beside_that_of_the_base(job, server):
    done = job.pull_request(config(server), config(server, model="judge-2")).run()

    assert models(server) == {"judge-1", "judge-2"}
    assert done.report["rules"]["changes"][0]["rule"] == "judge"


def test_a_judge_that_the_workflow_pins_is_no_change_of_rules(job, server, monkeypatch):
    pinned(job, server)
    job.environ["CORP_KEY"] = "key-of-the-company"
    monkeypatch.setenv("CORP_KEY", "key-of-the-company")

    done = job.pull_request(config(server), config(server, model="judge-2")).run()

    assert models(server) == {"corp-1"}
    assert "rules" not in done.report
