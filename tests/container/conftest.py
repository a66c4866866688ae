"""One engine and one image for all tests of this folder, and the numbers that they measured."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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
_SHARED = "AGENTEVALS_TESTS_ENGINE"  # where workers find the client and the socket of our engine
_MEASURED = "measured"
_LONG = ("test_two_jobs", "test_setup")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start what workers share before there are workers."""
    option = session.config.option
    if getattr(option, "numprocesses", None) and not option.collectonly:
        started = ExitStack()
        session.config.add_cleanup(started.close)
        engine = started.enter_context(start_engine())
        build_image(engine)
        if engine.is_ours:
            os.environ[_SHARED] = f"{engine.client}\n{engine.socket}"


@pytest.hookimpl(tryfirst=True)  # -m chooses by the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins, and what counts containers of ours has the engine for itself."""
    items.sort(key=lambda item: item.path.stem not in _LONG)
    counting = {item.path for item in items if "ask" in getattr(item, "fixturenames", ())}
    for item in items:
        if item.path in counting:
            item.add_marker(pytest.mark.alone)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for kind in ("passed", "failed") for one in terminalreporter.getreports(kind)]
    facts = [fact for report in reports for fact in report.user_properties]
    if lines := [str(line) for name, line in facts if name == _MEASURED]:
        terminalreporter.section(_MEASURED)
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    if _SHARED in os.environ:
        client, socket = os.environ[_SHARED].split("\n")
        yield Engine(client, Path(socket), is_ours=True)
        return
    with start_engine() as found:
        yield found


@contextmanager
def start_engine() -> Iterator[Engine]:
    """An engine with a base image, tidied up at the end if it is ours."""
    with an_engine(_CACHE) as found:
        if found.is_ours:
            base_image.provide(found)
        yield found
        if found.is_ours:
            found.run("image", "prune", "--force")
            found.run("builder", "prune", "--force", "--keep-storage", "2GB")


@pytest.fixture(scope="session")
def image(engine: Engine) -> str:
    if _SHARED not in os.environ:
        build_image(engine)
    return IMAGE


def build_image(engine: Engine) -> None:
    """Build our image; the engine remembers what did not change."""
    engine.run("build", "--network", "host", "--tag", IMAGE, str(ROOT))


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
def measured(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Lines for the end of the run, where numbers are looked for."""
    return lambda line: request.node.user_properties.append((_MEASURED, line))
