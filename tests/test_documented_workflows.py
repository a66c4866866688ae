"""The workflows that the pages show, and the one that `init` writes, are workflows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentevals.cli import workflow_templates
from agentevals.cli.workflow_templates import Recording
from agentevals.github.runner import inputs
from tests import github_shell
from tests.action_tables import TABLES
from tests.support import DOCS

BIN = Path(sys.executable).parent
OURS = "OWNER/agentevals-action@v1"
CALLED = "OWNER/agentevals-action/.github/workflows/"
WORKFLOW_FOLDER = DOCS.parent / ".github/workflows"
# what other actions need of the token
OF_OTHERS = {"github/codeql-action/upload-sarif": "security-events: write"}
_FENCED = re.compile(r"^```yaml\n(# \.github/workflows/.*?)^```", re.DOTALL | re.MULTILINE)

SHOWN = [
    pytest.param(text, id=f"{page.stem}-{at}")
    for page in [*sorted(DOCS.rglob("*.md")), DOCS.parent / "README.md"]
    for at, text in enumerate(_FENCED.findall(page.read_text(encoding="utf-8")))
]
WRITTEN = {
    "committed": workflow_templates.write_committed(),
    "recorded": workflow_templates.write_recorded(Recording()),
    "without a package": workflow_templates.write_recorded(
        Recording(install="", command="npm start")
    ),
}
WORKFLOWS = [*SHOWN, *(pytest.param(text, id=name) for name, text in WRITTEN.items())]


@pytest.mark.parametrize(
    ("page", "written"), [("README.md", "committed"), ("docs/ci.md", "recorded")]
)
def test_the_pages_show_what_init_writes(page, written):
    shown = _FENCED.findall((DOCS.parent / page).read_text(encoding="utf-8"))[0]

    assert shown == f"# .github/workflows/agentevals.yml\n{WRITTEN[written]}"


def test_who_runs_the_agent_may_write_nothing_and_who_writes_has_no_key_of_it():
    jobs = yaml.safe_load(WRITTEN["recorded"])["jobs"]
    record, evaluate = jobs["record"], jobs["evaluate"]

    assert record["permissions"] == {"contents": "read"}
    assert "secrets." in str(record)
    assert "secrets." not in str(evaluate)
    assert [step["run"] for step in evaluate["steps"] if "run" in step] == ["rm -rf traces/"]


def steps(text):
    jobs = yaml.safe_load(text)["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def calls(text):
    """The jobs that call a reusable workflow of ours, each with that workflow."""
    for job in yaml.safe_load(text)["jobs"].values():
        if "uses" in job:
            place, _, version = job["uses"].partition("@")
            assert (place.startswith(CALLED), version) == (True, "v1")
            yield job, yaml.safe_load((WORKFLOW_FOLDER / place.removeprefix(CALLED)).read_text())


def test_github_knows_what_they_say(tmp_path):
    workflows = [tmp_path / f"{workflow.id}.yml" for workflow in WORKFLOWS]
    for path, workflow in zip(workflows, WORKFLOWS, strict=True):
        path.write_text(*workflow.values)

    checker = [BIN / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows]
    done = subprocess.run(checker, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("text", WORKFLOWS)
def test_it_gives_the_action_only_what_the_action_takes(text):
    given = [step.get("with", {}) for step in steps(text) if step.get("uses") == OURS]

    assert given or list(calls(text))
    assert {name for each in given for name in each} <= inputs.list_defaults().keys()


@pytest.mark.parametrize("text", WORKFLOWS)
def test_it_gives_a_called_workflow_what_it_takes_and_needs(text):
    for job, called in calls(text):
        takes = called[True]["workflow_call"]  # `on` is true for YAML 1.1
        needs = [each["permissions"].items() for each in called["jobs"].values()]

        assert job.get("with", {}).keys() <= takes.get("inputs", {}).keys()
        assert job.get("secrets", {}).keys() <= takes.get("secrets", {}).keys()
        assert set(job["permissions"].items()) == {item for items in needs for item in items}


@pytest.mark.parametrize("text", WORKFLOWS)
def test_every_other_action_is_pinned(text):
    ours = OURS.partition("@")[0]
    used = [step["uses"] for step in steps(text) if "uses" in step]
    others = [each for each in used if each.partition("@")[0] not in {ours, f"{ours}/setup"}]

    assert [each for each in others if not re.search(r"@[0-9a-f]{40}$", each)] == []


@pytest.mark.parametrize("text", WORKFLOWS)
def test_no_script_loses_what_fails_before_a_pipe(text):
    assert github_shell.losing(yaml.safe_load(text)) == []


@pytest.mark.parametrize("text", WORKFLOWS)
def test_every_permission_is_one_that_some_request_needs(text):
    known = {row.split("`")[1] for row in TABLES["permissions"]() if "`" in row}
    used = {step.get("uses", "").partition("@")[0] for step in steps(text)}
    known |= {f"{k}: {v}" for job, _ in calls(text) for k, v in job["permissions"].items()}
    known |= {needs for action, needs in OF_OTHERS.items() if action in used}
    known |= {"contents: write" for step in steps(text) if "git push" in step.get("run", "")}
    workflow = yaml.safe_load(text)
    scopes = [workflow, *workflow["jobs"].values()]
    granted = {f"{k}: {v}" for s in scopes for k, v in s.get("permissions", {}).items()}

    assert granted
    assert granted <= known


def test_the_job_of_the_badge_pushes_a_branch_with_one_file(tmp_path):
    (text,) = [shown.values[0] for shown in SHOWN if "  badge:" in shown.values[0]]
    script = yaml.safe_load(text)["jobs"]["badge"]["steps"][-1]["run"]
    lines = [line for line in script.splitlines() if not line.startswith("gh ")]  # needs GitHub
    at = tmp_path / "reports" / "agentevals-evaluate"
    at.mkdir(parents=True)
    (at / "badge.json").write_text('{"schemaVersion": 1}')
    for words in (["init", "--bare", "there"], ["init", "."], ["remote", "add", "origin", "there"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    for _ in range(2):
        ended = ["bash", "-eo", "pipefail", "-c", "\n".join(lines)]
        subprocess.run(ended, cwd=tmp_path, check=True, capture_output=True)

    shown = ["git", "-C", "there", "show", "badge:badge.json"]
    assert subprocess.check_output(shown, cwd=tmp_path, text=True) == '{"schemaVersion": 1}'
