"""The base is recorded beside the pull request, as `docs/ci.md` has it, and compared with it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.action.job import git
from tests.action.weather import ROOT, WORSE, make_repository


@pytest.fixture(scope="module")
def jobs():
    """The jobs of the workflow of the page that records the base."""
    page = (ROOT / "docs/ci.md").read_text()
    found = re.findall(r"^```yaml\n(# \.github/.+?)^```$", page, re.MULTILINE | re.DOTALL)
    return next(jobs for text in found if "record-base" in (jobs := yaml.safe_load(text)["jobs"]))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_repository(tmp_path_factory.mktemp("home"))


def run_steps(job, folder):
    """Run what a job of the workflow runs in a shell, as the runner does."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for step in job["steps"]:
        script = step.get("run", "pip")
        if not script.startswith("pip"):
            done = subprocess.run(
                ["bash", "-e", "-c", script],
                cwd=folder,
                env={"PATH": path, "HOME": str(folder)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("change", "ends"),
    [(WORSE, (1, True)), ({"README.md": "A change."}, (0, False))],
    ids=["worse", "no worse"],
)
def test_the_pull_request_is_compared_with_the_base_of_the_same_run(job, jobs, base, change, ends):
    job.pull_request(base, base | change)
    there = job.folder / "base"
    git(job.folder, "clone", "--quiet", "--no-checkout", f"file://{job.origin.folder}", str(there))
    git(there, "checkout", "--quiet", job.base)
    run_steps(jobs["record-base"], there)
    run_steps(jobs["evaluate"], job.workspace)
    run_steps(jobs["record"], job.workspace)
    (there / "base").rename(job.workspace / "base")
    given = jobs["evaluate"]["steps"][-1]["with"]
    assert "'base/report.json'" in given["baseline"]
    done = job.given(config=given["config"], baseline="base/report.json", paths="README.md").run()

    assert done.against["reason"] == "", done.against
    assert (done.code, done.outputs["regressed"] != "0") == ends, done.log
    assert done.against["origin"]["path"] == "base/report.json"
    assert done.against["paired"] > 0


def test_the_base_is_recorded_by_its_own_code_alone(jobs):
    checkout = jobs["record-base"]["steps"][0]["with"]

    assert checkout["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert jobs["record-base"]["permissions"] == {"contents": "read"}
    assert jobs["evaluate"]["needs"] == ["record", "record-base"]
    assert "secrets." not in str(jobs["evaluate"])
