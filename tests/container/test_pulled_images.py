"""Images that the engine does not have yet, out of a real registry on this machine."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentevals.model.errors import UnavailableError
from tests.container import base_image
from tests.container.asking import Ask
from tests.container.engine import Engine, unpack, wait_until
from tests.servers import find_port

_PROGRAM = "usr/bin/docker-registry"
_SETTINGS = """
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a registry for as long as the tests of this module run, and return its address."""
    root = Path.home() / ".cache/agentevals-tests/registry/root"
    unpack(root, _PROGRAM, ["docker-registry"])
    folder, port = tmp_path_factory.mktemp("registry"), find_port()
    (folder / "settings.yml").write_text(_SETTINGS.format(folder=folder, port=port))
    words = [str(root / _PROGRAM), "serve", str(folder / "settings.yml")]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(words, stdout=log, stderr=log) as server,
    ):
        try:
            wait_until(lambda: b"listening on" in (folder / "log").read_bytes())
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def pushed(engine: Engine, registry: str) -> Iterator[str]:
    """Push an image, and return its name with its digest. The engine has it no more."""
    name = f"{registry}/judges:1"
    engine.run("tag", base_image.NAME, name)
    engine.run("push", "--quiet", name)
    found = json.loads(engine.run("image", "inspect", name).stdout)[0]
    [digest] = [one for one in found["RepoDigests"] if one.startswith(registry)]
    engine.run("image", "rm", name)
    yield digest
    engine.run("image", "rm", digest, check=False)


def test_an_image_is_pulled_by_its_digest_and_reported(
    ask: Ask, pushed: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("AGENTEVALS_OFFLINE")

    answer = ask("print('pulled')", image=pushed)

    assert answer.stdout == b"pulled\n"
    assert answer.isolation == f"strict (container of {pushed})"


@pytest.mark.parametrize("wrong", ["digest", "name", "registry"])
def test_why_an_image_cannot_be_pulled_is_said(
    ask: Ask, pushed: str, wrong: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("AGENTEVALS_OFFLINE")
    name, _, digest = pushed.partition("@")
    address = name.partition("/")[0]
    named, said = {
        "digest": (f"{name}@sha256:{'0' * 64}", "not found|manifest unknown"),
        "name": (f"{address}/none:1", "not found|manifest unknown"),
        "registry": (f"127.0.0.1:9/judges@{digest}", "connection refused"),
    }[wrong]

    with pytest.raises(
        UnavailableError, match=rf"the image '{named}' cannot be pulled: .*({said})"
    ):
        ask("print(1)", image=named)


def test_nothing_is_pulled_offline(ask: Ask, registry: str):
    with pytest.raises(UnavailableError, match="this run is offline, and the engine has no image"):
        ask("print(1)", image=f"{registry}/judges:2")
