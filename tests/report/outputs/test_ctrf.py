import json
import uuid

import jsonschema
import msgspec
import pytest

from agentevals.model.results import Verdict
from agentevals.report.outputs.ctrf import render
from tests.report.outputs import official
from tests.report.outputs.reports import HOSTILE
from tests.report.outputs.samples import OBEYED, REVIEWS, SCENE, accepted, infected, review, texts


def document(found):
    return json.loads("".join(render(found)))


def listed(found):
    return document(found)["results"]["tests"]


def test_a_review_as_other_tools_read_it(golden):
    golden("exports/ctrf.json", "".join(render(REVIEWS["small"])))


@pytest.mark.parametrize("name", REVIEWS)
def test_every_review_is_what_the_format_asks_for(name):
    found = jsonschema.Draft7Validator(official.schema("ctrf")).iter_errors(document(REVIEWS[name]))

    assert [error.message for error in found] == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_it_still_is_whatever_the_texts_say(text):
    written = document(infected(REVIEWS["several"], text[:3_000]))

    found = jsonschema.Draft7Validator(official.schema("ctrf")).iter_errors(written)
    assert [error.message[:200] for error in found] == []


@pytest.mark.parametrize("name", REVIEWS)
def test_the_summary_counts_the_tests(name):
    results = document(REVIEWS[name])["results"]
    statuses = [test["status"] for test in results["tests"]]
    summary = results["summary"]

    assert summary["tests"] == len(statuses)
    assert {s: summary[s] for s in ("passed", "failed", "skipped", "pending", "other")} == {
        s: statuses.count(s) for s in ("passed", "failed", "skipped", "pending", "other")
    }


@pytest.mark.parametrize("name", [n for n, r in REVIEWS.items() if r.verdict is Verdict.FAIL])
def test_a_review_that_fails_has_a_failed_test(name):
    assert document(REVIEWS[name])["results"]["summary"]["failed"]


def test_a_test_says_what_failed_and_where():
    found = next(
        test
        for test in listed(REVIEWS["failed"])
        if test["name"] == "umbrella: response_match_score"
    )
    del found["id"]

    assert found == {
        "name": "umbrella: response_match_score",
        "status": "failed",
        "duration": 12,
        "suite": ["evals/eval_config.yaml", "umbrella"],
        "rawStatus": "FAILED",
        "message": "scored 0.3127, needs 0.50",
        "trace": "scored 0.3127, needs 0.50\nturn 1 shares 2 of 10 words",
        "filePath": "traces/weather.jsonl",
        "line": 41,
        "extra": {"score": 0.3127, "threshold": 0.5, "change": "regressed"},
    }


def test_an_error_is_a_failure_that_says_that_it_was_none():
    found = next(t for t in listed(REVIEWS["failed"]) if t["name"] == "order: politeness")

    assert (found["status"], found["rawStatus"]) == ("failed", "ERROR")


def test_a_flaky_case_is_called_so():
    flaky = {test["suite"][-1] for test in listed(REVIEWS["flaky"]) if test.get("flaky")}

    assert flaky == {"order"}


def test_ids_are_uuids_that_stay_and_that_no_two_tests_share():
    first, second = ([t["id"] for t in listed(REVIEWS["several"])] for _ in range(2))

    assert first == second
    assert len({uuid.UUID(found) for found in first}) == len(first)


def test_what_somebody_answers_for_is_skipped():
    statuses = {test["status"] for test in listed(accepted())}

    assert statuses == {"skipped"}


@pytest.mark.parametrize(
    ("made_at", "start"),
    [
        ("2026-11-18T12:00:00+00:00", 1_795_003_200_000),
        ("2026-11-18T12:00:00Z", 1_795_003_200_000),
        ("2026-11-18T12:00:00", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_the_start_is_when_the_review_was_made(made_at, start):
    made = review(scene=msgspec.structs.replace(SCENE, made_at=made_at))

    assert document(made)["results"]["summary"]["start"] == start


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_is_obeyed_by_who_prints_it(text):
    written = "".join(render(infected(REVIEWS["several"], text)))

    assert written.isascii()
    assert "##[" not in written
    for found in texts(json.loads(written)):
        assert not OBEYED.search(found)
