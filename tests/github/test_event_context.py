import json
import shutil

import pytest

from agentevals.github import event_context
from agentevals.github.event_context import Want
from agentevals.model.errors import InputError
from tests.github.events.reading import BASE, CHECKED_OUT, HEAD
from tests.support import DATA

EVENTS = DATA / "events"
SERVER = {
    "GITHUB_SERVER_URL": "https://server.example",
    "GITHUB_API_URL": "https://server.example/api/v3",
    "GITHUB_GRAPHQL_URL": "https://server.example/api/graphql",
}


def environment(event="pull_request", **more):
    return {
        **SERVER,
        "GITHUB_EVENT_NAME": event,
        "GITHUB_REPOSITORY": "weather/agent",
        "GITHUB_RUN_ID": "77",
        "GITHUB_RUN_NUMBER": "5",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_WORKFLOW": "evaluate",
        "GITHUB_JOB": "agents",
        "GITHUB_ACTOR": "alice",
        "GITHUB_SHA": CHECKED_OUT,
        "GITHUB_REF": "refs/heads/main",
    } | more


def read(event, name, **more):
    return event_context.read(environment(event, **more), EVENTS / f"{name}.json")


def test_commits_and_pull_request_come_out_of_the_payload():
    found = read("pull_request", "pull_request")

    assert (found.sha, found.head_sha, found.base_sha) == (CHECKED_OUT, HEAD, BASE)
    assert (found.number, found.wants) == (12, (Want.MERGE_BASE,))


def test_the_run_comes_out_of_the_environment():
    found = read("pull_request", "pull_request")

    assert found.run_url == "https://server.example/weather/agent/actions/runs/77"
    assert (found.run_number, found.run_attempt, found.workflow) == (5, 2, "evaluate")


def test_every_address_is_the_one_that_the_environment_gives():
    found = read("push", "push")

    assert found.api_url == "https://server.example/api/v3"
    assert found.graphql_url == "https://server.example/api/graphql"


def test_the_leg_of_a_matrix_has_a_name():
    found = read("push", "push", INPUT_MATRIX='{"python": 3.12, "os": "ubuntu"}')

    assert found.matrix == "3.12, ubuntu"


def test_what_is_wrong_with_an_input_is_said_elsewhere():
    assert read("push", "push", INPUT_MATRIX="[", INPUT_NUMBER="x").matrix == ""


def test_the_payload_is_found_where_the_runner_says():
    given = environment("push", GITHUB_EVENT_PATH=str(EVENTS / "push.json"))

    assert event_context.read(given).head_sha == HEAD


def test_outside_of_actions_there_is_no_event():
    found = event_context.read({})

    assert (found.event, found.head_sha, found.number, found.notice) == ("local", None, None, "")


@pytest.mark.parametrize(
    ("event", "name", "privileged"),
    [
        ("pull_request", "pull_request_fork", False),
        ("pull_request_target", "pull_request_target", True),
        ("workflow_run", "workflow_run_fork", True),
        ("issue_comment", "issue_comment", True),
        ("push", "push", False),
        ("merge_group", "merge_group", False),
        ("schedule", "schedule", False),
        ("workflow_dispatch", "workflow_dispatch", False),
        ("release", "release", False),
    ],
)
def test_a_run_is_privileged_where_others_can_start_it_with_our_rights(event, name, privileged):
    assert read(event, name).privileged is privileged


def test_an_event_that_is_not_known_is_said():
    found = read("release", "release")

    assert (found.event, found.head_sha) == ("release", CHECKED_OUT)
    assert found.notice.startswith("the event 'release' is not known")


def test_no_event_is_called_like_the_module_for_unknown_ones():
    assert read("other", "release").notice != ""


def test_dependabot_is_known_by_who_started_the_run():
    assert read("push", "push_branch", GITHUB_ACTOR="dependabot[bot]").dependabot is True


def test_an_input_may_name_the_pull_request():
    assert read("workflow_dispatch", "workflow_dispatch", INPUT_NUMBER="12").number == 12


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is no JSON object"),
        (b"{}", "at its top level: object missing required field 'pull_request'"),
        (b'{"pull_request": 1}', "at pull_request: expected 'object', got 'int'"),
        (b'{"repository": [], "pull_request": null}', "at pull_request: expected 'object'"),
    ],
)
def test_a_payload_that_cannot_be_read_is_a_sentence(tmp_path, content, said):
    path = tmp_path / "event.json"
    path.write_bytes(content)

    with pytest.raises(InputError, match=said):
        event_context.read(environment(), path)


@pytest.mark.parametrize(
    ("place", "said"),
    [("missing.json", "no such file"), (".", "is a directory")],
)
def test_a_payload_that_is_not_there_is_a_sentence(tmp_path, place, said):
    with pytest.raises(InputError, match=said):
        event_context.read(environment(), tmp_path / place)


def test_an_event_without_a_payload_is_a_sentence():
    with pytest.raises(InputError, match="GITHUB_EVENT_PATH is not"):
        event_context.read(environment())


def test_a_broken_text_in_a_payload_does_no_harm(tmp_path):
    payload = json.loads((EVENTS / "pull_request.json").read_text())
    payload["pull_request"]["body"] = "half \ud83d"
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))

    assert event_context.read(environment(), path).number == 12


@pytest.mark.parametrize("removed", ["number", "state", "head", "base"])
def test_whatever_is_missing_is_named(tmp_path, removed):
    path = tmp_path / "event.json"
    shutil.copy(EVENTS / "pull_request.json", path)
    payload = json.loads(path.read_text())
    del payload["pull_request"][removed]
    path.write_text(json.dumps(payload))

    with pytest.raises(InputError, match=f"missing required field '{removed}'"):
        event_context.read(environment(), path)


@pytest.mark.parametrize(
    ("repository", "private"),
    [
        ({"private": True, "visibility": "private"}, True),
        ({"private": True, "visibility": "internal"}, True),
        ({"visibility": "internal"}, True),
        ({"private": True}, True),
        ({"private": False}, False),
        ({"private": False, "visibility": "private"}, False),
        ({"private": True, "visibility": "public"}, False),
        ({"private": "yes", "visibility": 1}, None),
        ({}, None),
        ("text", None),
        (None, None),
    ],
)
def test_a_repository_is_private_only_where_the_event_says_so(tmp_path, repository, private):
    payload = json.loads((EVENTS / "pull_request.json").read_text()) | {"repository": repository}
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))

    assert event_context.read(environment(), path).private is private


def test_nobody_knows_who_sees_the_repository_of_a_schedule():
    assert read("schedule", "schedule").private is None


def test_half_of_a_surrogate_pair_in_a_text_becomes_a_question_mark(tmp_path):
    payload = json.loads((EVENTS / "pull_request.json").read_text())
    payload["pull_request"]["head"]["ref"] = "weather\ud83d"
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payload))

    assert event_context.read(environment(), event).head_ref == "weather?"
