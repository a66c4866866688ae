import json

import pytest

from agentevals.evaluator import scaffold
from tests.action.job import git


@pytest.fixture
def place(job):
    """A checkout of a registry with one evaluator."""
    git(job.workspace, "init", "--quiet", "--initial-branch", "main")
    (job.workspace / "evaluators").mkdir()
    scaffold.write("politeness", None, job.workspace / "evaluators")
    kept(job.workspace)
    return job.on("push")


def kept(workspace):
    git(workspace, "add", "--all")
    git(workspace, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "x")
    return git(workspace, "rev-parse", "HEAD").strip()


def test_a_registry_that_is_right_passes(place):
    done = place.given(command="registry-validate").run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log
    assert "1 evaluator checked" in done.log + done.summary


def test_a_mistake_is_an_annotation_at_its_line(place):
    manifest = place.workspace / "evaluators/politeness/evaluator.yaml"
    manifest.write_text(manifest.read_text().replace("language: python", "langauge: python"))

    done = place.given(command="registry-validate").run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert "file=evaluators/politeness/evaluator.yaml,line=3" in done.log
    assert "langauge" in done.summary


def test_where_nobody_can_tell_what_changed_everything_is_checked(place):
    done = place.on("pull_request", base="c" * 40).given(command="registry-validate").run()

    assert done.code == 0, done.log
    assert "everything is checked" in done.log


def test_the_index_is_written_where_it_belongs(place):
    done = place.given(command="registry-index").run()

    listed = json.loads((place.workspace / "index.json").read_text())["evaluators"]
    assert done.code == 0, done.log
    assert [entry["name"] for entry in listed] == ["politeness"]


def test_a_stale_index_fails_a_dry_run_and_stays_as_it_is(place):
    done = place.given(command="registry-index", dry_run="true").run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert not (place.workspace / "index.json").exists()
