"""A checkout whose own git has been told to start programs: it is read, and starts none."""

import os
import shutil

import pytest

from agentevals.action.checkout_commits import unpack
from tests.action.job import agent, git

WORSE = agent(failing=["paris"])
FILTERED = {".gitattributes": "* filter=evil\n"}
LEFT_OUT = {".gitattributes": "* export-ignore\n"}


@pytest.fixture
def mark(tmp_path):
    """What hostile programs make."""
    return tmp_path / "started"


def test_no_compressor_of_its_config_is_started(job, mark):
    job.pull_request(agent(), WORSE)
    git(job.workspace, "config", "tar.tar.gz.command", f"touch {mark}; cat")
    done = job.run()

    assert not mark.exists()
    assert (done.outputs["regressed"], done.against["origin"]["source"]) == ("1", "merge-base")


def test_no_filter_of_its_config_is_started(job, mark):
    job.pull_request(agent() | FILTERED, WORSE | FILTERED)
    git(job.workspace, "config", "filter.evil.smudge", f"touch {mark}; cat")
    done = job.run()

    assert not mark.exists()
    assert (done.outputs["regressed"], done.against["origin"]["source"]) == ("1", "merge-base")


def test_nothing_that_is_missing_is_fetched_by_a_program(job, mark):
    job.pull_request(agent(), WORSE, shallow=True)
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialclone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c touch% {mark}",
        "protocol.ext.allow": "always",
    }.items():
        git(job.workspace, "config", key, value)
    done = job.run()

    assert not mark.exists()
    assert done.outputs["regressed"] == "1"


def test_files_that_look_like_a_repository_are_none(job, mark):
    job.pull_request(agent(), WORSE)
    git(job.workspace, "config", "tar.tar.gz.command", f"touch {mark}; cat")
    git(job.workspace, "config", "core.bare", "true")
    for path in list((job.workspace / ".git").iterdir()):
        shutil.move(path, job.workspace / path.name)
    (job.workspace / ".git").rmdir()
    done = job.run()

    assert not mark.exists()
    assert done.outputs["regressed"] == "1"


def test_files_that_are_not_exported_are_files_of_the_base_all_the_same(job):
    job.pull_request(agent() | LEFT_OUT, WORSE | LEFT_OUT)
    job.place.tarballs.clear()
    done = job.run()

    assert (done.outputs["regressed"], done.against["origin"]["source"]) == ("1", "merge-base")


def test_a_program_of_a_commit_can_be_started_as_it_can_in_the_checkout(job, tmp_path):
    made = job.origin.commit({"run": "#!/bin/sh\n", "data": "1"})
    git(job.origin.folder, "checkout", "--quiet", "--detach", made)
    (job.origin.folder / "run").chmod(0o755)
    git(job.origin.folder, "commit", "--quiet", "--all", "--message", "Executable")
    head = git(job.origin.folder, "rev-parse", "HEAD")
    found = unpack(job.origin.folder, head, tmp_path / "new")

    assert found.files == ("data", "run")
    assert [os.access(tmp_path / "new" / name, os.X_OK) for name in found.files] == [False, True]
