"""Each event through the front door: what is evaluated, with what it is compared, who is told."""

import json
from pathlib import Path

import pytest

from tests.action.job import NUMBER, agent, config, git, write
from tests.stand_in.faults import Fault

WORSE = agent(failing=["paris"])


def checks(job):
    """The commits that have a check run of ours, with its conclusion."""
    return [(check["head_sha"], check["conclusion"]) for check in job.place.checks.values()]


def pushed(job, recorded, base=None, head=WORSE, **changed):
    """A push, a merge group and the like: commits, and no pull request."""
    job.base = job.origin.commit(base or agent())
    job.head = job.origin.commit(head, on=job.base)
    job.origin.move("main", job.head)
    return job.on(recorded, job.head, job.base, **changed).checkout(job.head)


def ref(job, name):
    job.environ["GITHUB_REF"] = f"refs/heads/{name}"
    return job


# ---- pull requests


@pytest.mark.parametrize("recorded", ["pull_request", "pull_request_draft"])
def test_a_pull_request_is_told_what_its_head_made_worse_than_its_base(job, recorded):
    job.pull_request(agent(), WORSE, recorded=recorded)

    done = job.run()

    assert (done.code, done.outputs["verdict"], done.outputs["regressed"]) == (1, "failed", "1")
    assert len(job.comments) == 1
    assert checks(job) == [(job.head, "failure")]
    assert done.against["origin"]["commit"] == job.base


def test_a_check_belongs_to_the_head_and_not_to_the_merge_that_the_runner_checks_out(job):
    job.pull_request(agent(), WORSE)
    merge = job.origin.commit(WORSE, on=job.base, message="Merge units into main")
    job.environ["GITHUB_SHA"] = merge
    job.checkout(merge)

    done = job.run()

    assert checks(job) == [(job.head, "failure")]
    assert done.report["scene"]["head_sha"] == job.head


def test_a_base_that_went_on_is_compared_with_where_it_was_left(job):
    job.pull_request(agent(failing=["rome"]), agent(failing=["rome", "paris"]))
    tip = job.origin.commit(agent(), on=job.base)
    job.origin.move("main", tip)
    job.on("pull_request", job.head, tip).checkout(job.head)

    done = job.run()

    assert done.against["origin"]["commit"] == job.base
    assert (done.outputs["regressed"], done.outputs["failed"]) == ("1", "2")


@pytest.mark.parametrize(
    "recorded", ["pull_request_closed", "merge_group_destroyed", "issue_comment_edited"]
)
def test_what_is_over_is_not_evaluated_and_nobody_is_told(job, recorded):
    job.pull_request(agent(), WORSE, recorded=recorded)

    done = job.run()

    assert done.code == 0
    assert "nothing is evaluated" in done.said("notice")[0]
    assert (job.comments, checks(job)) == ([], [])
    assert not (job.workspace / "agentevals-report").exists()


def test_a_pull_request_with_conflicts_is_evaluated_as_its_head_is(job):
    job.pull_request(agent(), WORSE, recorded="pull_request_target_conflict").checkout(job.base)

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert len(job.comments) == 1


# ---- merge queue


def test_a_merge_group_gets_a_check_and_no_comment(job):
    job.pull_request(agent(), WORSE, recorded="merge_group")

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert (job.comments, checks(job)) == ([], [(job.head, "failure")])
    assert not any("comment" in text for text in done.said("notice"))


def test_a_merge_group_of_several_is_compared_with_the_entry_before_it(job):
    job.pull_request(agent(failing=["rome"]), WORSE, recorded="merge_group_several")

    done = job.run()

    assert done.against["origin"]["commit"] == job.base
    assert (done.outputs["regressed"], done.outputs["improved"]) == ("1", "1")


# ---- pushes


def test_a_push_to_the_default_branch_leaves_what_later_runs_compare_with(job):
    pushed(job, "push").keeping_artifacts()

    done = job.run()

    assert (done.code, checks(job)) == (1, [(job.head, "failure")])
    assert "agentevals-baseline" in next(iter(job.place.checks.values()))["output"]["text"]
    assert list(job.world.uploads) == ["agentevals-agentevals-evals"]
    assert not any("pull request" in text for text in done.said("notice"))


