import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.registry_tools import registries
from tests.registry_tools.smoke.builders import ONE, judge

AGENTEVALS = Path(sys.executable).with_name("agentevals")

# whoever runs this, outside of the sandbox, leaves a file behind
LEAVES = """
import os
try:
    open({trace!r}, "a").write(__name__)
except OSError:
    pass
"""
ATTACK = """
import json, os, pathlib, subprocess, sys
{leaves}
achieved = []
for place in ({trace!r}, {root!r} + "/evaluators/judge/new.txt", {cache!r} + "/new.txt"):
    try:
        pathlib.Path(place).write_text("mine")
        achieved.append(place)
    except OSError:
        pass
if os.environ.get("GITHUB_TOKEN") or os.environ.get("SECRET"):
    achieved.append("token")
for pid in (os.getppid(), 1):
    try:
        achieved.append(pathlib.Path(f"/proc/{{pid}}/environ").read_bytes().hex())
    except OSError:
        pass
print("::set-output name=x::y", file=sys.stderr)
print(json.dumps({{"score": 1.0 if achieved else 0.5, "details": {{"issues": achieved}}}}))
"""
PLANTED = (
    *("conftest.py", "sitecustomize.py", "usercustomize.py", "setup.py", "json.py"),
    *("agentevals/__init__.py", "agentevals_evaluator_sdk/__init__.py", "pydantic/__init__.py"),
    *("registry_tools/__init__.py", "registry_tools/smoke/__init__.py", "yaml.py", "typer.py"),
)


@pytest.fixture
def hostile(tmp_path):
    """The tree of a pull request, and the file that must not appear."""
    root, trace = tmp_path / "registry", tmp_path / "trace"
    tmp_path.chmod(0o777)  # so that it is not its mode which protects it
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o777)
    leaves = LEAVES.format(trace=str(trace))
    attack = ATTACK.format(leaves=leaves, trace=str(trace), root=str(root), cache=str(cache))
    judge(root, attack, ONE)
    for name in PLANTED:
        for folder in (root, root / "evaluators" / "judge"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(leaves)
    workflow = root / ".github" / "workflows" / "x.yaml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(f"on: push\njobs: {{x: {{steps: [{{run: touch {trace}}}]}}}}\n")
    return root, trace


def validate(root, *words):
    return subprocess.run(
        [AGENTEVALS, "registry", "validate", *words],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(root.parent),
            "XDG_CACHE_HOME": str(root.parent / "cache"),
            "GITHUB_TOKEN": "ghs_secret",
            "SECRET": "hunter2",
        },
        check=False,
    )


def test_nothing_of_a_pull_request_runs_outside_of_the_sandbox(hostile):
    root, trace = hostile

    done = validate(root, "--format", "json")

    assert not trace.exists()
    assert not (root / "evaluators" / "judge" / "new.txt").exists()
    rules = {finding["rule"] for finding in json.loads(done.stdout)["findings"]}
    assert "files" in rules  # what was planted is told
    assert not rules & {"smoke-result", "smoke-program"}  # it ran, and achieved nothing
    assert done.returncode == 1
    assert "ghs_secret" not in done.stdout + done.stderr


def test_a_link_in_a_pull_request_is_not_followed(hostile):
    root, trace = hostile
    secret = root.parent / "secret.txt"
    secret.write_text("fixtures: [hunter2]")
    fixtures = root / "evaluators" / "judge" / "fixtures.yaml"
    fixtures.unlink()
    fixtures.symlink_to(secret)

    done = validate(root)

    assert not trace.exists()
    assert "hunter2" not in done.stdout + done.stderr
    assert "evaluators/judge/fixtures.yaml: error: " in done.stdout


@pytest.mark.parametrize("output", ["text", "github"])
def test_what_a_program_says_is_no_command_to_the_runner(tmp_path, output):
    said = "boom\\n::set-env name=X::y\\n##[error]z"
    judge(tmp_path / "registry", f"raise SystemExit('{said}')")

    done = validate(tmp_path / "registry", "--format", output)

    lines = done.stdout.splitlines()
    assert not any(line.startswith(("::set-env", "##[")) for line in lines)
    assert "boom" in done.stdout


@pytest.mark.parametrize(
    "words",
    [("validate", "--no-smoke"), ("validate", "--no-smoke", "--changed-since", "main"), ("index",)],
)
def test_a_folder_that_looks_like_a_repository_is_none(tmp_path, words):
    """Its settings name a program that git would start on every file."""
    registry, trace = tmp_path / "whole" / "registry", tmp_path / "trace"
    judge(registry, "print('{}')")
    registries.repository(tmp_path / "whole")
    shutil.copytree(registry.parent / ".git", registry, dirs_exist_ok=True)
    settings = f"[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {registry.parent}\n"
    settings += f'[filter "x"]\nclean = "touch {trace}; cat"\n'
    (registry / "config").write_text(settings)
    (registry.parent / ".gitattributes").write_text("* filter=x\n")
    os.utime(registry / "evaluators" / "judge" / "judge.py", (1, 1))  # git has to look into it

    subprocess.run([AGENTEVALS, "registry", *words], cwd=registry, capture_output=True, check=False)

    assert not trace.exists()
