"""Workflows of several jobs, run by act: the one that `init` writes, and that of a matrix."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentevals.model.project_links import NAME
from tests.action.job import Repository
from tests.container.conftest import ROOT
from tests.container.engine import Engine
from tests.container.runner import hand_over
from tests.container.test_pull_request import EVENT, REPOSITORY
from tests.container.test_workflow import run_act
from tests.stand_in.documents import changed_file
from tests.stand_in.server import StandIn
from tests.support import DOCS, EXAMPLES, agentevals

OURS = "octo-org/agentevals-action@v1"
# what act cannot fetch here: an artifact is a folder that all jobs have
UPLOAD = "mkdir -p /artifacts/$NAME && cp -r $FOLDER/. /artifacts/$NAME"
DOWNLOAD = "mkdir -p $FOLDER && for one in /artifacts/$NAME$PATTERN; do cp -r $one/. $FOLDER; done"
STAND_IN = """\
name: artifact
description: A folder that all jobs have
inputs:
  name: {description: Its name}
  pattern: {description: The names of several}
  merge-multiple: {description: Whether they lie in one folder}
  path: {description: Where it lies, required: true}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        NAME: ${{ inputs.name }}
        PATTERN: ${{ inputs.pattern }}
        FOLDER: ${{ inputs.path }}
      run: %s
