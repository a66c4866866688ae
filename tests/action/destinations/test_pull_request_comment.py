"""The comment on the pull request, from its first word to the last, whatever comes in between."""

import pytest

from agentevals.github.issue_comments import ACTIONS
from agentevals.report.pages import comment_page
from tests.action.job import agent
from tests.github.clocks import START
from tests.stand_in.faults import Fault, rate_limited, slow_down

FAILED = "> **Not ready to merge: 1 of 4 cases failed.**"
PASSED = "> **Ready to merge"
RUNNING = "> **The evaluation is running.**"


@pytest.fixture
def regression(job):
    return job.pull_request(agent(), agent(failing=["paris"])).given(check="off")


def written(job):
    """All bodies that were sent, in order."""
    requests = [r for r in job.github.requests() if r.method in {"POST", "PATCH"}]
    return [r.document["body"] for r in requests if "/comments" in r.target]


def pushed_again(job, failing=(), number="563"):
    """A newer push to the same branch: another head, and the next run."""
    files = agent(failing=failing)
    files["eval_set.json"] += "\n"  # a change that has it evaluated
    job.head = job.origin.commit(files, on=job.head)
    job.on("pull_request", job.head, job.base).known().checkout(job.head)
    return in_run(job, number)


def in_run(job, number, attempt="1"):
    job.environ |= {"GITHUB_RUN_NUMBER": number, "GITHUB_RUN_ATTEMPT": attempt}
    job.environ["GITHUB_RUN_ID"] = f"7000{number}"
    return job


def test_it_says_first_that_it_runs_and_then_how_it_ended(regression):
    done = regression.run()
    first, last = written(regression)

    assert RUNNING in first
    assert FAILED in last
    assert regression.comments == [last]
    assert done.outputs["comment-url"].endswith(
        f"/pull/12#issuecomment-{min(regression.place.comments)}"
    )


@pytest.mark.recorded
def test_the_next_push_changes_it_in_place(regression):
    regression.run()
    (first,) = regression.place.comments
    pushed_again(regression).run()

    assert list(regression.place.comments) == [first]
    assert PASSED in regression.comments[0]
    assert "paris" not in regression.comments[0]


MODES = {
    "update": ([PASSED], [""]),
    "recreate": ([PASSED], [""]),
    "new": ([FAILED, PASSED], ["", ""]),
    "hide": ([FAILED, PASSED], ["OUTDATED", ""]),
    "off": ([], []),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.recorded
def test_what_becomes_of_the_comment_of_an_earlier_push(regression, mode):
    talk = regression.world.comment("Looks good", 12, "weather/agent", author="bob", app=False)
    regression.given(comment=mode).run()
    done = pushed_again(regression).run()
    left = [c for c in regression.place.comments_on(12) if c is not talk]
    said, hidden = MODES[mode]

    assert [words in c.body for words, c in zip(said, left, strict=True)] == [True] * len(said)
    assert [c.minimized for c in left] == hidden
    assert ("comment-url" in done.outputs) is (mode != "off")
    assert talk.body == "Looks good"


@pytest.mark.parametrize("mode", ["new", "hide", "recreate"])
def test_running_again_does_not_begin_another(regression, mode):
    regression.given(comment=mode).run()
    in_run(regression, "562", attempt="2").run()

    assert len(regression.comments) == 1


def test_recreating_moves_it_to_the_end_of_the_conversation(regression):
    regression.given(comment="recreate").run()
    talk = regression.world.comment("Looks good", 12, "weather/agent", author="bob", app=False)
    pushed_again(regression).run()

    assert [c.id < talk.id for c in regression.place.comments_on(12)] == [False, False]


def test_another_key_is_another_comment(regression):
    regression.run()
    regression.given(comment_key="nightly").run()
    regression.given(comment_key="").run()

    assert [body.splitlines()[0] for body in regression.comments] == [
        comment_page.marker("agentevals"),
        comment_page.marker("nightly"),
    ]


@pytest.mark.parametrize("mode", ["update", "recreate", "new", "hide"])
def test_a_run_that_was_overtaken_leaves_the_comment_to_the_newer_one(regression, mode):
    regression.given(comment=mode)
    older = dict(regression.environ)
    pushed_again(regression).run()
    before = regression.comments
    regression.environ |= {name: older[name] for name in ("GITHUB_RUN_NUMBER", "GITHUB_RUN_ID")}
    done = regression.run()

    assert regression.comments == before
    assert "comment: a newer run has written it, so it stays as it is" in done.said("notice")
    assert "was overtaken by a newer one, which has the comment" in done.summary
    assert done.code == 0


def test_it_is_found_behind_a_hundred_others(regression):
    for number in range(150):
        regression.world.comment(f"{number}", 12, "weather/agent", author="bob", app=False)
    regression.run()
    for number in range(150):
        regression.world.comment(f"{number}", 12, "weather/agent", author="bob", app=False)
    pushed_again(regression).run()

    assert len([body for body in regression.comments if "agentevals" in body]) == 1


@pytest.mark.parametrize("author", ["mallory", "github-actions", "github-actions[bot]x"])
def test_a_marker_that_somebody_else_wrote_is_not_ours(regression, author):
    forged = f"{comment_page.marker('agentevals')}\n> [!TIP]\n> **Ready to merge**"
    regression.world.comment(forged, 12, "weather/agent", author=author, app=False)
    regression.run()
    theirs, ours = regression.comments

    assert theirs == forged
    assert FAILED in ours


@pytest.mark.recorded
def test_where_nobody_says_who_wrote_it_the_name_of_the_app_counts(regression):
    regression.github.faults.append(Fault("POST", "/graphql", 502, times=99))
    regression.run()
    pushed_again(regression).run()

    assert [c.author for c in regression.place.comments_on(12)] == [ACTIONS]
    assert PASSED in regression.comments[0]


def test_a_comment_that_is_deleted_meanwhile_is_made_anew(regression):
    regression.github.faults.append(
        Fault("PATCH", "/comments/", meanwhile=lambda _: regression.place.comments.clear())
    )
    done = regression.run()

    assert done.said("warning") == []
    assert [FAILED in body for body in regression.comments] == [True]


@pytest.mark.parametrize("mode", ["update", "recreate", "new", "hide"])
@pytest.mark.parametrize("after_effect", [True, False], ids=["done", "not done"])
def test_a_comment_whose_answer_was_lost_is_not_posted_twice(regression, mode, after_effect):
    skip = 0 if mode == "update" else 1  # the first one tries whether it may
    lost = Fault("POST", "/issues/12/comments", after_effect=after_effect, skip=skip)
    regression.github.faults.append(lost)
    done = regression.given(comment=mode).run()

    assert [FAILED in body for body in regression.comments] == [True]
    assert done.said("warning") == []


def test_what_somebody_edited_by_hand_is_written_anew(regression):
    regression.run()
    for comment in regression.place.comments.values():
        comment.body = comment.body.replace("Not ready", "Surely ready").replace("agentevals:s", "")
    in_run(regression, "562", attempt="2").run()

    assert [FAILED in body for body in regression.comments] == [True]


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (410, {"message": "Issues are disabled for this repo"}, "Issues are disabled"),
        (403, {"message": "Unable to create comment because issue is locked."}, "is locked"),
    ],
)
def test_a_conversation_that_is_closed_to_comments_costs_the_comment_only(
    regression, status, body, said
):
    regression.github.faults.append(Fault("POST", "/comments", status, body, times=9))
    done = regression.run()
    (warning,) = done.said("warning")

    assert (done.code, regression.comments) == (1, [])
    assert warning.startswith("comment: GitHub refuses to write a comment")
    assert said in warning


