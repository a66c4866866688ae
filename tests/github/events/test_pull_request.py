import pytest

from agentevals.github.events import EVENTS, PayloadError, Want
from tests.github.events.reading import BASE, HEAD, ON_MAIN, part, payload


def test_the_head_is_that_of_the_pull_request_and_not_what_was_checked_out():
    found = part("pull_request", "pull_request")

    assert found == {
        "number": 12,
        "author": "alice",
        "head_sha": HEAD,
        "head_ref": "units",
        "head_repository": "weather/agent",
        "base_sha": BASE,
        "base_ref": "main",
        "fork": False,
        "dependabot": False,
        "draft": False,
        "closed": False,
        "conflict": False,
        "refusal": "",
        "wants": (Want.MERGE_BASE,),
    }


@pytest.mark.parametrize(
    ("name", "differences"),
    [
        ("pull_request_fork", {"fork": True, "head_repository": "somebody/agent"}),
        ("pull_request_deleted_fork", {"fork": True, "head_repository": None}),
        ("pull_request_dependabot", {"fork": False, "dependabot": True}),
        ("pull_request_draft", {"draft": True, "refusal": ""}),
        ("pull_request_closed", {"closed": True, "refusal": "the pull request #12 is closed"}),
    ],
)
def test_what_is_particular_about_a_pull_request_is_told(name, differences):
    assert part("pull_request", name).items() >= differences.items()


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("number",), "12", "at pull_request.number: expected 'int', got 'str'"),
        (("number",), 0, "at pull_request.number: expected 'int' >= 1"),
        (("head", "sha"), "main", "at pull_request.head.sha: expected 'str' matching regex"),
        (("head",), None, "at pull_request.head: expected 'object', got 'null'"),
        (("base",), {}, "at pull_request.base: object missing required field 'ref'"),
    ],
)
def test_a_payload_that_is_malformed_is_blamed_with_the_place(place, value, said):
    broken = payload("pull_request")
    *above, key = place
    target = broken["pull_request"]
    for step in above:
        target = target[step]
    target[key] = value

    with pytest.raises(PayloadError, match=said):
        EVENTS["pull_request"](broken, ON_MAIN)


@pytest.mark.parametrize("tail", ["\n", "/../x", "?"])
def test_nothing_follows_a_commit_id(tail):
    broken = payload("pull_request")
    broken["pull_request"]["head"]["sha"] += tail

    with pytest.raises(PayloadError, match="matching regex"):
        EVENTS["pull_request"](broken, ON_MAIN)


def test_the_pull_request_is_the_same_and_the_run_is_privileged():
    found = part("pull_request_target", "pull_request_target")

    assert (found["number"], found["head_sha"], found["base_sha"]) == (13, HEAD, BASE)
    assert (found["privileged"], found["fork"]) == (True, True)


def test_a_conflict_is_told():
    assert part("pull_request_target", "pull_request_target_conflict")["conflict"] is True


def test_an_ordinary_pull_request_is_not_privileged():
    assert "privileged" not in part("pull_request", "pull_request")
