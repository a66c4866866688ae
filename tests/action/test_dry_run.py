"""A dry run: everything is evaluated and said, and nothing is sent."""

import pytest

from tests.action.job import agent
from tests.stand_in.answers import uploads


@pytest.fixture
def rehearsal(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    return job.given(dry_run="true", status="on").keeping_artifacts()


def shown(done):
    """The requests that the log tells of: method and place."""
    lines = [line.split(" ", 2) for line in done.log.splitlines()]
    return [(words[0], words[1]) for words in lines if words[0] in {"POST", "PATCH", "DELETE"}]


def test_the_exit_code_and_the_outputs_are_as_usual(rehearsal):
    done = rehearsal.run()

    assert (done.code, done.outputs["verdict"], done.outputs["regressed"]) == (1, "failed", "1")
    assert "Not ready to merge" in done.summary
    assert (done.folder / "report.json").is_file()


def test_nothing_is_written(rehearsal):
    rehearsal.run()

    requests = rehearsal.github.requests()
    assert {request.method for request in requests if request.path != "/graphql"} == {"GET"}
    assert [request for request in requests if b"mutation" in request.body] == []
    assert (rehearsal.comments, rehearsal.place.checks, rehearsal.place.statuses) == ([], {}, [])
    assert rehearsal.world.uploads == {}
    assert rehearsal.time.pauses == []


def test_every_request_is_shown_with_what_it_would_say(rehearsal):
    done = rehearsal.run()
    place = "/repos/weather/agent"

    assert shown(done) == [
        ("POST", f"{place}/issues/12/comments"),
        ("POST", f"{place}/check-runs"),
        ("POST", f"{place}/statuses/{rehearsal.head}"),
        ("POST", f"{place}/issues/12/comments"),
        ("PATCH", f"{place}/check-runs/0"),
        ("POST", f"{place}/statuses/{rehearsal.head}"),
    ]
    assert "**Not ready to merge: 1 of 4 cases failed.**" in done.log
    assert '"annotation_level":"failure"' in done.log
    assert '"state":"pending"' in done.log
    assert "8 files would be kept as artifact 'agentevals-agentevals-evals'" in done.log


@pytest.mark.parametrize("mode", ["recreate", "hide"])
def test_what_would_become_of_the_older_comment_is_shown_as_well(rehearsal, mode):
    rehearsal.given(dry_run="false", comment=mode).run()
    (number,) = rehearsal.place.comments
    rehearsal.environ["GITHUB_RUN_NUMBER"] = "563"
    done = rehearsal.given(dry_run="true").run()
    deed = {
        "recreate": ("DELETE", f"/repos/weather/agent/issues/comments/{number}"),
        "hide": ("POST", "/graphql"),
    }

    assert deed[mode] in shown(done)
    assert len(rehearsal.comments) == 1


def test_without_a_token_it_is_shown_all_the_same(rehearsal):
    done = rehearsal.given(github_token="").run()

    assert done.code == 1
    assert rehearsal.github.requests() == []
    assert ("POST", "/repos/weather/agent/issues/12/comments") in shown(done)


def test_the_token_is_in_nothing_that_is_shown(rehearsal):
    done = rehearsal.run()
    told = [line for line in done.log.splitlines() if not line.startswith("::add-mask::")]

    assert not [line for line in told if rehearsal.github.token in line]
    assert not [line for line in told if uploads.runtime_token() in line]
