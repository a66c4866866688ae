import pytest

from agentevals.github.events import EVENTS
from agentevals.github.events.parts import Want
from tests.github.events.reading import BASE, HEAD, ON_MAIN, part, payload


def test_the_group_is_compared_with_what_it_stands_on():
    found = part("merge_group", "merge_group")

    assert (found["head_sha"], found["base_sha"], found["base_ref"]) == (HEAD, BASE, "main")
    assert found["head_ref"] == f"gh-readonly-queue/main/pr-12-{BASE}"


def test_no_pull_request_is_commented_on():
    assert "number" not in part("merge_group", "merge_group")


def test_of_several_pull_requests_the_last_is_known_and_the_others_must_be_asked_for():
    found = part("merge_group", "merge_group_several")

    assert found["numbers"] == (15,)
    assert found["wants"] == (Want.PULLS_OF_GROUP,)


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/main",
        "refs/heads/gh-readonly-queue/main/pr-0-" + BASE,
        "refs/heads/gh-readonly-queue/main/pr-12-" + BASE + "\n",
        "refs/heads/x/gh-readonly-queue/main/pr-12-" + BASE,
    ],
)
def test_another_branch_names_no_pull_request(ref):
    strange = payload("merge_group")
    strange["merge_group"]["head_ref"] = ref

    assert EVENTS["merge_group"].read(strange, ON_MAIN)["numbers"] == ()


def test_a_base_branch_may_have_slashes():
    nested = payload("merge_group")
    nested["merge_group"]["head_ref"] = f"refs/heads/gh-readonly-queue/release/1.x/pr-7-{BASE}"

    assert EVENTS["merge_group"].read(nested, ON_MAIN)["numbers"] == (7,)


def test_a_group_that_was_dissolved_is_refused():
    assert "dissolved" in part("merge_group", "merge_group_destroyed")["refusal"]