def too_long(times):
    body = {"message": "Validation Failed", "errors": [{"message": "body is too long"}]}
    return Fault("PATCH", "/issues/comments/", 422, body, times=times)


def many(count, failing):
    cases = [f"case-{'x' * 60}-{number}" for number in range(count)]
    return agent(failing=cases if failing else (), cases=cases)


@pytest.mark.parametrize("times", [1, 2])
def test_a_body_that_is_too_long_after_all_is_written_again_shorter(job, times):
    job.pull_request(many(60, failing=False), many(60, failing=True)).given(check="off")
    job.github.faults.append(too_long(times))
    done = job.run()
    lengths = [len(body) for body in written(job)[1:]]

    assert "**Not ready to merge: all 60 cases failed.**" in job.comments[0]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] <= 65_536 // 2 ** (2 * times - 1)
    assert len([text for text in done.said("notice") if "written again, shorter" in text]) == times


def test_a_body_that_is_never_accepted_costs_the_comment_only(regression):
    regression.github.faults.append(too_long(99))
    done = regression.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert "body is too long" in done.said("warning")[-1]


LIMITS = {
    "retry-after": (lambda: slow_down("PATCH", "/comments/", retry_after="30"), 30.0),
    "a minute at least": (lambda: slow_down("PATCH", "/comments/"), 60.0),
    "429": (lambda: Fault("PATCH", "/comments/", 429, headers={"Retry-After": "7"}), 7.0),
    "until the reset": (lambda: rate_limited("GET", "/comments", reset=int(START) + 40), 41.0),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_github_is_given_the_time_it_asks_for(regression, limit):
    fault, pause = LIMITS[limit]
    regression.github.faults.append(fault())
    done = regression.run()

    assert pause in regression.time.pauses
    assert [FAILED in body for body in regression.comments] == [True]
    assert done.said("warning") == []


def test_where_github_asks_for_more_time_than_there_is_the_verdict_stands(regression):
    regression.github.faults.append(slow_down("POST", "/comments", retry_after="4000", times=9))
    done = regression.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert max(regression.time.pauses) <= 300
    assert "run the job again later" in done.said("warning")[0]


def test_a_second_workflow_has_a_comment_of_its_own(regression):
    regression.run()
    regression.environ["GITHUB_WORKFLOW"] = "other evals"
    regression.run()

    assert len(regression.comments) == 2


def test_two_jobs_of_one_workflow_have_a_section_each(regression):
    regression.run()
    regression.environ["GITHUB_JOB"] = "more-evals"
    regression.run()
    (body,) = regression.comments

    assert body.count("<!-- agentevals:end -->") == 2
    assert "> **Not ready to merge: 2 of 2 configs fail" in body


def test_in_a_queue_there_is_no_comment(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    job.on("merge_group", job.head, job.base)
    done = job.run()

    assert job.comments == []
    assert not [text for text in done.said("notice") if text.startswith("comment")]


def test_a_new_case_that_fails_is_told_with_its_reason_like_a_regression(job):
    job.pull_request(agent(cases=["oslo"]), agent(failing=["rome"], cases=["oslo", "rome"]))
    done = job.given(check="off").run()

    assert (done.code, done.outputs["regressed"]) == (1, "0")
    assert "#### New, and failing (1)" in job.comments[0]
    assert "| `rome` | " in job.comments[0]
    assert "not called: geocode()" in job.comments[0]


def test_it_names_the_image_that_a_release_has_told_its_step(job):
    job.environ["AGENTEVALS_IMAGE"] = "ghcr.io/owner/agentevals-action:v1.2.3@sha256:0a0a"
    job.pull_request(agent(), agent()).run()

    assert "`ghcr.io/owner/agentevals-action:v1.2.3@sha256:0a0a`" in job.comments[0]
