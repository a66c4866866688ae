"""Sentences for machines that have no engine; real engines are in `tests/container`."""

import os
import socket
import threading
from pathlib import Path, PurePath

import pytest

from agentevals.custom_evaluators import create_executor
from agentevals.model.errors import UnavailableError
from agentevals.sandbox.container.container_engine import Engine, find_engine, list_sockets
from agentevals.sandbox.container.container_images import choose_image
from tests.support import EXAMPLES, agentevals


def test_without_an_engine_it_says_where_it_looked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    (tmp_path / "evaluator.py").touch()
    said = (
        f"cannot be started: no container engine answers at {tmp_path}/none; "
        "start Docker, or use executor: local"
    )

    with pytest.raises(UnavailableError) as refused:
        find_engine()
    assert str(refused.value) == said
    assert create_executor("docker", tmp_path / "evaluator.py").problems() == [said]


def test_only_a_socket_is_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:2375")

    with pytest.raises(UnavailableError, match="only a socket 'unix:///…' can be used; unset it"):
        find_engine()


def test_the_socket_of_podman_is_an_engine_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "podman").mkdir()

    assert f"{tmp_path}/podman/podman.sock" in list_sockets()
    if any(Path(place).exists() for place in list_sockets()):
        pytest.skip("this machine has an engine")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{tmp_path}/podman/podman.sock")
        listening.listen()
        assert find_engine().place == f"{tmp_path}/podman/podman.sock"


# the beginnings of what Podman 4.3 and Docker Engine 20.10 answer
OF_PODMAN = b'{"Components": [{"Name": "Podman Engine", "Version": "4.3.1"}, {"Name": "Conmon"}]}'
OF_DOCKER = b'{"Components": [{"Name": "Engine", "Version": "20.10.24"}, {"Name": "runc"}]}'


@pytest.mark.parametrize(("answer", "is_podman"), [(OF_PODMAN, True), (OF_DOCKER, False)])
def test_podman_is_told_from_docker(tmp_path: Path, answer: bytes, is_podman: bool) -> None:
    def serve() -> None:
        peer, _ = listening.accept()
        with peer:
            peer.recv(1 << 16)
            peer.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + answer)

    place = str(tmp_path / "engine")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        threading.Thread(target=serve).start()

        assert Engine(place).is_podman == is_podman


@pytest.mark.skipif(os.geteuid() == 0, reason="root may use every socket")
def test_who_may_not_use_the_engine_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/engine")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{tmp_path}/engine")
        listening.listen()
        (tmp_path / "engine").chmod(0)
        with pytest.raises(UnavailableError, match="join the group 'docker', or use executor"):
            find_engine()


def test_every_language_has_an_image() -> None:
    assert choose_image(PurePath("judge.ts")) == "node:24-slim"
    assert choose_image(PurePath("judge.py")).startswith("python:3.")
    assert choose_image(PurePath("judge.sh")).startswith("python:3.")


def test_a_run_without_an_engine_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    (tmp_path / "judge.py").touch()
    entry = "{name: own, type: code, path: judge.py, executor: docker}"
    (tmp_path / "eval_config.yaml").write_text(f"evaluators:\n  - {entry}\n")

    done = agentevals(
        "run", EXAMPLES / "traces/paris.jsonl", "-c", "eval_config.yaml", cwd=tmp_path
    )

    assert done.returncode == 3
    assert "no container engine answers at" in done.stdout.replace("\n  ", " ")
