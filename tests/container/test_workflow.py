"""A whole workflow of somebody who uses the action, run by act on a real engine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.container import base_image
from tests.container.conftest import ROOT
from tests.container.engine import Engine
from tests.container.test_pull_request import EVENT, REPOSITORY, propose
from tests.stand_in.server import StandIn

ACT = Path(sys.executable).with_name("act")
WORKFLOW = """\
name: evals
on: pull_request
permissions: {}
jobs:
  evals:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write
    steps:
      - uses: actions/checkout@v6
      - id: evals
        continue-on-error: true
        uses: octo-org/agentevals-action@v1
        with:
          traces: traces/*.jsonl
          config: eval_config.yaml
          eval-set: eval_set.json
          check: "off"
      - env:
          OUTCOME: ${{ steps.evals.outcome }}
          VERDICT: ${{ steps.evals.outputs.verdict }}
          FAILED: ${{ steps.evals.outputs.failed }}
          REPORT: ${{ steps.evals.outputs.report }}
        run: |
          echo "a later step read $OUTCOME, $VERDICT, $FAILED"
          test -s "$REPORT/report.json"
"""
# act copies the folder into the container where a checkout is asked for
CHECKOUT = """\
name: checkout
description: The folder is there
runs:
  using: composite
  steps: []
"""


def run_act(
    engine: Engine, workspace: Path, folder: Path, workflow: str, event: str, *words: str
) -> subprocess.CompletedProcess[str]:
    """Run a workflow on a checkout. `words` are further arguments of act."""
    _write(workspace / ".github/workflows/evals.yml", workflow)
    _write(folder / "checkout/action.yml", CHECKOUT)
    return subprocess.run(
        [
            *(ACT, event, "--platform", f"ubuntu-latest={base_image.NAME}", "--pull=false"),
            *("--action-offline-mode", "--no-cache-server"),
            *("--local-repository", f"actions/checkout@v6={folder}/checkout"),
            *("--container-daemon-socket", engine.environment["DOCKER_HOST"]),
            *words,
        ],
        cwd=workspace,
        env={**engine.environment, "HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def log(engine: Engine, image: str, workspace: Path, stand_in: StandIn, tmp_path: Path) -> str:
    """What the workflow said, on a pull request that the stand-in knows."""
    propose(stand_in)
    manifest = (ROOT / "action.yml").read_text(encoding="utf-8")
    released = manifest.replace("image: Dockerfile", f"image: docker://{image}")
    _write(tmp_path / "action/action.yml", released)
    _write(tmp_path / "event.json", json.dumps(EVENT))
    done = run_act(
        engine,
        workspace,
        tmp_path,
        WORKFLOW,
        "pull_request",
        *("--eventpath", f"{tmp_path}/event.json"),
        *("--local-repository", f"octo-org/agentevals-action@v1={tmp_path}/action"),
        *("--secret", f"GITHUB_TOKEN={stand_in.token}"),
        *("--env", f"GITHUB_REPOSITORY={REPOSITORY}"),
        *(word for pair in stand_in.environ.items() for word in ("--env", "=".join(pair))),
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_workflow_reads_what_the_action_found(log: str, stand_in: StandIn):
    comments = stand_in.world.repository(REPOSITORY).comments_on(EVENT["number"])

    assert "a later step read failure, failed, 1" in log
    assert "Summary - " in log
    assert "::error" in log
    assert len(comments) == 1


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
