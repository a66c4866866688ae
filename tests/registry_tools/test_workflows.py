"""What the reusable workflows run, run here on a pull request that wants to be run."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import github_shell
from tests.registry_tools import publishers, registries
from tests.registry_tools.registries import changed, git

ROOT = Path(__file__).parents[2]
PLANTED = [
    "yaml.py", "json.py", "msgspec.py", "typer.py", "registry_tools/__init__.py",
    "agentevals/__init__.py", "sitecustomize.py", "usercustomize.py", "conftest.py",
    "evaluators/kindness/conftest.py", "evaluators/kindness/sitecustomize.py",
    "evaluators/kindness/yaml.py", "evaluators/kindness/json.py",
]  # fmt: skip


def read(name):
    return yaml.safe_load((ROOT / f".github/workflows/registry-{name}.yml").read_text())


def steps(name):
    (job,) = read(name)["jobs"].values()
    return job, {step.get("name", ""): step for step in job["steps"]}


def ran(workflow, name, tmp_path, **given):
    """Run a step's script in the shell that GitHub runs it in, with the tests' interpreter."""
    [(shell, step)] = [
        found for found in github_shell.scripts(read(workflow)) if found[1].get("name") == name
    ]
    script = step["run"].replace(".venv/bin/python", sys.executable)
    around = {
        **publishers.environment(GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md")),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        **given,
    }
    return subprocess.run(
        github_shell.command(shell, script, tmp_path), cwd=ROOT, env=around, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


@pytest.fixture
def proposal(tmp_path):
    """A clone of a registry with a hostile branch, as a runner checks it out."""
    bare = publishers.shared(tmp_path, "answers")
    root = publishers.clone(bare, "proposal")
    git(root, "switch", "--quiet", "--create", "hostile")
    trap = f"open({str(tmp_path / 'trapped')!r}, 'a').write(__file__)\n"
    registries.write(
        root,
        "kindness",
        {
            "evaluator.yaml": changed("politeness.py", "kindness.py").replace(
                "politeness", "kindness"
            ),
            "kindness.py": trap + registries.PROGRAM,
        },
    )
    for path in PLANTED:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(trap)
    (root / "evaluators/kindness/passwd").symlink_to("/etc/passwd")
    workflow = root / ".github/workflows/registry-own.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("on: pull_request_target\n")
    registries.commit(root)
    return root


@pytest.mark.parametrize(
    "name", ["manifests and smoke runs", "what changes for those who use them"]
)
def test_nothing_of_a_hostile_pull_request_is_run(proposal, tmp_path, name):
    done = ran(
        "validate", name, tmp_path, BASE="origin/main", LEVEL="legacy", REGISTRY=str(proposal),
        WALLS="partial",
    )  # fmt: skip

    assert not (tmp_path / "trapped").exists()
    assert "Traceback" not in done.stdout
    assert "kindness" in done.stdout


def test_a_pull_request_is_refused_for_what_it_planted(proposal, tmp_path):
    done = ran(
        "validate", "manifests and smoke runs", tmp_path, BASE="origin/main", LEVEL="legacy",
        REGISTRY=str(proposal), WALLS="partial",
    )  # fmt: skip

    assert done.returncode == 1
    assert "evaluators/kindness/conftest.py" in done.stdout
    assert "evaluators/kindness/passwd" in done.stdout


def test_what_changes_is_shown_in_the_summary_and_decides(tmp_path):
    bare = publishers.shared(tmp_path, "politeness")
    root = publishers.clone(bare, "proposal")
    registries.write(root, files={"politeness.py": registries.PROGRAM + "# more\n"})
    registries.commit(root)
    done = ran(
        "validate", "what changes for those who use them", tmp_path, BASE="origin/main",
        REGISTRY=str(root), WALLS="basic",
    )  # fmt: skip

    assert done.returncode == 1
    assert "update-version" in (tmp_path / "summary.md").read_text()


def test_the_index_is_published_by_the_workflow(tmp_path):
    bare = publishers.shared(tmp_path, "politeness")
    done = ran(
        "publish", "compile, push, read back", tmp_path, BRANCH="main", FLOOR="1", SHRINK="",
        GITHUB_TOKEN="s3cr3t", REGISTRY=str(publishers.clone(bare, "registry")),
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
    assert publishers.names(bare) == ["politeness"]
    assert "s3cr3t" not in done.stdout


def test_checking_a_pull_request_takes_no_right_but_to_read():
    job, found = steps("validate")
    text = (ROOT / ".github/workflows/registry-validate.yml").read_text()

    assert job["permissions"] == {"contents": "read"}
    assert "secrets" not in text
    assert "github.token" not in text
    assert all(step["with"]["persist-credentials"] is False for step in found.values()
               if "checkout" in step.get("uses", ""))  # fmt: skip


def test_the_token_is_known_to_the_step_that_pushes_alone():
    job, found = steps("publish")
    with_token = [name for name, step in found.items() if "github.token" in str(step)]

    assert job["permissions"] == {"contents": "write"}
    assert with_token == ["compile, push, read back"]
