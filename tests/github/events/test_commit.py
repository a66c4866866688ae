from agentevals.github.events import Environment, Want
from tests.github.events.reading import CHECKED_OUT, part


def test_a_payload_without_a_repository_is_enough():
    assert part("schedule", "schedule") == {
        "head_sha": CHECKED_OUT,
        "head_ref": "main",
        "base_ref": "main",
        "is_base_run": True,
    }


def test_what_is_checked_out_is_evaluated_and_compared_with_the_run_before():
    found = part("workflow_dispatch", "workflow_dispatch")

    assert (found["head_sha"], found["number"], found["is_base_run"]) == (CHECKED_OUT, None, True)
    assert found["wants"] == ()


def test_a_pull_request_that_an_input_names_must_be_asked_for():
    environment = Environment(sha=CHECKED_OUT, ref="refs/heads/main", number=12)

    found = part("workflow_dispatch", "workflow_dispatch", environment)

    assert (found["number"], found["is_base_run"]) == (12, False)
    assert found["wants"] == (Want.PULL,)


def test_another_branch_makes_no_baseline():
    environment = Environment(sha=CHECKED_OUT, ref="refs/heads/units")

    assert part("workflow_dispatch", "workflow_dispatch", environment)["is_base_run"] is False


def test_what_is_checked_out_is_evaluated():
    environment = Environment(sha=CHECKED_OUT, ref="refs/tags/v1.0.0")

    assert part("other", "release", environment) == {
        "head_sha": CHECKED_OUT,
        "head_ref": None,
        "number": None,
    }
