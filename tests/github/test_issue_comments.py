import threading
from dataclasses import replace

import pytest

from agentevals.github.api import Api
from agentevals.github.api_calls import InvalidError, PermissionMissingError
from agentevals.github.issue_comments import Comments, Mode, Text, publish
from agentevals.model.errors import UnavailableError
from tests.github.clocks import VirtualTime
from tests.stand_in.faults import Fault

MARKER = "<!-- agentevals:1 key=evals -->"


def section(name, words="1"):
    """What one job has to say: a line of its own among those of the others."""

    def merge(current):
        others = [line for line in (current or MARKER).splitlines() if not line.startswith(name)]
        return "\n".join([others[0], *sorted([*others[1:], f"{name}: {words}"])])

    def contains(body):
        return f"{name}: {words}" in body.splitlines()

    return Text(merge=merge, contains=contains, is_current=contains)


@pytest.fixture
def comments(api):
    return Comments(api=api, repository="o/r", number=7, marker=MARKER)


def bodies(stand_in):
    return [comment.body for comment in stand_in.world.repository().comments_on(7)]


def alone(comments, text, mode=Mode.UPDATE):
    return publish(comments, text, mode, shared=False)


@pytest.mark.parametrize("shared", [True, False])
def test_the_first_time_a_comment_appears(comments, stand_in, shared):
    published = publish(comments, section("a"), shared=shared)

    assert bodies(stand_in) == [f"{MARKER}\na: 1"]
    assert published.changed
    assert published.comment.html_url.endswith(f"#issuecomment-{published.comment.id}")


@pytest.mark.parametrize("shared", [True, False])
def test_after_that_it_is_changed_in_place(comments, stand_in, shared):
    first = publish(comments, section("a"), shared=shared)
    second = publish(comments, section("a", "2"), shared=shared)

    assert bodies(stand_in) == [f"{MARKER}\na: 2"]
    assert second.comment.id == first.comment.id


@pytest.mark.parametrize("shared", [True, False])
def test_nothing_is_written_where_nothing_changed(comments, stand_in, shared):
    publish(comments, section("a"), shared=shared)
    again = publish(comments, section("a"), shared=shared)

    assert not again.changed
    assert len(stand_in.requests("POST", "comments")) == 1
    assert stand_in.requests("PATCH") == []


def test_what_others_said_stays(comments, stand_in):
    alone(comments, section("b"))
    alone(comments, section("a"))

    assert bodies(stand_in) == [f"{MARKER}\na: 1\nb: 1"]


def test_a_forged_comment_is_left_alone(comments, stand_in):
    stand_in.world.comment(f"{MARKER}\nforged", author="mallory", app=False)
    alone(comments, section("a"))

    assert bodies(stand_in) == [f"{MARKER}\nforged", f"{MARKER}\na: 1"]


@pytest.mark.parametrize("shared", [True, False])
def test_duplicates_of_earlier_runs_go(comments, stand_in, shared):
    for words in ("a: 0", "b: 0", "c: 0"):
        stand_in.world.comment(f"{MARKER}\n{words}")
    publish(comments, section("a"), shared=shared)

    assert bodies(stand_in) == [f"{MARKER}\na: 1"]


def test_a_duplicate_that_cannot_be_removed_costs_nothing(comments, stand_in, caplog):
    for _ in range(2):
        stand_in.world.comment(f"{MARKER}\na: 0")
    stand_in.faults.append(Fault("DELETE", "comments", 500, times=9))
    published = alone(comments, section("a"))

    assert published.changed
    assert "stays as it is" in caplog.text


@pytest.mark.parametrize("shared", [True, False])
def test_a_comment_that_is_deleted_meanwhile_is_made_anew(comments, stand_in, shared):
    old = stand_in.world.comment(f"{MARKER}\na: 0")
    gone = Fault("PATCH", "", meanwhile=lambda w: w.repository().comments.pop(old.id))
    stand_in.faults.append(gone)
    publish(comments, section("a"), shared=shared)

    assert bodies(stand_in) == [f"{MARKER}\na: 1"]


@pytest.mark.parametrize("mode", [Mode.UPDATE, Mode.NEW, Mode.RECREATE, Mode.HIDE])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("after_effect", [True, False])
def test_a_post_that_was_lost_is_not_posted_twice(comments, stand_in, mode, shared, after_effect):
    stand_in.faults.append(Fault("POST", "comments", after_effect=after_effect))
    published = publish(comments, section("a"), mode, shared=shared)

    assert bodies(stand_in) == [f"{MARKER}\na: 1"]
    assert published.comment.id in stand_in.world.repository().comments


def test_recreating_leaves_one_at_the_end(comments, stand_in):
    talk = stand_in.world.comment("talk", author="someone", app=False)
    first = alone(comments, section("a"))
    second = alone(comments, section("a", "2"), Mode.RECREATE)

    assert bodies(stand_in) == [talk.body, f"{MARKER}\na: 2"]
    assert second.comment.id > first.comment.id


