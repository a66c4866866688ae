"""One engine and one image for all tests of this folder, and the numbers that they measured."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.container import base_image
from tests.container.asking import ask, node_image  # noqa: F401 -- fixtures
from tests.container.engine import Engine, an_engine
from tests.container.runner import Runner, hand_over
from tests.stand_in.fixtures import judge, stand_in  # noqa: F401 -- fixtures
from tests.support import EXAMPLES

ROOT = Path(__file__).parents[2]
IMAGE = "agentevals-action:test"
_CACHE = Path.home() / ".cache/agentevals-tests/engine"
_MEASURED: list[str] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _MEASURED:
        terminalreporter.section("measured")
        for line in _MEASURED:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with an_engine(_CACHE) as found:
        if found.is_ours:
            base_image.provide(found)
        yield found
        if found.is_ours:
            found.run("image", "prune", "--force")
            found.run("builder", "prune", "--force", "--keep-storage", "2GB")


@pytest.fixture(scope="session")
def image(engine: Engine) -> str:
    """Built once; the engine remembers what did not change."""
    engine.run("build", "--network", "host", "--tag", IMAGE, str(ROOT))
    return IMAGE


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a repository that can be cloned, in a folder whose name has a space."""
    folder = tmp_path_factory.mktemp("actions") / "of others" / "agentevals-action"
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A checkout of a repository that looks like our examples."""
    folder = tmp_path / "workspace"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    hand_over(folder)
    return folder


@pytest.fixture
def runner(engine: Engine, image: str, workspace: Path, tmp_path: Path) -> Runner:
    return Runner(engine, image, workspace, tmp_path / "runner")


@pytest.fixture
def measured() -> Callable[[str], None]:
    """Lines for the end of the run, where numbers are looked for."""
    return _MEASURED.append
