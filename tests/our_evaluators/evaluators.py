"""The evaluators of this repository: their folders, manifests and fixtures."""

import shutil
from pathlib import Path
from typing import Any

import yaml

from agentevals.evaluator import evaluator_manifest
from agentevals_evaluator_sdk import EvalInput
from registry_tools.manifests import manifest_fixtures as smoke
from registry_tools.manifests.manifest_fixtures import Fixture
from tests import owner
from tests.registry_tools import registries
from tests.support import agentevals

EVALUATORS = Path(__file__).parents[2] / "evaluators"
FOLDERS = sorted(
    path for path in EVALUATORS.iterdir() if (path / evaluator_manifest.FILE).is_file()
)
NAMES = [folder.name for folder in FOLDERS]

JUDGED = [  # they ask a judge, which is not there unless a test serves one
    folder for folder in FOLDERS if "judge: true" in (folder / evaluator_manifest.FILE).read_text()
]


def fixtures(folder: Path) -> tuple[Fixture, ...]:
    path = folder / "fixtures.yaml"
    found = smoke.read(path.read_bytes(), str(path))
    assert not found.problems, found.problems
    return found.fixtures


def written(folder: Path) -> dict[str, Any]:
    return yaml.safe_load((folder / evaluator_manifest.FILE).read_text())


def usual(folder: Path, **settings: Any) -> EvalInput:
    """What its first fixture gives it, with other settings."""
    message = fixtures(folder)[0].build_input(folder.name)
    return message.model_copy(update={"config": {**message.config, **settings}})


def publish(root: Path) -> Path:
    """All of them as a registry of their own, and its index as the command compiles it."""
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(EVALUATORS, root / "evaluators", ignore=ignored)
    for path in (root / "evaluators").glob(f"*/{evaluator_manifest.FILE}"):
        owned = owner.MAINTAINER.sub(
            "maintainers: [{login: octocat, id: 583231}]", path.read_text()
        )
        path.write_text(owned)
    registries.repository(root)
    done = agentevals("registry", "index", cwd=root)
    assert (done.returncode, done.stderr) == (0, "")
    return root
