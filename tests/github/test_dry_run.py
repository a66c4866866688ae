import pytest

from agentevals.github import check_runs
from agentevals.github.check_runs import CheckAnnotation, Ending, Output
from agentevals.github.dry_run import DryRunApi
from agentevals.github.issue_comments import Comments, Mode, Text, publish

MARKER = "<!-- agentevals:1 key=evals -->"
SHA = "a" * 40


@pytest.fixture
def shown():
    return []


@pytest.fixture
def rehearse(stand_in, time, shown):
    def rehearsal(token=stand_in.token):
        return DryRunApi(
            url=stand_in.url,
            graphql_url=stand_in.graphql_url,
            token=token,
            clock=time.clock,
            show=shown.append,
        )

    return rehearsal


def text(body=f"{MARKER}\nresult"):
    def says_it(now):
        return now == body

    return Text(merge=lambda current: body, contains=says_it, is_current=says_it)


def about(api):
    return Comments(api=api, repository="o/r", number=7, marker=MARKER)


def test_what_would_be_posted_is_shown_and_not_sent(rehearse, stand_in, shown):
    publish(about(rehearse()), text())

    assert shown == [
        'POST /repos/o/r/issues/7/comments {"body":"<!-- agentevals:1 key=evals -->\\nresult"}\n'
    ]
    assert [request.method for request in stand_in.requests()] == ["GET"]


def test_the_comment_that_is_there_would_be_changed(rehearse, stand_in, shown):
    ours = stand_in.world.comment(MARKER)
    publish(about(rehearse()), text())

    assert shown[-1].startswith(f"PATCH /repos/o/r/issues/comments/{ours.id} ")
    assert ours.body == MARKER


@pytest.mark.parametrize("mode", [Mode.NEW, Mode.RECREATE, Mode.HIDE])
def test_every_mode_can_be_rehearsed(rehearse, stand_in, mode):
    stand_in.world.comment(MARKER)
    publish(about(rehearse()), text(), mode)

    assert {request.method for request in stand_in.requests(holding="/repos")} == {"GET"}


def test_without_a_token_nothing_is_sent_at_all(rehearse, stand_in, shown):
    publish(about(rehearse(token="")), text())

    assert stand_in.requests() == []
    assert [line.split()[0] for line in shown] == ["GET", "POST"]


def test_check_runs_and_statuses(rehearse, stand_in, shown, time):
    remark = CheckAnnotation(
        path="a", start_line=1, end_line=1, annotation_level="notice", message="m"
    )
    ending = Ending(
        conclusion="failure", output=Output(title="t", summary="s"), annotations=(remark,) * 51
    )
    api = rehearse()
    begun = check_runs.start(api, "o/r", "evals", SHA, summary="s")
    check_runs.conclude(api, "o/r", begun, ending)
    status = check_runs.Status(state="success", context="evals", description="fine")
    check_runs.write_status(rehearse(), "o/r", SHA, status)

    assert stand_in.requests() == []
    assert [line.split()[0] for line in shown] == ["POST", "PATCH", "PATCH", "POST"]
    assert time.pauses == []


@pytest.mark.parametrize("hostile", ["\n::error::x", "##[error]x", "\x1b[31m", "\u202e"])
def test_nothing_in_a_request_is_obeyed_by_the_runner(rehearse, shown, hostile):
    publish(about(rehearse()), text(hostile))

    assert "##[" not in shown[-1]
    assert shown[-1].count("\n") == 1
    assert not set(shown[-1]) & {"\x1b", "\u202e"}


def test_the_token_is_not_shown(rehearse, stand_in, shown):
    publish(about(rehearse()), text())

    assert stand_in.token not in "".join(shown)
