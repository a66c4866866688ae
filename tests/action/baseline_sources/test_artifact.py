"""`baseline: artifact`: what the newest trusted run on the base branch has kept."""

import io
import zipfile

import pytest

from tests.action.job import FORK, agent, write

WORSE = agent(failing=["paris"])


@pytest.fixture
def kept(job):
    """A good push to main, which has kept its report, and then a pull request."""

    def made(files=None, **facts):
        job.given(baseline="artifact").keeping_artifacts().pushed(files or agent()).run()
        return job.ended(**facts)

    return made


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


def artifact(job):
    (found,) = job.place.artifacts.values()
    return found


def test_a_run_on_main_is_compared_with_and_named(job, kept):
    run = kept(number=41)

    done = job.proposed(WORSE).run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    origin = done.against["origin"]
    assert (origin["source"], origin["commit"], origin["run_number"]) == (
        "artifact",
        run.sha,
        41,
    )
    assert "(artifact, run" in job.comments[0]


def test_the_commit_where_the_branch_left_is_preferred_to_a_newer_one(job, kept):
    run = kept()
    base = job.base
    kept(WORSE)
    job.base = base

    done = job.proposed(WORSE).run()

    assert done.against["origin"]["commit"] == run.sha
    assert done.outputs["regressed"] == "1"


def test_of_several_other_commits_the_newest_is_taken(job, kept):
    kept(WORSE)
    newest = kept()
    job.pushed(agent() | {"README.md": "Nobody evaluated this."})

    done = job.proposed(WORSE).run()

    assert done.against["origin"]["commit"] == newest.sha


def test_the_report_of_the_last_attempt_counts(job, kept):
    """The first attempt has read a recording that a step before has made anew."""
    job.given(baseline="artifact").keeping_artifacts().pushed(agent())
    write(job.workspace, {name: WORSE[name] for name in WORSE if "paris" in name})
    job.run()
    first = dict(job.world.uploads)
    job.environ["GITHUB_RUN_ATTEMPT"] = "2"
    job.checkout(job.base).run()
    job.world.uploads.update(first | job.world.uploads)
    job.ended()
    job.environ["GITHUB_RUN_ATTEMPT"] = "1"

    done = job.proposed(WORSE).run()

    assert done.outputs["regressed"] == "1"


@pytest.mark.parametrize(
    "facts",
    [
        {"head_repository": FORK},
        {"branch": "units"},
        {"conclusion": "cancelled"},
        {"event": "pull_request"},
        {"workflow": "another.yml"},
        {"status": "in_progress", "conclusion": None},
    ],
    ids=str,
)
def test_a_run_that_others_could_have_made_is_not_believed(job, kept, facts):
    kept(**facts)

    done = job.proposed(WORSE).run()

    assert done.code == 1
    assert done.against["state"] == "no-baseline"
    assert done.against["reason"] == "the workflow has not yet run on main"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (zipped(report__json="{"), "not valid JSON"),
        (zipped(other__json="{}"), "cannot be read"),
        (b"no archive", "not a zip file"),
    ],
    ids=["no JSON", "no report", "no archive"],
)
def test_what_cannot_be_read_is_a_reason_and_no_error(job, kept, content, reason):
    kept()
    artifact(job).content = content

    done = job.proposed(WORSE).run()

    assert (done.code, done.against["state"]) == (1, "no-baseline")
    assert reason in done.against["reason"]
    assert "/tmp" not in done.against["reason"]


def test_an_expired_one_is_passed_over_for_the_next(job, kept):
    older = kept()
    base = job.base
    kept(agent(failing=["rome"]))
    job.place.artifacts[max(job.place.artifacts)].expired = True

    done = job.proposed(WORSE).run()

    assert base == older.sha == done.against["origin"]["commit"]


def test_when_all_have_expired_it_says_so(job, kept):
    kept()
    artifact(job).expired = True

    done = job.proposed(WORSE).run()

    assert "has expired" in done.against["reason"]


def test_a_run_without_a_report_of_this_workflow_says_so(job, kept):
    kept()
    artifact(job).name = "coverage"

    done = job.proposed(WORSE).run()

    assert done.against["reason"] == (
        "no run on main has an artifact 'agentevals-agentevals-evals'"
    )


def test_a_missing_permission_is_a_reason_with_what_to_add(job, kept):
    kept()
    job.github.permissions["actions"] = "none"

    done = job.proposed(WORSE).run()

    assert done.code == 1
    assert "actions: read" in done.against["reason"]


def test_a_failed_run_is_a_base_as_well(job, kept):
    kept(agent(failing=["rome"]), conclusion="failure")

    done = job.proposed(WORSE).run()

    assert (done.outputs["regressed"], done.outputs["improved"]) == ("1", "1")


@pytest.mark.parametrize("recorded", ["schedule", "workflow_dispatch"])
def test_a_run_by_the_clock_or_by_hand_is_compared_with_what_the_newest_one_has_kept(
    job, kept, recorded
):
    run = kept(event=recorded)
    job.given(baseline="auto").pushed(WORSE).on(recorded, job.base)

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert (done.against["origin"]["source"], done.against["origin"]["commit"]) == (
        "artifact",
        run.sha,
    )
