import json
import re

import jsonschema
import msgspec
import pytest

from agentevals.model.cases import Status
from agentevals.model.outcome import Highlight, Kind, Place, Reason, Standing
from agentevals.model.results import Verdict
from agentevals.report.outputs.sarif import render
from tests.report.outputs import official
from tests.report.outputs.reports import HOSTILE
from tests.report.outputs.samples import (
    FULL,
    OBEYED,
    REGRESSED,
    REVIEWS,
    accepted,
    infected,
    review,
    section,
    texts,
)

PARTS = msgspec.structs.replace
NOW = Standing(verdict=Verdict.FAIL)


def document(found):
    return json.loads("".join(render(found)))


def results(found):
    return [result for run in document(found)["runs"] for result in run["results"]]


def alone(**more):
    """A review with one failing case that has this to say."""
    return review(section(highlights=(Highlight(**{"case_id": "c", "kind": Kind.FAILING} | more),)))


def because(text="it failed", evaluator="words", **more):
    return (Reason(**{"evaluator": evaluator, "status": Status.FAILED, "text": text} | more),)


@pytest.mark.parametrize("name", REVIEWS)
def test_every_review_is_what_the_format_asks_for(name):
    schema = official.schema("sarif")

    found = jsonschema.Draft4Validator(schema).iter_errors(document(REVIEWS[name]))
    assert [error.message for error in found] == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_it_still_is_whatever_the_texts_say(text):
    written = document(infected(REVIEWS["several"], text[:3_000]))

    found = jsonschema.Draft4Validator(official.schema("sarif")).iter_errors(written)
    assert [error.message[:200] for error in found] == []


def test_a_review_as_code_scanning_reads_it(golden):
    golden("exports/report.sarif", "".join(render(REVIEWS["small"])))


def test_a_rule_is_an_evaluator_and_says_where_it_is_configured():
    (run,) = document(REVIEWS["failed"])["runs"]
    rules = {rule["id"]: rule["properties"] for rule in run["tool"]["driver"]["rules"]}

    assert rules["tool_trajectory_avg_score"] == {"config": "evals/eval_config.yaml", "line": 18}
    assert rules["response_match_score"] == {"config": "evals/eval_config.yaml"}


def test_every_result_names_its_rule():
    (run,) = document(REVIEWS["failed"])["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]

    assert [rules[one["ruleIndex"]] for one in run["results"]] == [
        one["ruleId"] for one in run["results"]
    ]


def test_a_result_is_at_the_trace_and_points_to_the_rule():
    first = results(REVIEWS["failed"])[0]
    places = [first["locations"][0], first["relatedLocations"][0]]

    assert [place["physicalLocation"]["region"]["startLine"] for place in places] == [41, 18]


def test_without_a_trace_it_is_at_the_rule_and_without_a_rule_at_the_config():
    rule = Place(path="evals/a.yaml", line=3)
    found = [
        *results(alone(now=NOW, reasons=because(rule=rule))),
        *results(alone(now=NOW, reasons=because())),
    ]

    uris = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in found]
    assert uris == ["evals/a.yaml", "evals/eval_config.yaml"]
    assert "relatedLocations" not in found[0]


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "x" * 5_000])
def test_a_place_outside_of_the_repository_is_none(path):
    (found,) = results(alone(now=NOW, trace=Place(path=path, line=1)))

    uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "evals/eval_config.yaml"


def test_a_path_is_a_uri():
    (found,) = results(alone(now=NOW, trace=Place(path="javascript:a b#c?.jsonl", line=0)))

    assert found["locations"][0]["physicalLocation"] == {
        "artifactLocation": {
            "uri": "javascript%3Aa%20b%23c%3F.jsonl",
            "uriBaseId": "%SRCROOT%",
        }
    }


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        (Kind.REGRESSED, "new"),
        (Kind.ADDED, "new"),
        (Kind.CHANGED, "updated"),
        (Kind.BORDERLINE, "updated"),
        (Kind.FAILING, "unchanged"),
        (Kind.FLAKY, "unchanged"),
    ],
)
def test_the_baseline_state_is_what_became_of_the_case(kind, state):
    (found,) = results(alone(kind=kind, now=NOW))

    assert found["baselineState"] == state


def test_without_a_baseline_there_is_no_state():
    against = PARTS(FULL.against, state="no-baseline")
    found = results(review(PARTS(FULL, against=against)))

    assert [one for one in found if "baselineState" in one] == []


@pytest.mark.parametrize(
    ("more", "level"),
    [
        ({"now": NOW}, "error"),
        ({"now": NOW, "certain": False}, "warning"),
        ({"now": NOW, "reasons": because(status=Status.NOT_EVALUATED)}, "warning"),
        ({"now": Standing(verdict=Verdict.BORDERLINE)}, "note"),
    ],
)
def test_the_level_says_how_sure_and_how_bad(more, level):
    (found,) = results(alone(**more))

    assert found["level"] == level


@pytest.mark.parametrize(
    "found",
    [
        alone(kind=Kind.FIXED, now=Standing(verdict=Verdict.PASS)),
        alone(kind=Kind.REMOVED),
        accepted(),
    ],
    ids=["fixed", "removed", "accepted"],
)
def test_what_nobody_has_to_act_on_is_no_alert(found):
    assert results(found) == []


def test_an_acceptance_that_has_expired_is_an_alert_again():
    assert len(results(accepted(expired=True))) == 2


def test_a_fingerprint_stays_when_the_trace_moves():
    def print_of(highlight):
        return results(review(section(highlights=(highlight,))))[0]["partialFingerprints"]

    moved = PARTS(REGRESSED, trace=Place(path="traces/other.jsonl", line=9), kind=Kind.FAILING)
    assert print_of(moved) == print_of(REGRESSED)
    assert print_of(PARTS(REGRESSED, case_id="other")) != print_of(REGRESSED)


def test_no_two_results_share_a_fingerprint():
    prints = [
        one["partialFingerprints"]["agentevalsCase/v1"] for one in results(REVIEWS["several"])
    ]

    assert len(set(prints)) == len(prints)


def test_configs_replace_only_their_own_results():
    ids = [run["automationDetails"]["id"] for run in document(REVIEWS["several"])["runs"]]

    assert ids == [
        "agentevals/evals%2Feval_config.yaml/",
        "agentevals/evals%2Fother.yaml%20python%203.13/",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[click](https://evil.example)", "[click] (https://evil.example)"),
        (r"\[click](0)", r"\[click] (0)"),
        ("{0} and {city}", "{{0}} and {city}"),
        ("a\n::stop-commands::x", "a ::stop-commands::x"),
        ("##[error]x", "##(error]x"),
        ("\x1b[31mred", "\u241b[31mred"),
        ("\u202eright", "\\u{202e}right"),
    ],
)
def test_a_message_is_plain_text_to_whoever_shows_it(text, shown):
    (found,) = results(alone(now=NOW, reasons=because(text)))

    assert found["message"]["text"].endswith(f": {shown}")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_is_obeyed_by_who_reads_the_file_as_it_is(text):
    written = "".join(render(infected(REVIEWS["several"], text)))

    assert written.isascii()
    assert "##[" not in written
    assert len(written) < 500_000
    for found in texts(json.loads(written)):
        assert not OBEYED.search(found)


def test_no_message_holds_a_link():
    written = document(infected(REVIEWS["several"], "[a](b) ![a](b) [[a](b)](c)"))

    assert re.findall(r'"text": "[^"]*\]\(', json.dumps(written)) == []