def test_a_push_to_a_branch_tells_its_pull_request(job):
    job.pull_request(agent(), WORSE, recorded="push_branch")

    done = job.run()

    assert (done.outputs["regressed"], len(job.comments)) == ("1", 1)


def test_a_push_to_a_branch_without_a_pull_request_is_a_check_alone(job):
    pushed(job, "push_branch")

    done = job.run()

    assert (done.outputs["regressed"], checks(job)) == ("1", [(job.head, "failure")])
    assert job.github.requests("POST", "/comments") == []


def test_a_new_branch_has_nothing_before_it_and_says_so(job):
    pushed(job, "push_new_branch")

    done = job.run()

    assert done.code == 1
    assert done.against["state"] == "no-baseline"
    assert "merge-base: the event names no base" in done.against["reason"]


def test_a_tag_is_evaluated_as_it_is(job):
    pushed(job, "push_tag")

    done = job.run()

    assert (done.code, checks(job)) == (1, [(job.head, "failure")])


def test_a_deleted_branch_has_nothing_to_evaluate(job):
    job.on("push_deleted_branch")
    job.environ["GITHUB_SHA"] = ""

    done = job.run()

    assert done.code == 0
    assert "the branch was deleted" in done.said("notice")[0]


# ---- by the clock, by hand, by comment


@pytest.mark.parametrize("recorded", ["schedule", "workflow_dispatch"])
def test_a_run_by_the_clock_or_by_hand_evaluates_what_is_checked_out(job, recorded):
    ref(pushed(job, recorded), "main")

    done = job.run()

    assert (done.code, done.outputs["failed"]) == (1, "1")
    assert checks(job) == [(job.head, "failure")]
    assert job.github.requests("POST", "/comments") == []


def test_a_run_by_hand_may_name_the_pull_request_it_is_about(job):
    job.pull_request(agent(), WORSE, recorded="workflow_dispatch").given(number=str(NUMBER))

    done = job.run()

    assert (done.outputs["regressed"], len(job.comments)) == ("1", 1)
    assert done.report["scene"]["base_sha"] == job.base


def test_a_run_by_hand_on_another_commit_than_the_pull_requests_says_that_it_is_outdated(job):
    job.pull_request(agent(), WORSE, recorded="workflow_dispatch").given(number=str(NUMBER))
    job.pull.head_sha = "9" * 40

    done = job.run()

    assert done.code == 0
    assert "outdated" in done.said("notice")[0]
    assert job.comments == []


def test_a_comment_of_somebody_who_may_push_has_the_pull_request_evaluated(job):
    job.pull_request(agent(), WORSE, recorded="issue_comment").checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert checks(job) == [(job.head, "failure")]
    assert len(job.comments) == 1


@pytest.mark.parametrize("role", ["read", "triage", "none"])
def test_a_member_who_may_not_push_is_not_obeyed(job, role):
    """An organisation may let its members read alone."""
    job.place.roles["bob"] = role
    done = job.pull_request(agent(), WORSE, recorded="issue_comment").run()

    assert (done.code, job.comments, checks(job)) == (0, [], [])
    said = "bob may not push to this repository, so the comment is not obeyed"
    assert done.said("notice") == [f"nothing is evaluated: {said}"]


@pytest.mark.parametrize("role", ["admin", "maintain", "write"])
def test_who_may_push_is_obeyed_whatever_the_role(job, role):
    job.place.roles["bob"] = role
    job.pull_request(agent(), WORSE, recorded="issue_comment").run()

    assert len(job.comments) == 1


def test_where_github_does_not_say_who_may_push_nobody_is_obeyed(job):
    job.pull_request(agent(), WORSE, recorded="issue_comment").checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base
    job.github.faults.append(Fault("GET", "/permission$", status=502, times=99))
    done = job.run()

    assert (done.code, job.comments, checks(job)) == (3, [], [])


def commented(job, text):
    """The recorded comment, with other words."""
    job.pull_request(agent(), WORSE, recorded="issue_comment")
    event = Path(job.environ["GITHUB_EVENT_PATH"])
    said = json.loads(event.read_text())
    said["comment"]["body"] = text
    event.write_text(json.dumps(said))
    return job