def test_a_new_one_each_time(comments, stand_in):
    for words in ("1", "2"):
        alone(comments, section("a", words), Mode.NEW)

    assert bodies(stand_in) == [f"{MARKER}\na: 1", f"{MARKER}\na: 2"]


def test_hiding_the_old_ones(comments, stand_in):
    for words in ("1", "2", "3"):
        alone(comments, section("a", words), Mode.HIDE)
    found = stand_in.world.repository().comments_on(7)

    assert [comment.minimized for comment in found] == ["OUTDATED", "OUTDATED", ""]
    assert len(stand_in.requests("POST", "graphql")) == 5  # twice who wrote it, three times hide


@pytest.mark.parametrize("mode", [Mode.NEW, Mode.RECREATE, Mode.HIDE])
@pytest.mark.parametrize("shared", [True, False])
def test_another_job_of_the_same_run_writes_into_the_comment_that_the_first_began(
    comments, stand_in, mode, shared
):
    old = stand_in.world.comment(f"{MARKER}\na: 0")
    for name in ("a", "b"):
        text = replace(section(name), is_current=lambda body: ": 1" in body)
        publish(comments, text, mode, shared=shared)
    left = [c for c in stand_in.world.repository().comments_on(7) if c is not old]

    assert [comment.body for comment in left] == [f"{MARKER}\na: 1\nb: 1"]
    assert [comment.minimized for comment in left] == [""]


@pytest.mark.parametrize("mode", [Mode.NEW, Mode.RECREATE, Mode.HIDE])
def test_what_a_newer_run_has_said_stays_as_it_is(comments, stand_in, mode):
    newer = stand_in.world.comment(f"{MARKER}\na: 9")
    text = replace(section("a"), contains=lambda body: "a: 9" in body)
    published = alone(comments, text, mode)

    assert (published.changed, published.comment.id) == (False, newer.id)
    assert bodies(stand_in) == [f"{MARKER}\na: 9"]


def test_no_comment_at_all(comments, stand_in):
    assert publish(comments, section("a"), Mode.OFF) is None
    assert stand_in.requests() == []


def test_a_token_that_may_only_read(comments, stand_in):
    stand_in.permissions = {"pull-requests": "read", "issues": "read"}

    with pytest.raises(PermissionMissingError):
        publish(comments, section("a"))


def test_a_comment_that_is_too_long_is_refused_by_github(comments):
    with pytest.raises(InvalidError, match="body is too long"):
        alone(comments, section("a", "x" * 70_000))


def test_who_was_overwritten_says_it_again(comments, stand_in, time):
    stand_in.world.comment(f"{MARKER}\nb: 0")

    def stale(world):
        """Another job has read the comment before us, and writes it after us."""
        world.repository().comments_on(7)[0].body = f"{MARKER}\nb: 1"

    stand_in.faults.append(Fault("GET", "issues/7/comments", skip=1, meanwhile=stale))
    publish(comments, section("a"))

    assert bodies(stand_in) == [f"{MARKER}\na: 1\nb: 1"]


def test_who_is_overwritten_each_time_gives_up(comments, stand_in):
    comment = stand_in.world.comment(f"{MARKER}\nb: 0")

    def stale(world):
        world.repository().comments[comment.id].body = f"{MARKER}\nb: 1"

    stand_in.faults.append(Fault("GET", "issues/7/comments", times=99, meanwhile=stale))

    with pytest.raises(UnavailableError, match="others changed it each time"):
        publish(comments, section("a"))


def test_a_write_that_had_to_wait_is_made_out_of_what_is_there_now(comments, stand_in):
    comment = stand_in.world.comment(f"{MARKER}\nb: 0")

    def others(world):
        world.repository().comments[comment.id].body = f"{MARKER}\nb: 1\nc: 1"

    stand_in.faults += [
        Fault("PATCH", "comments", 429, headers={"Retry-After": "30"}),
        Fault("GET", "issues/comments", skip=1, meanwhile=others),
    ]
    publish(comments, section("a"))

    assert bodies(stand_in) == [f"{MARKER}\na: 1\nb: 1\nc: 1"]


@pytest.mark.parametrize("there", [True, False], ids=["with a comment", "without one"])
@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_jobs_that_write_at_once_end_up_in_one_comment(stand_in, jobs, there):
    if there:
        stand_in.world.comment(f"{MARKER}\nz: 0")
    time = VirtualTime(jobs)
    names = [f"job{number}" for number in range(jobs)]
    start = threading.Barrier(jobs)
    failures = []

    def job(name):
        api = Api(
            url=stand_in.url,
            graphql_url=stand_in.graphql_url,
            token=stand_in.token,
            clock=time.clock,
        )
        comments = Comments(api=api, repository="o/r", number=7, marker=MARKER)
        start.wait()
        try:
            publish(comments, section(name))
        except UnavailableError as error:
            failures.append(error)
        finally:
            time.leave()

    threads = [threading.Thread(target=job, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    said = [f"{name}: 1" for name in names] + (["z: 0"] if there else [])
    assert failures == []
    assert bodies(stand_in) == ["\n".join([MARKER, *said])]
