import pytest

from agentevals.github.events import EVENTS, SourceRun, Want
from tests.github.events.reading import BASE, HEAD, ON_MAIN, part, payload


def test_the_pull_request_whose_head_was_evaluated_is_taken():
    found = part("workflow_run", "workflow_run")

    assert (found["number"], found["base_ref"], found["base_sha"]) == (12, "main", BASE)
    assert found["wants"] == (Want.PULL, Want.MERGE_BASE)


def test_the_run_that_it_is_about_is_told():
    assert part("workflow_run", "workflow_run")["source"] == SourceRun(
        run_id=30433642,
        number=562,
        attempt=1,
        event="pull_request",
        conclusion="failure",
        workflow="agentevals",
        path=".github/workflows/agentevals.yml",
        head_sha=HEAD,
        head_branch="units",
        head_repository="weather/agent",
        head_repository_id=501,
        actor="alice",
    )


@pytest.mark.parametrize("name", ["workflow_run_fork", "workflow_run_deleted_fork"])
def test_the_pull_request_of_a_fork_must_be_asked_for(name):
    found = part("workflow_run", name)

    assert (found["fork"], found["head_sha"]) == (True, HEAD)
    assert "number" not in found
    assert found["wants"] == (Want.PULL_OF_BRANCH, Want.MERGE_BASE)


def test_a_pull_request_of_another_repository_is_not_taken():
    elsewhere = payload("workflow_run")
    elsewhere["workflow_run"]["pull_requests"][0]["base"]["repo"]["id"] = 999

    assert "number" not in EVENTS["workflow_run"](elsewhere, ON_MAIN)


def test_it_is_always_privileged():
    assert part("workflow_run", "workflow_run_push")["privileged"] is True


def test_a_push_to_the_default_branch_has_no_pull_request_to_ask_for():
    assert "wants" not in part("workflow_run", "workflow_run_push")


def test_a_push_to_another_branch_may_belong_to_a_pull_request():
    pushed = payload("workflow_run_push")
    pushed["workflow_run"]["head_branch"] = "units"

    wants = EVENTS["workflow_run"](pushed, ON_MAIN)["wants"]

    assert wants == (Want.PULL_OF_COMMIT, Want.MERGE_BASE)


def test_a_run_that_has_not_ended_is_refused_with_the_remedy():
    assert "types: [completed]" in part("workflow_run", "workflow_run_requested")["refusal"]