def test_a_comment_without_a_commit_is_about_the_head_of_now_and_that_is_said(job):
    done = commented(job, "/eval please, it is 20261118").run()

    assert (done.code, len(job.comments)) == (1, 1)
    assert done.said("notice")[0].startswith(f"the head is {job.head[:7]} now")


def test_a_comment_that_names_the_head_is_obeyed(job):
    job.pull_request(agent(), WORSE, recorded="issue_comment")
    named = job.head[:12]
    event = Path(job.environ["GITHUB_EVENT_PATH"])
    event.write_text(event.read_text().replace("/eval", f"/eval {named}"))

    done = job.run()

    assert (done.code, done.said("notice")) == (1, [])
    assert len(job.comments) == 1


@pytest.mark.parametrize("change", [str.upper, str.title])
def test_a_commit_is_named_in_any_case(job, change):
    job.pull_request(agent(), WORSE, recorded="issue_comment")
    event = Path(job.environ["GITHUB_EVENT_PATH"])
    event.write_text(event.read_text().replace("/eval", f"/eval {change(job.head[:12])}"))

    assert job.run().said("notice") == []


@pytest.mark.recorded
def test_a_comment_is_answered_in_the_comment_of_the_pull_request(job):
    """The first run had read a recording that its own step has made; it passed."""
    kept = {name: text for name, text in agent().items() if name != "traces/paris.json"}
    job.pull_request(agent(), kept | {"traces/paris.json": WORSE["traces/paris.json"]})
    write(job.workspace, {"traces/paris.json": agent()["traces/paris.json"]})
    first = job.run()
    before = job.comments
    job.on("issue_comment", job.head, job.base).checkout(job.base)
    job.environ |= {"GITHUB_SHA": job.base, "GITHUB_RUN_NUMBER": "563", "GITHUB_RUN_ID": "30433643"}
    done = job.run()

    assert (first.code, done.code, len(before), len(job.comments)) == (0, 1, 1, 1)
    assert "Ready to merge" in before[0]
    assert "Not ready to merge" in job.comments[0]
    assert "run #563" in job.comments[0]
    assert done.outputs["comment-url"] == first.outputs["comment-url"]


def test_a_workflow_of_its_own_for_comments_answers_in_the_same_comment(job):
    job.given(comment_key="evals").pull_request(agent(), WORSE).run()
    job.on("issue_comment", job.head, job.base).checkout(job.base)
    job.environ |= {"GITHUB_SHA": job.base, "GITHUB_WORKFLOW": "by comment"}
    job.run()

    assert len(job.comments) == 1
    assert job.comments[0].count("<!-- agentevals:section ") == 2


def test_a_comment_leaves_the_checkout_of_the_base_as_it_is(job):
    """Nothing of the head is checked out: its programs, hooks and attributes are not there."""
    evil = "import pathlib\npathlib.Path('/tmp/was-here').touch()\n"
    names = ("evaluators/polite.py", "conftest.py", "sitecustomize.py", "setup.py")
    polite = {"name": "polite", "type": "code", "path": "evaluators/polite.py"}
    good = "import json, sys\njson.load(sys.stdin)\nprint(json.dumps({'score': 1.0}))\n"
    base = agent() | {"eval_config.yaml": config(polite), "evaluators/polite.py": good}
    job.pull_request(base, base | dict.fromkeys(names, evil), recorded="issue_comment")
    job.checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base
    done = job.run()

    assert (done.code, done.outputs["passed"]) == (0, "4"), done.log
    assert git(job.workspace, "rev-parse", "HEAD") == job.base
    assert git(job.workspace, "status", "--porcelain") == "?? agentevals-report/"
    assert not Path("/tmp/was-here").exists()


def test_where_github_cannot_say_which_head_a_comment_is_about_nothing_is_judged(job):
    job.pull_request(agent(), WORSE, recorded="issue_comment").checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base
    job.github.faults.append(Fault("GET", "/pulls/12", status=502, times=99))
    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (3, "error")
    assert (job.comments, checks(job)) == ([], [])


def test_a_comment_about_another_commit_than_the_head_is_not_obeyed(job):
    done = commented(job, "/eval 1a2b3c4d").run()

    assert done.code == 0
    assert done.said("notice") == [
        f"nothing is evaluated: the comment is about 1a2b3c4, and the head is {job.head[:7]} by now"
    ]
    assert job.comments == []


