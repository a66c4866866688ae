import pytest

from agentevals.github.events import Environment, Want
from tests.github.events.reading import BASE, CHECKED_OUT, HEAD, part

ASKS = (Want.PULL_OF_COMMIT, Want.MERGE_BASE)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("push", {"head_sha": HEAD, "base_sha": BASE, "is_base_run": True, "wants": ()}),
        ("push_branch", {"base_sha": BASE, "head_ref": "units", "base_ref": "main", "wants": ASKS}),
        ("push_new_branch", {"base_sha": None, "is_base_run": False, "wants": ASKS}),
        ("push_tag", {"head_ref": None, "base_sha": None, "is_base_run": False}),
        ("push_deleted_branch", {"head_sha": None, "is_base_run": False, "wants": ()}),
    ],
)
def test_what_was_pushed_and_what_was_there_before(name, expected):
    assert part("push", name).items() >= expected.items()


def test_a_deleted_branch_is_refused():
    assert part("push", "push_deleted_branch")["refusal"].startswith("the branch was deleted")


def test_a_protected_branch_makes_baselines_too():
    protected = Environment(sha=CHECKED_OUT, ref="refs/heads/units", ref_protected=True)

    assert part("push", "push_branch", protected)["is_base_run"] is True


def test_a_protected_tag_does_not():
    protected = Environment(sha=CHECKED_OUT, ref="refs/tags/v1.0.0", ref_protected=True)

    assert part("push", "push_tag", protected)["is_base_run"] is False
