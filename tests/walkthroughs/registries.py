"""The two registries that the pages name, as GitHub has them. Their addresses are the default."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.registry_tools import registries
from tests.stand_in.world import World

ROOT = Path(__file__).parents[2]
COMMUNITY, OURS = "agentevals-dev/evaluators", "OWNER/agentevals-action"
_IGNORED = shutil.ignore_patterns("__pycache__", ".*")
# names that the community's registry lists, with manifests of six keys and without versions
_LISTED = ("response_quality", "tool_coverage")
_PROGRAM = b"""from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(input: EvalInput) -> EvalResult:
    return EvalResult(score=1.0)


if __name__ == "__main__":
    judge.run()
"""


def offer(world: World, folder: Path) -> None:
    """Put both registries where a run with default settings looks for them."""
    _put(world, COMMUNITY, "c0" * 20, _community())
    files = publish_ours(folder)
    _put(world, OURS, json.loads(files["index.json"])["commit"], files)


def _put(world: World, name: str, commit: str, files: dict[str, bytes]) -> None:
    repository = world.repository(name)
    repository.commits["main"] = commit
    repository.files[commit] = files


def _community() -> dict[str, bytes]:
    files, index = {}, "evaluators:\n"
    for name in _LISTED:
        path = f"evaluators/{name}/{name}.py"
        files[path] = _PROGRAM
        index += (
            f"  - name: {name}\n    description: It is fine\n    language: python\n"
            f"    path: {path}\n    tags: [tools]\n    author: agentevals-dev\n"
        )
    return {**files, "index.yaml": index.encode()}


def publish_ours(folder: Path) -> dict[str, bytes]:
    """The evaluators of this repository, with the index that is published beside them."""
    shutil.copytree(ROOT / "evaluators", folder / "evaluators", ignore=_IGNORED)
    registries.repository(folder)
    program = [sys.executable, "-m", "agentevals", "registry", "index"]
    subprocess.run(program, cwd=folder, check=True, capture_output=True)
    found = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