@pytest.mark.parametrize(
    ("recorded", "sentence"),
    [
        ("issue_comment_edited", "only new comments are obeyed"),
        ("issue_comment_by_stranger", "is CONTRIBUTOR here"),
        ("issue_comment_on_issue", "#12 is an issue, not a pull request"),
        ("issue_comment_on_closed", "#12 is closed"),
    ],
)
def test_other_comments_are_not_obeyed(job, recorded, sentence):
    job.pull_request(agent(), WORSE, recorded=recorded)

    done = job.run()

    assert done.code == 0
    assert sentence in done.said("notice")[0]
    assert job.github.requests() == []


def test_a_pull_request_that_was_closed_since_the_comment_is_left_alone(job):
    job.pull_request(agent(), WORSE, recorded="issue_comment")
    job.pull.state = "closed"

    done = job.run()

    assert done.code == 0
    assert job.comments == []


def test_a_pull_request_that_github_does_not_find_has_no_comment(job):
    job.pull_request(agent(), WORSE, recorded="workflow_dispatch").given(number="999")

    done = job.run()

    assert (done.code, checks(job)) == (1, [(job.head, "failure")])
    assert "999" in done.said("warning")[0] or "404" in done.said("warning")[0]
    assert job.github.requests("POST", "/comments") == []


# ---- another workflow


def test_another_workflow_that_ended_has_the_head_of_its_run_judged_by_the_base(job):
    job.pull_request(agent(), WORSE, recorded="workflow_run").checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert checks(job) == [(job.head, "failure")]
    assert len(job.comments) == 1


def test_a_workflow_that_has_only_begun_is_waited_for(job):
    job.pull_request(agent(), WORSE, recorded="workflow_run_requested")

    done = job.run()

    assert done.code == 0
    assert "has not ended" in done.said("notice")[0]


def test_the_pull_request_of_a_fork_is_asked_for_by_its_branch(job):
    job.pull_request(agent(), WORSE, recorded="workflow_run_fork").checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base

    done = job.run()

    assert (done.outputs["regressed"], len(job.comments)) == ("1", 1)
    asked = next(r for r in job.github.requests("GET", "/pulls?"))
    assert (asked.query["head"], asked.query["state"]) == ("somebody:units", "open")


# ---- anything else


def test_an_event_that_nobody_knows_has_the_checkout_evaluated(job):
    pushed(job, "release")

    done = job.run()

    assert (done.code, done.outputs["failed"]) == (1, "1")
    assert "the event 'release' is not known" in done.said("notice")[0]


def test_on_somebodys_own_machine_no_event_and_no_token_are_needed(job):
    pushed(job, "push")
    for name in [name for name in job.environ if name.startswith(("GITHUB_", "INPUT_", "RUNNER_"))]:
        del job.environ[name]
    job.environ["GITHUB_WORKSPACE"] = str(job.workspace)

    done = job.run()

    assert done.code == 1
    assert done.report["verdict"] == "fail"
    assert "::" not in done.log
    assert job.github.requests() == []


# ---- who may not write


@pytest.mark.parametrize("recorded", ["pull_request_fork", "pull_request_deleted_fork"])
def test_a_fork_with_a_read_only_token_has_its_verdict_all_the_same(job, recorded):
    job.pull_request(agent(), WORSE, recorded=recorded).keeping_artifacts()
    job.github.permissions |= dict.fromkeys(("pull-requests", "issues", "checks"), "read")

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert (job.comments, checks(job)) == ([], [])
    assert all("command: publish" in text for text in done.said("notice"))
    assert done.said("warning") == []
    assert json.loads((done.folder / "report.json").read_text())["verdict"] == "fail"


def test_dependabot_is_told_of_the_other_workflow_as_well(job):
    job.pull_request(agent(), agent(), recorded="pull_request_dependabot")
    job.github.permissions |= dict.fromkeys(("pull-requests", "issues", "checks"), "read")

    done = job.run()

    assert done.code == 0
    assert any("Dependabot" in text and "publish" in text for text in done.said("notice"))
