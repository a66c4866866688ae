"""What the reusable workflows run, run here on a pull request that wants to be run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentevals.evaluator.ssh_signature import verify
from tests import github_shell
from tests.evaluator.test_ssh_signature import make_key
from tests.registry_tools import publishers, registries
from tests.registry_tools.index import test_index_places
from tests.registry_tools.registries import changed, git
from tests.stand_in import fixtures

judge, stand_in = fixtures.judge, fixtures.stand_in
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


def gate(root, tmp_path, branch="main", **given):
    """The step that is the gate, as a pull request of this checkout runs it."""
    place = tmp_path / "place"
    place.mkdir()
    root.rename(place / "proposal")
    event = {"pull_request": PULL, "repository": {"id": 1, "default_branch": "main"}, "number": 7}
    (tmp_path / "event.json").write_text(json.dumps(event))
    [(_, step)] = [
        s for s in github_shell.scripts(read("validate")) if s[1].get("name") == "the gate"
    ]
    own = {
        "INPUT_COMMAND": "registry-validate",
        "INPUT_LEVEL": "legacy",
        "INPUT_ISOLATION": "basic",
    }
    assert own.keys() <= step["env"].keys()
    return ran(
        "validate", "the gate", tmp_path, **{**own, **given}, INPUT_WORKING_DIRECTORY="proposal/.",
        PYTHONPATH=f"{ROOT}/src:{ROOT}", GITHUB_WORKSPACE=str(place), GITHUB_ACTIONS="true",
        GITHUB_EVENT_NAME="pull_request", GITHUB_EVENT_PATH=str(tmp_path / "event.json"),
        RUNNER_TEMP=str(tmp_path),
    )  # fmt: skip


SIDE = {"ref": "main", "sha": "1" * 40, "repo": {"id": 1, "full_name": "o/r"}}
PULL = {
    "number": 7, "state": "open", "draft": False, "user": {"login": "alice", "type": "User"},
    "base": SIDE, "head": {**SIDE, "ref": "hostile"}, "mergeable": True,
}  # fmt: skip


def test_nothing_of_a_hostile_pull_request_is_run(proposal, tmp_path):
    done = gate(proposal, tmp_path, INPUT_ISOLATION="partial")

    assert not (tmp_path / "trapped").exists()
    assert "Traceback" not in done.stdout
    assert done.returncode == 1
    assert "evaluators/kindness/conftest.py" in done.stdout
    assert "evaluators/kindness/passwd" in done.stdout


def stolen(root):
    registries.write(root, files={"evaluator.yaml": changed("583231", "666", NEXT)})


def rewritten(root):
    registries.write(root, files={"politeness.py": registries.PROGRAM + "# more\n"})


def indexed(root):
    (root / "index.json").write_text("{}\n")


def buried(root):
    (root / "evaluators/.tombstones.yaml").write_text('yanked:\n  politeness: {"1.0.0": n}\n')


def removed(root):
    shutil.rmtree(root / "evaluators/politeness")


NEXT = changed("1.0.0", "1.0.1")
BAD = [
    (rewritten, "update-version"), (stolen, "update-owner"), (indexed, "update-generated"),
    (buried, "tombstones"), (removed, "update-removed"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "rule"), BAD)
def test_what_harms_others_turns_the_gate_red(tmp_path, change, rule):
    root = publishers.clone(publishers.shared(tmp_path, "politeness"), "clone")
    git(root, "switch", "--quiet", "--create", "proposal")
    change(root)
    registries.commit(root)
    done = gate(root, tmp_path)

    assert done.returncode == 1, done.stdout
    assert f"title={rule}::" in done.stdout
    assert f"`{rule}`" in (tmp_path / "summary.md").read_text()


def test_what_harms_nobody_passes_the_gate(tmp_path):
    root = publishers.clone(publishers.shared(tmp_path, "politeness"), "clone")
    registries.write(root, files={"evaluator.yaml": NEXT, "README.md": "# Polite\n"})
    registries.commit(root)
    done = gate(root, tmp_path)

    assert done.returncode == 0, done.stdout
    assert "`1.0.0` → `1.0.1`" in (tmp_path / "summary.md").read_text()


def published(tmp_path, bare, name="publish", step="compile, push, read back", **given):
    """The step that publishes, as a push to main starts it."""
    around = {
        "BRANCH": "main", "FLOOR": "1", "SHRINK": "", "TO": "branch", "DEPLOY_KEY": "",
        "GITHUB_TOKEN": "s3cr3t", "REGISTRY": str(publishers.clone(bare, "registry")), **given,
    }  # fmt: skip
    done = ran(name, step, tmp_path, **around)
    assert "s3cr3t" not in done.stdout
    return done


def test_the_index_is_published_by_the_workflow(tmp_path):
    bare = publishers.shared(tmp_path, "politeness")
    done = published(tmp_path, bare)

    assert done.returncode == 0, done.stdout
    assert publishers.names(bare) == ["politeness"]


def test_a_protected_branch_takes_none_and_an_index_branch_does(tmp_path):
    bare = publishers.shared(tmp_path, "politeness")
    test_index_places.protect(bare)

    refused = published(tmp_path, bare)
    assert refused.returncode == 3
    assert "Changes must be made through a pull request" in refused.stdout

    shutil.rmtree(tmp_path / "registry")
    done = published(tmp_path, bare, TO="branch:index")
    assert done.returncode == 0, done.stdout
    assert [entry.name for entry in publishers.listed(bare, "index").evaluators] == ["politeness"]


def test_a_deploy_key_is_used_for_the_push_and_left_nowhere(tmp_path):
    bare = publishers.shared(tmp_path, "politeness")
    root = publishers.clone(bare, "registry")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ssh").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/ssh.log\nexit 255\n')
    (tools / "ssh").chmod(0o755)
    shutil.rmtree(root)
    done = published(
        tmp_path, bare, DEPLOY_KEY="-----KEY-----", RUNNER_TEMP=str(tmp_path),
        GITHUB_SERVER_URL="https://github.com", GITHUB_REPOSITORY="o/r",
        PATH=f"{tools}:/usr/bin:/bin",
    )  # fmt: skip

    assert done.returncode == 3
    assert "git@github.com" in (tmp_path / "ssh.log").read_text()
    assert not (tmp_path / "deploy-key").exists()
    assert "-----KEY-----" not in done.stdout


def test_the_folder_of_pages_is_written_by_the_workflow(tmp_path):
    bare = publishers.shared(tmp_path, "politeness")
    with publishers.serving() as serve:
        address = serve(tmp_path)
        done = published(
            tmp_path, bare, "pages", "compile", ADDRESS=address, SITE=str(tmp_path / "site")
        )

    assert done.returncode == 0, done.stdout
    assert (tmp_path / "site/index.json").is_file()


def test_the_pull_request_is_proposed_by_the_workflow(tmp_path, stand_in):
    bare = publishers.shared(tmp_path, "politeness")
    stand_in.world.repository("o/r")
    given = {**stand_in.environ, "GITHUB_TOKEN": stand_in.token, "GITHUB_REPOSITORY": "o/r"}
    done = published(tmp_path, bare, "pull-request", "compile, push, propose", **given)

    assert done.returncode == 0, done.stdout
    assert "merges itself once its checks pass" in done.stdout
    [pull] = stand_in.world.repository("o/r").pulls.values()
    assert pull.merges_itself


def sign(tmp_path):
    """What the secret `sign-key` becomes, and who that is."""
    key = make_key(tmp_path).read_text()
    return {"KEY": key, "RUNNER_TEMP": str(tmp_path)}


def test_the_folder_of_pages_is_signed_and_its_key_left_nowhere(tmp_path):
    bare, site = publishers.shared(tmp_path, "politeness"), tmp_path / "site"
    done = published(tmp_path, bare, "pages", "compile", SITE=str(site), **sign(tmp_path))

    assert done.returncode == 0, done.stdout
    assert verify((site / "head.json").read_bytes(), (site / "head.json.sig").read_bytes())
    assert not (tmp_path / "sign-key").exists()


def test_the_pull_request_is_signed_and_its_key_left_nowhere(tmp_path, stand_in):
    bare = publishers.shared(tmp_path, "politeness")
    stand_in.world.repository("o/r")
    given = {**stand_in.environ, "GITHUB_TOKEN": stand_in.token, "GITHUB_REPOSITORY": "o/r"}
    name, step = "pull-request", "compile, push, propose"
    done = published(tmp_path, bare, name, step, **given, **sign(tmp_path))
    content, signature = (
        publishers.of_branch(bare, path, "agentevals/index")
        for path in ("head.json", "head.json.sig")
    )

    assert done.returncode == 0, done.stdout
    assert verify(content, signature)
    assert not (tmp_path / "sign-key").exists()


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("publish", "compile, push, read back"),
        ("pages", "compile"),
        ("pull-request", "compile, push, propose"),
    ],
)
def test_each_of_them_signs_with_sigstore_where_somebody_wants_it(tmp_path, name, step):
    bare = publishers.shared(tmp_path, "politeness")
    done = published(
        tmp_path, bare, name, step, KEYLESS="--keyless", SITE=str(tmp_path / "site"),
        GITHUB_REPOSITORY="o/r", GITHUB_API_URL="http://127.0.0.1:1",
    )  # fmt: skip
    packages = [one for one in steps_of(name) if one.get("name") == "what the tools need"]

    assert "--keyless signs in a workflow only" in done.stdout
    assert "requirements-sigstore.lock" in str(packages)
    assert jobs(name)["publish"]["permissions"]["id-token"] == "write"


def jobs(name):
    return read(name)["jobs"]


def steps_of(name):
    return jobs(name)["publish"]["steps"]


class TestPagesAreReadBack:
    """What is served is compared with what was deployed."""

    @pytest.fixture
    def site(self, tmp_path):
        site, bare = tmp_path / "site", publishers.shared(tmp_path, "politeness")
        published(tmp_path, bare, "pages", "compile", SITE=str(site), **sign(tmp_path))
        return site

    @pytest.fixture
    def later(self, site):
        """The same after a second publication."""
        (site / "index/heads").mkdir()
        (site / "index/heads/0.json").write_text("{}")
        return site

    def read_back(self, site, tmp_path):
        [step] = [one for one in steps_of("pages") if one.get("id") == "hashes"]
        output = tmp_path / "output"
        subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=site, check=True,
            env=publishers.environment(GITHUB_OUTPUT=str(output)),
        )  # fmt: skip
        files = output.read_text().removeprefix("files<<END\n").removesuffix("END\n")
        with publishers.serving() as serve:
            yield files
            address = serve(site)
            done = ran(
                "pages", "read back", tmp_path, ADDRESS=address, ATTEMPTS="1", FILES=files.rstrip()
            )
        yield done

    def test_every_file_that_proves_something_is_looked_at(self, later, tmp_path):
        files, done = self.read_back(later, tmp_path)

        assert [line.split("  ")[1] for line in files.splitlines()] == [
            "head.json", "head.json.sig", "index.json", "index/search.json",
            "index/heads/0.json", "index/tree/root.json",
        ]  # fmt: skip
        assert done.returncode == 0, done.stdout

    def test_the_first_head_has_none_before_it(self, site, tmp_path):
        files, done = self.read_back(site, tmp_path)

        assert "index/heads" not in files
        assert done.returncode == 0, done.stdout

    @pytest.mark.parametrize("name", ["head.json", "head.json.sig", "index/heads/0.json"])
    @pytest.mark.parametrize("content", [None, "{}\n"])
    def test_a_file_that_is_missing_or_another_one_turns_it_red(
        self, later, tmp_path, name, content
    ):
        reading = self.read_back(later, tmp_path)
        next(reading)
        (later / name).unlink()
        if content:
            (later / name).write_text(content)
        done = next(reading)

        assert done.returncode == 1
        assert f"does not serve what was deployed: {name}. " in done.stdout

    def test_no_name_is_one_that_the_upload_leaves_out(self, site):
        """`actions/upload-pages-artifact` packs nothing that begins with a dot."""
        names = [path.relative_to(site) for path in site.rglob("*")]

        assert not [name for name in names if any(part.startswith(".") for part in name.parts)]


def test_checking_a_pull_request_takes_no_right_but_to_read_and_to_comment():
    job, found = steps("validate")
    text = (ROOT / ".github/workflows/registry-validate.yml").read_text()

    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert "secrets" not in text
    assert [name for name, step in found.items() if "github.token" in str(step)] == ["the gate"]
    assert all(step["with"]["persist-credentials"] is False for step in found.values()
               if "checkout" in step.get("uses", ""))  # fmt: skip


def test_the_token_is_known_to_the_step_that_pushes_alone():
    job, found = steps("publish")
    with_token = [name for name, step in found.items() if "github.token" in str(step)]

    assert job["permissions"] == {"contents": "write", "id-token": "write"}
    assert with_token == ["compile, push, read back"]
