import pytest

from agentevals.github.events import EVENTS
from tests.github.events.reading import BASE, HEAD, ON_MAIN, part, payload


def test_the_group_is_compared_with_what_it_stands_on():
    found = part("merge_group", "merge_group")

    assert (found["head_sha"], found["base_sha"], found["base_ref"]) == (HEAD, BASE, "main")
    assert found["head_ref"] == f"gh-readonly-queue/main/pr-12-{BASE}"


@pytest.mark.parametrize("name", ["merge_group", "merge_group_several"])
def test_no_pull_request_is_asked_for_or_commented_on(name):
    assert not part("merge_group", name).keys() & {"number", "wants"}


def test_a_base_branch_may_have_slashes():
    nested = payload("merge_group")
    nested["merge_group"]["base_ref"] = "refs/heads/release/1.x"

    assert EVENTS["merge_group"](nested, ON_MAIN)["base_ref"] == "release/1.x"


def test_a_group_that_was_dissolved_is_refused():
    assert "dissolved" in part("merge_group", "merge_group_destroyed")["refusal"]
