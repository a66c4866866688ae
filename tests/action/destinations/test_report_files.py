"""The report folder: what is in it, whose it is, and where it may not be."""

import io
import os
import zipfile
from pathlib import Path

import pytest

from tests.action.job import agent
from tests.stand_in.faults import Fault

FILES = [
    "badge.json",
    "comment.md",
    "ctrf.json",
    "failures.md",
    "junit.xml",
    "report.html",
    "report.json",
    "report.sarif",
]


@pytest.fixture
def regression(job):
    return job.pull_request(agent(), agent(failing=["paris"])).given(comment="off", check="off")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_every_file_is_left_in_the_workspace(regression):
    done = regression.run()

    assert done.outputs["report"] == "agentevals-report"
    assert names(regression.workspace / "agentevals-report") == FILES


def test_the_comment_is_one_of_them_as_it_would_be_posted(regression):
    done = regression.given(comment="update").run()
    (posted,) = regression.comments

    assert (done.folder / "comment.md").read_text() == posted


@pytest.mark.parametrize("given", ["reports", "a/b/c", "./reports/"])
def test_another_folder_is_made_where_the_inputs_want_it(regression, given):
    done = regression.given(report_dir=given).run()

    assert done.outputs["report"] == os.path.normpath(given)
    assert names(done.folder) == FILES


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("given", ["reports", "a/b"])
def test_they_belong_to_whom_the_workspace_belongs(regression, given):
    os.chown(regression.workspace, 1001, 1002)
    done = regression.given(report_dir=given).run()
    made = [done.folder, *done.folder.iterdir(), regression.workspace / given.partition("/")[0]]

    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(1001, 1002)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_that_an_earlier_step_left_to_root_is_no_reason_to_leave_files_to_root(regression):
    os.chown(regression.workspace, 1001, 1002)
    (regression.workspace / "agentevals-report").mkdir()
    done = regression.run()

    assert {path.stat().st_uid for path in done.folder.iterdir()} == {1001}


OUTSIDE = {
    "up": "../elsewhere",
    "absolute": "/etc/agentevals-report",
    "link": "linked",
    "below a link": "linked/reports",
    "temporary": "TEMP/reports",
}


@pytest.mark.parametrize("case", OUTSIDE)
def test_a_folder_outside_of_the_workspace_is_refused_in_a_sentence(regression, case):
    (regression.workspace / "linked").symlink_to(regression.folder / "elsewhere")
    (regression.folder / "elsewhere").mkdir()
    given = OUTSIDE[case].replace("TEMP", regression.environ["RUNNER_TEMP"])
    done = regression.given(report_dir=given).run()
    before, _, _ = done.log.partition("::group::Evaluate")
    (warning,) = done.said("warning")

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert "report" not in done.outputs
    assert names(regression.folder / "elsewhere") == []
    assert warning.startswith("files: action inputs: 'report-dir': '")
    assert warning in before.replace("%25", "%")


def test_a_link_to_another_folder_of_the_workspace_is_that_folder(regression):
    (regression.workspace / "kept").mkdir()
    (regression.workspace / "linked").symlink_to("kept")
    done = regression.given(report_dir="linked").run()

    assert done.outputs["report"] == "kept"
    assert names(regression.workspace / "kept") == FILES


def test_a_file_in_the_place_of_the_folder_costs_the_files_only(regression):
    (regression.workspace / "agentevals-report").write_text("mine")
    done = regression.run()

    assert (done.code, "report" in done.outputs) == (1, False)
    assert (regression.workspace / "agentevals-report").read_text() == "mine"
    assert done.said("warning")[0].startswith("files: ")


def test_a_link_in_the_place_of_a_file_is_not_followed(regression):
    folder, target = regression.workspace / "agentevals-report", regression.folder / "target"
    folder.mkdir()
    target.write_text("kept")
    (folder / "junit.xml").symlink_to(target)
    done = regression.run()

    assert target.read_text() == "kept"
    assert "junit.xml" not in names(folder)
    assert "junit.xml: cannot be written" in done.said("warning")[0]


def test_where_the_runner_takes_artifacts_they_are_kept(regression):
    regression.keeping_artifacts().run()
    (upload,) = regression.world.uploads.values()

    assert upload.name == "agentevals-agentevals-evals"
    assert sorted(zipfile.ZipFile(io.BytesIO(upload.content)).namelist()) == FILES
    assert upload.finished["size"] == str(len(upload.content))


def test_another_attempt_keeps_another_artifact(regression):
    regression.keeping_artifacts().run()
    regression.environ["GITHUB_RUN_ATTEMPT"] = "2"
    regression.run()

    assert list(regression.world.uploads) == [
        "agentevals-agentevals-evals",
        "agentevals-agentevals-evals-attempt-2",
    ]


@pytest.mark.parametrize("place", ["CreateArtifact", "FinalizeArtifact", "/upload/"])
@pytest.mark.parametrize("status", [403, 500, 409])
def test_a_service_that_fails_is_a_notice(regression, place, status):
    method = "PUT" if place == "/upload/" else "POST"
    regression.github.faults.append(Fault(method, place, status, times=99))
    done = regression.keeping_artifacts().run()
    (notice,) = [text for text in done.said("notice") if text.startswith("files")]

    assert (done.code, done.said("warning")) == (1, [])
    assert "not kept as an artifact" in notice
    assert names(done.folder) == FILES


def test_they_are_not_uploaded_where_nobody_wants_that(regression):
    regression.keeping_artifacts().given(upload_artifact="never").run()

    assert regression.world.uploads == {}


def test_no_file_holds_the_token(regression):
    done = regression.keeping_artifacts().run()
    secrets = [regression.github.token, regression.environ["ACTIONS_RUNTIME_TOKEN"]]
    texts = [Path(path).read_text() for path in done.folder.iterdir()]

    assert not [secret for secret in secrets for text in texts if secret in text]


HOSTILE = {"{}/evil.html": "<script>", "{}/deep/evil.js": "x", "{}/junit.xml": "forged"}


def commit_into(job, folder):
    head = agent(failing=["paris"]) | {name.format(folder): text for name, text in HOSTILE.items()}
    return job.pull_request(agent(), head).given(comment="off", check="off")


def test_our_folder_holds_only_what_the_run_wrote(job, tmp_path):
    commit_into(job, "agentevals-report")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/own").touch()
    (job.workspace / "agentevals-report/link").symlink_to(tmp_path / "kept")

    done = job.run()

    assert names(done.folder) == FILES
    assert "forged" not in (done.folder / "junit.xml").read_text()
    assert "removed from the report folder, not of this run: deep, evil.html" in done.log
    assert (tmp_path / "kept/own").exists()


def test_of_what_lies_in_a_folder_of_yours_it_warns(job):
    done = commit_into(job, "site").given(report_dir="site").run()

    assert {"evil.html", "deep"} < {*names(done.folder)}
    assert "still in the report folder: deep, evil.html" in done.said("warning")[0]


def test_comment_check_and_summary_name_the_page_of_all_cases(regression):
    done = regression.keeping_artifacts().given(comment="update", check="auto").run()
    (comment,), (check,) = regression.comments, regression.place.checks.values()
    line = f"📄 **All cases:** [report.html]({done.outputs['artifact-url']}). Unpack the zip, "

    for text in (comment, check["output"]["summary"], done.summary):
        assert text.count(line) == 1


def test_a_page_that_is_not_kept_is_not_named(regression):
    done = regression.given(comment="update", upload_artifact="never").keeping_artifacts().run()

    assert "report.html" not in regression.comments[0] + done.summary