"""
STAND_INS = {
    "checkout": "name: checkout\ndescription: act copies\nruns: {using: composite, steps: []}\n",
    "upload-artifact": STAND_IN % UPLOAD,
    "download-artifact": STAND_IN % DOWNLOAD,
}
KEY = 'import os\n\nif not os.environ.get("OPENAI_API_KEY"):\n    raise SystemExit("no key")\n'


@pytest.fixture
def project(tmp_path: Path) -> dict[str, bytes]:
    """What somebody has who followed docs/ci.md with the agent of the examples."""
    folder = tmp_path / "project"
    folder.mkdir()
    for path in (EXAMPLES / "weather_agent").glob("*.py"):
        (folder / path.name).write_bytes(path.read_bytes())
    agent = (folder / "agent.py").read_text(encoding="utf-8")
    (folder / "agent.py").write_text(KEY + agent, encoding="utf-8")
    packages = "opentelemetry-sdk\nopentelemetry-exporter-otlp-proto-http\n"
    (folder / "requirements.txt").write_text(packages, encoding="utf-8")
    for words in (
        ("record", "-o", "traces/", "--", sys.executable, "agent.py", "paris", "picnic"),
        ("bless", "traces/", "-o", "eval_set.json"),
        ("init", "--record-in-ci"),
    ):
        done = agentevals(*words, cwd=folder, OPENAI_API_KEY="x")
        assert done.returncode == 0, done.stderr
    found = (
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return {name: text for name, text in named.items() if not name.startswith("traces/")}


@dataclass(frozen=True)
class Bench:
    """An engine with the image of the action, the repository that `setup` is in, and a GitHub."""

    engine: Engine
    image: str
    stand_in: StandIn
    action: Path
    folder: Path

    def judge(
        self, base: dict[str, bytes], head: dict[str, bytes], *secrets: str
    ) -> tuple[str, str, str]:
        """Run both jobs on a pull request: conclusion and title of its check, and the log."""
        origin = Repository(self.folder / "workspace")
        shas = {"base": origin.commit(base)}
        shas["head"] = origin.commit(head, on=shas["base"])
        origin.move("main", shas["base"])
        git = ["git", "-C", str(origin.folder), "checkout", "-q", "--detach", shas["head"]]
        subprocess.run(git, check=True)
        hand_over(origin.folder)
        self._propose(shas, [name for name in head if head[name] != base.get(name)])
        log = self._run(*secrets)
        checks = self.stand_in.world.repository(REPOSITORY).checks.values()
        found = [one for one in checks if one["head_sha"] == shas["head"]]
        assert len(found) == 1, log
        return found[0]["conclusion"], found[0]["output"]["title"], log

    def _propose(self, shas: dict[str, str], names: list[str]) -> None:
        text = json.dumps(EVENT)
        for side, sha in shas.items():
            text = text.replace(EVENT["pull_request"][side]["sha"], sha)
        (self.folder / "event.json").write_text(text, encoding="utf-8")
        self.stand_in.world.pull(
            EVENT["number"],
            REPOSITORY,
            head_sha=shas["head"],
            base_sha=shas["base"],
            head_repository=REPOSITORY,
            files=[changed_file(self.stand_in.url, name, "modified") for name in names],
        )

    def _run(self, *secrets: str) -> str:
        (self.folder / "artifacts").mkdir()
        written = self.folder / "workspace/.github/workflows/agentevals.yml"
        workflow = written.read_text(encoding="utf-8").replace(NAME, OURS.partition("@")[0])
        given = {
            "--secret": [
                f"GITHUB_TOKEN={self.stand_in.token}",
                *(f"{one}=sk-x" for one in secrets),
            ],
            "--env": [
                f"GITHUB_REPOSITORY={REPOSITORY}",
                *map("=".join, self.stand_in.environ.items()),
            ],
            "--local-repository": list(self._provide_actions(workflow)),
            "--eventpath": [f"{self.folder}/event.json"],
            "--container-options": [f"--volume {self.folder}/artifacts:/artifacts"],
            "--workflows": [".github/workflows/evals.yml"],
        }
        words = [
            word for option, values in given.items() for one in values for word in (option, one)
        ]
        workspace = self.folder / "workspace"
        return run_act(self.engine, workspace, self.folder, workflow, "pull_request", *words).stdout

    def _provide_actions(self, workflow: str) -> Iterator[str]:
        """Yield where act finds each action that the workflow uses."""
        manifest = (ROOT / "action.yml").read_text(encoding="utf-8")
        released = manifest.replace("image: Dockerfile", f"image: docker://{self.image}")
        (self.action / "action.yml").write_text(released, encoding="utf-8")
        yield f"{OURS}={self.action}"
        for used in sorted(set(re.findall(r"uses: actions/(\S+)", workflow))):
            folder = self.folder / "actions" / used.partition("@")[0]
            folder.mkdir(parents=True)
            (folder / "action.yml").write_text(STAND_INS[folder.name], encoding="utf-8")
            yield f"actions/{used}={folder}"


@pytest.fixture
def bench(
    engine: Engine,
    image: str,
    stand_in: StandIn,
    repository: Path,
    tmp_path: Path,
) -> Bench:
    return Bench(engine, image, stand_in, repository, tmp_path)


Files = dict[str, bytes]
KEY_OF_THE_MODEL = "OPENAI_API_KEY"


def test_a_change_for_the_worse_is_not_ready(bench: Bench, project: Files):
    worse = project["script.py"].replace(b"geocode", b"forecast")
    conclusion, title, log = bench.judge(project, project | {"script.py": worse}, KEY_OF_THE_MODEL)

    assert (conclusion, title[:18]) == ("failure", "Not ready to merge"), log


def test_what_mends_it_is_ready(bench: Bench, project: Files):
    worse = project["script.py"].replace(b"geocode", b"forecast")
    conclusion, title, log = bench.judge(project | {"script.py": worse}, project, KEY_OF_THE_MODEL)

    assert (conclusion, title[:14]) == ("success", "Ready to merge"), log


def test_a_typo_in_the_docs_is_not_affected(bench: Bench, project: Files):
    head = project | {"README.md": b"An agnet.\n"}
    conclusion, title, log = bench.judge(project, head, KEY_OF_THE_MODEL)

    assert (conclusion, title[:12]) == ("success", "Not affected"), log


def test_without_a_key_it_is_not_evaluated(bench: Bench, project: Files):
    head = project | {"script.py": project["script.py"] + b"\n# nothing else\n"}
    conclusion, title, log = bench.judge(project, head)

    assert conclusion == "failure", log
    assert title == "Not evaluated: no recording of the agent arrived."


PAGE = (DOCS / "how-to/matrix.md").read_text(encoding="utf-8")


def test_jobs_of_a_matrix_come_to_one_verdict(bench: Bench, project: Files):
    """The workflow of the page as it is, but for the conversations that are recorded."""
    workflow = PAGE.partition("```yaml\n")[2].partition("```")[0]
    workflow = workflow.replace("python agent.py", "python agent.py paris picnic")
    base = project | {".github/workflows/agentevals.yml": workflow.encode()}
    worse = project["script.py"].replace(b"geocode", b"forecast")

    conclusion, title, log = bench.judge(base, base | {"script.py": worse}, KEY_OF_THE_MODEL)

    parts = sorted(path.name for path in (bench.folder / "artifacts").rglob("*.part"))
    assert parts == [f"agentevals-{number}-of-4.part" for number in (1, 2, 3, 4)], log
    assert (conclusion, title[:18]) == ("failure", "Not ready to merge"), log
    comments = bench.stand_in.world.repository(REPOSITORY).comments_on(EVENT["number"])
    assert len(comments) == 1, log
