"""Texts that are run as evaluators in containers, and what they answer."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from agentevals.custom_evaluators import Answer, Permissions, create_executor
from agentevals.sandbox.container.container_run import remove_all
from agentevals.sandbox.program_runtimes import find_node
from tests.container import base_image
from tests.container.engine import Engine, wait_until

NODE = "agentevals-node:test"
Ask = Callable[..., Answer]


@pytest.fixture
def ask(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """Run a text as an evaluator in a container, and return its answer."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{engine.socket}")
    monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")
    monkeypatch.setenv("DEPLOY_TOKEN", "secret")
    folder = tmp_path / "evaluator"
    folder.mkdir()

    def run(
        text: str,
        message: bytes = b"{}",
        *,
        name: str = "evaluator.py",
        timeout: float = 30,
        **allowed,
    ) -> Answer:
        if not (folder / name).exists() or (folder / name).read_text() != dedent(text):
            (folder / name).write_text(dedent(text))
        backend = create_executor("docker", folder / name, timeout)
        permissions = Permissions(**{"image": base_image.NAME, **allowed})
        return backend.exchange(message, "judge", permissions)

    yield run
    remove_all()
    wait_until(lambda: list_containers(engine) == [])


@pytest.fixture(scope="session")
def node_image(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> str:
    context = tmp_path_factory.mktemp("context")
    shutil.copy(find_node(), context / "node")
    (context / "Dockerfile").write_text(f"FROM {base_image.NAME}\nCOPY node /usr/local/bin/node\n")
    engine.run("build", "--network", "none", "--tag", NODE, str(context))
    return NODE


def list_containers(engine: Engine, *which: str) -> list[str]:
    words = ("container", "ls", "--all", "--quiet", "--filter", "label=agentevals", *which)
    return engine.run(*words).stdout.split()
