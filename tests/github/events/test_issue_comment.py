import pytest

from agentevals.github.events import EVENTS, TriggerComment, Want
from tests.github.events.reading import ON_MAIN, part, payload


def test_a_comment_of_a_member_below_a_pull_request_is_obeyed():
    found = part("issue_comment", "issue_comment")

    assert (found["number"], found["refusal"], found["privileged"]) == (12, "", True)


def test_the_head_and_the_base_must_be_asked_for():
    found = part("issue_comment", "issue_comment")

    assert found["wants"] == (Want.PULL, Want.MERGE_BASE)
    assert "head_sha" not in found


def test_of_the_text_only_the_first_line_is_kept():
    assert part("issue_comment", "issue_comment")["comment"] == TriggerComment(
        comment_id=8801,
        author="bob",
        author_association="MEMBER",
        first_line="/eval",
        created_at="2026-03-01T10:00:00Z",
    )


@pytest.mark.parametrize(
    ("text", "commit"),
    [
        ("/eval 1a2b3c4", "1a2b3c4"),
        ("/eval " + "4d" * 20 + " please", "4d" * 20),
        ("/eval", ""),
        ("/eval 1A2B3C4", "1a2b3c4"),
        ("/eval 1234567", "1234567"),
        ("/eval abcdefa", "abcdefa"),
        ("/eval 1234567.", ""),
        ("/eval on 20260301", ""),
        ("/eval the effaced facade", ""),
        ("/eval 1a2b3", ""),
        ("/eval x1a2b3c4d", ""),
        ("/eval\n1a2b3c4", ""),
    ],
)
def test_a_comment_may_name_the_commit_that_it_is_about(text, commit):
    written = payload("issue_comment")
    written["comment"]["body"] = text

    assert EVENTS["issue_comment"](written, ON_MAIN)["comment"].commit == commit


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("issue_comment_on_issue", "#12 is an issue, not a pull request"),
        ("issue_comment_by_stranger", "the author of the comment is CONTRIBUTOR here"),
        ("issue_comment_edited", "the comment was edited; only new comments are obeyed"),
        ("issue_comment_on_closed", "the pull request #12 is closed"),
    ],
)
def test_a_comment_that_must_not_be_obeyed_says_why(name, said):
    assert part("issue_comment", name)["refusal"].startswith(said)


def test_a_comment_of_the_action_itself_starts_nothing():
    """With the token of a person its author may push, and each answer would start a run."""
    written = payload("issue_comment")
    written["comment"]["body"] = "<!-- agentevals:v1 key=agentevals -->\n> [!TIP]"

    assert "of this action itself" in EVENTS["issue_comment"](written, ON_MAIN)["refusal"]


@pytest.mark.parametrize("association", ["OWNER", "MEMBER", "COLLABORATOR"])
def test_people_who_may_push_are_obeyed(association):
    written = payload("issue_comment")
    written["comment"]["author_association"] = association

    assert EVENTS["issue_comment"](written, ON_MAIN)["refusal"] == ""


@pytest.mark.parametrize("association", ["NONE", "FIRST_TIMER", "MANNEQUIN", "owner", ""])
def test_nobody_else_is(association):
    written = payload("issue_comment")
    written["comment"]["author_association"] = association

    assert EVENTS["issue_comment"](written, ON_MAIN)["refusal"] != ""
