"""Every row of the page has a badge of its own, drawn where no package of others has run."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests import github_shell
from tests.frameworks import badges, page, status
from tests.frameworks.status import Status, Verdict
from tests.frameworks.table import BY_NAME

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/frameworks.yml").read_text(encoding="utf-8"))
RED, GREEN = "#cf222e", "#2da44e"
RUN = "https://github.com/acme/agentevals-action/actions/runs/7"


@pytest.fixture
def run(tmp_path):
    """Draw the badges as the job does, and return what became of it."""

    def draw(found):
        if found is not None:
            status.write(tmp_path / "status", found)
        return subprocess.run(
            [sys.executable, "-m", "tests.frameworks.badges", "status", "badges"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "RUN": RUN},
            capture_output=True,
            text=True,
            check=False,
        )

    return draw


@pytest.mark.parametrize(
    ("verdict", "colour", "text"),
    [
        (Verdict.RIGHT, GREEN, "weekly run: right 2026-11-19 7.0.1"),
        (Verdict.WRONG, RED, "weekly run: wrong 2026-11-19 7.0.1"),
        (Verdict.NOT_MEASURED, RED, "weekly run: not measured 2026-11-19 7.0.1"),
    ],
)
def test_a_badge_says_the_verdict_the_date_and_the_version_of_the_framework(verdict, colour, text):
    versions = {"@ai-sdk/openai": "4.0.1", "ai": "7.0.1"}
    drawn = badges.draw("ai-sdk-7", Status(verdict, versions), "2026-11-19")

    assert ET.fromstring(drawn).attrib["aria-label"] == text
    assert f'fill="{colour}"' in drawn


def test_every_row_gets_its_badge_and_the_page_says_where_the_run_is(run, tmp_path):
    found = dict.fromkeys(BY_NAME, Status(Verdict.RIGHT)) | {"adk": Status(Verdict.WRONG)}
    done = run(found)
    told = (tmp_path / "badges/README.md").read_text(encoding="utf-8")
    rows = [line for line in told.splitlines() if line.startswith("| ")]

    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "badges").iterdir()} == {
        "README.md",
        *(f"{name}.svg" for name in BY_NAME),
    }
    assert f"{len(BY_NAME) - 1} of {len(BY_NAME)} rows" in told
    assert f"]({RUN})" in told
    assert rows[1] == "| adk | wrong |  |"


@pytest.mark.parametrize("found", [None, {"a stranger": Status(Verdict.RIGHT)}])
def test_without_a_status_to_believe_no_row_is_green(run, tmp_path, found):
    done = run(found)
    drawn = [path.read_text() for path in (tmp_path / "badges").glob("*.svg")]

    assert done.returncode == 1
    assert done.stdout.startswith("::error::")
    assert len(drawn) == len(BY_NAME)
    assert all("not measured" in text and RED in text for text in drawn)


def test_the_page_shows_the_badge_of_each_row():
    lines = page.render().splitlines()

    for name in BY_NAME:
        (row,) = (line for line in lines if line.startswith("| [") and f"(#{name}) |" in line)
        assert f"/{badges.BRANCH}/{name}.svg)]({badges.find_table()})" in row


def test_who_runs_packages_of_others_may_write_nothing():
    jobs = WORKFLOW["jobs"]
    writing = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    scripts = [step.get("run", "") for name in writing for step in jobs[name]["steps"]]

    assert writing == {"badges"}
    assert not any("make" in script or "pip" in script for script in scripts)


def test_the_badges_are_drawn_without_any_package():
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tests.frameworks.badges"
    done = subprocess.run([sys.executable, "-ISc", code], check=False, capture_output=True)

    assert done.stderr == b""


def test_the_branch_is_always_one_commit(tmp_path):
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    job = {"jobs": {"badges": WORKFLOW["jobs"]["badges"]}}
    ((shell, step),) = github_shell.scripts(job | {"defaults": WORKFLOW["defaults"]})
    codes = []
    for number, found in enumerate((dict.fromkeys(BY_NAME, Status(Verdict.RIGHT)), None)):
        source = tmp_path / f"status{number}"
        if found is not None:
            status.write(source, found)
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "FROM": str(source),
            "TO": str(tmp_path / f"badges{number}"),
            "RUN": RUN,
            "REPOSITORY": str(remote),
            "GH_TOKEN": "x",
        }
        command = github_shell.command(shell, step["run"], tmp_path)
        codes.append(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)
    log = subprocess.run(
        ["git", "-C", remote, "log", "--format=%s", badges.BRANCH], capture_output=True, check=True
    )
    shown = subprocess.run(
        ["git", "-C", remote, "show", f"{badges.BRANCH}:adk.svg"], capture_output=True, check=True
    )

    assert codes == [0, 1]
    assert log.stdout.splitlines() == [b"What the weekly run has found"]
    assert b"not measured" in shown.stdout


def test_a_row_about_one_major_version_keeps_it_among_the_newest():
    assert BY_NAME["ai-sdk-4"].list_newest() == (
        *("ai@^4.3.19", "@ai-sdk/openai@^1.3.24"),
        "@opentelemetry/sdk-node",
    )


def test_the_newest_releases_are_none_that_is_older_than_what_was_measured():
    """An installer goes back to a release that says less about what it needs."""
    newest = BY_NAME["strands"].list_newest()

    assert newest[0] == BY_NAME["strands"].packages[0].replace("==", ">=")
    assert all(">=" in package for package in newest)
