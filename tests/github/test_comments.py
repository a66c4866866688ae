import pytest

from agentevals.github.api_calls import LockedError, PermissionMissingError
from agentevals.github.issue_comments import Comments
from tests.stand_in.faults import Fault

MARKER = "<!-- agentevals:1 key=evals -->"
SOMEBODY = {"author": "mallory", "app": False}


@pytest.fixture
def comments(api):
    return Comments(api=api, repository="o/r", number=7, marker=MARKER)


def test_ours_is_found_behind_hundreds_of_others(comments, stand_in):
    for number in range(230):
        stand_in.world.comment(f"talk {number}", **SOMEBODY)
    ours = stand_in.world.comment(f"{MARKER}\nresult")

    assert [comment.id for comment in comments.list_own()] == [ours.id]


def test_somebody_elses_comment_with_our_marker_is_not_ours(comments, stand_in):
    stand_in.world.comment(f"{MARKER}\nforged", **SOMEBODY)
    ours = stand_in.world.comment(f"{MARKER}\nresult")

    assert [comment.id for comment in comments.list_own()] == [ours.id]


def test_a_comment_that_quotes_ours_is_another_one(comments, stand_in):
    stand_in.world.comment(f"The log of a build:\n{MARKER}\nresult")

    assert comments.list_own() == []


def test_our_comment_without_the_marker_is_another_one(comments, stand_in):
    stand_in.world.comment("<!-- agentevals:1 key=other -->\nresult")

    assert comments.list_own() == []


def test_the_oldest_comes_first(comments, stand_in):
    ids = [stand_in.world.comment(MARKER).id for _ in range(3)]

    assert [comment.id for comment in comments.list_own()] == ids


def test_a_token_of_another_account(comments, stand_in):
    stand_in.world.viewer = "octo-evals[bot]"
    stand_in.world.comment(MARKER)
    ours = stand_in.world.comment(MARKER, author="octo-evals[bot]")

    assert [comment.id for comment in comments.list_own()] == [ours.id]


@pytest.mark.parametrize(
    "author", ["github-actions", "github-actions-bot", "mallory", "GitHub-Actions[bot]"]
)
def test_without_graphql_the_name_decides(comments, stand_in, author):
    stand_in.faults.append(Fault("POST", "graphql", 404, times=9))
    stand_in.world.comment(MARKER, author=author, app=False)
    ours = stand_in.world.comment(MARKER)

    assert [comment.id for comment in comments.list_own()] == [ours.id]


def test_who_wrote_a_comment_is_asked_once(comments, stand_in):
    stand_in.world.comment(MARKER)
    comments.list_own()
    comments.list_own()

    assert len(stand_in.requests("POST", "graphql")) == 1


def test_hundreds_of_forgeries_are_asked_about_in_parts(comments, stand_in):
    for _ in range(205):
        stand_in.world.comment(MARKER, **SOMEBODY)

    assert comments.list_own() == []
    assert len(stand_in.requests("POST", "graphql")) == 3


def test_hiding(comments, stand_in):
    old = stand_in.world.comment(MARKER)
    hidden = stand_in.world.comment(MARKER, minimized="SPAM")
    for comment in comments.list_own():
        comments.hide(comment)

    assert (old.minimized, hidden.minimized) == ("OUTDATED", "SPAM")


def test_a_locked_conversation(comments, stand_in):
    stand_in.world.repository().locked.add(7)

    with pytest.raises(LockedError, match="refuses to write a comment"):
        comments.post(MARKER)


def test_comments_that_are_switched_off(comments, stand_in):
    stand_in.world.repository().issues = False

    with pytest.raises(LockedError, match="Issues are disabled"):
        comments.post(MARKER)


def test_a_token_that_may_only_read(comments, stand_in):
    stand_in.permissions = {"pull-requests": "read", "issues": "read"}

    with pytest.raises(PermissionMissingError) as caught:
        comments.post(MARKER)

    assert caught.value.permission == "pull-requests: write"


def test_whether_anything_may_be_written_is_tried_without_writing(comments, stand_in):
    comments.try_to_write()

    assert stand_in.world.repository().comments_on(7) == []


def test_who_may_not_write_is_told_when_it_is_tried(comments, stand_in):
    stand_in.permissions = {"pull-requests": "read", "issues": "read"}

    with pytest.raises(PermissionMissingError):
        comments.try_to_write()
