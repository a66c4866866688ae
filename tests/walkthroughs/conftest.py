"""Somebody who has done what the README says, and a GitHub on loopback."""

import shutil

import pytest

from tests.action.job import Job
from tests.stand_in import fixtures
from tests.stand_in.server import running
from tests.support import EXAMPLES
from tests.walkthroughs import registries
from tests.walkthroughs.reader import ROOT, Reader, newcomer

README = (ROOT / "README.md").read_text(encoding="utf-8")

judge, stand_in = fixtures.judge, fixtures.stand_in


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Somebody who had an agent and followed the README, and what the commands printed."""
    reader = newcomer(tmp_path_factory.mktemp("newcomer"))
    for file in (EXAMPLES / "weather_agent").iterdir():
        if file.is_file():
            shutil.copy(file, reader.folder)
    shutil.copy(reader.folder / "agent.py", reader.folder / "my_agent.py")
    return reader, reader.follow(README)


@pytest.fixture(scope="session")
def github(tmp_path_factory):
    with running() as found:
        registries.offer(found.world, tmp_path_factory.mktemp("ours"))
        yield found


@pytest.fixture(scope="session")
def begin(finished, github):
    """Return who has done what the README says, and reads on. The registries are on loopback."""

    def begin_in(folder):
        done, _ = finished
        shutil.copytree(done.folder, folder / "project")
        home = folder / "home"
        home.mkdir()
        at = {"HOME": str(home), "AGENTEVALS_API_URL": github.url}
        return Reader(folder / "project", {**done.environ, **at})

    return begin_in


@pytest.fixture
def reader(begin, tmp_path):
    return begin(tmp_path)


@pytest.fixture
def beginner(reader):
    """The same without what the README has made: only the agent, and what was installed."""
    for name in (".github", "traces", "tool_check"):
        shutil.rmtree(reader.folder / name)
    for name in ("eval_config.yaml", "eval_set.json"):
        (reader.folder / name).unlink()
    return reader


@pytest.fixture
def job(tmp_path, stand_in):
    return Job(tmp_path / "job", stand_in)
