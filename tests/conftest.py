"""Goldens beside their inputs, and a network that is closed."""

import gc
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import DATA, UPDATE

# they begin first, because most of their time they wait for what the product waits for
_WAITING = {"test_frozen_workflows", "test_interrupted"}

# what has a target of its own, which names it: `make test` leaves it to that
_TARGETS = frozenset(
    Path(__file__).parent / name
    for name in (
        *("action", "cli", "frozen", "house", "mutants", "registry_tools", "sandbox"),
        *("attacks/everywhere", "browser", "cluster", "container"),
        *("our_evaluators", "walkthroughs"),
        *(
            "real_sdks",
            "recipes",
            "reference_values",
            "run/test_same_bytes.py",
            "site",
            "small_model",
        ),
    )
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="write goldens anew, and run nothing else"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What has a target is collected only if the command names it, or a file of it."""
    if collection_path not in _TARGETS:
        return None
    named = (Path(word.partition("::")[0]).absolute() for word in config.args)
    return None if any(path.is_relative_to(collection_path) for path in named) else True


def pytest_collection() -> None:
    """Nothing that collecting makes is garbage: looking for it would take a fifth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """Half as many more than cores, because tests wait for processes and servers."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem not in _WAITING)
    if config.getoption("--update-goldens"):
        fixtures = [set(getattr(item, "fixturenames", ())) for item in items]
        items[:] = [i for i, f in zip(items, fixtures, strict=True) if f & {"golden", "frozen"}]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str | Path, Any], None]:
    """Compare with a file under tests/data; `--update-goldens` rewrites it for a person to read."""

    def check(name: str | Path, actual: Any) -> None:
        path = DATA / name
        text = actual if isinstance(actual, str) else json.dumps(actual, indent=2) + "\n"
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing; {UPDATE}"
        assert text == path.read_text(encoding="utf-8"), UPDATE

    return check


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that leaves this machine is a test that fails somewhere else."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "127.0.0.1"
        if host not in {"127.0.0.1", "::1", "localhost"}:
            pytest.fail(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _own_caches(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Caches of the person who runs the tests are neither read nor written."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
