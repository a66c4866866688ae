"""What is in the image, what is not, and how much of it there is."""

import json
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.container.conftest import IMAGE, ROOT
from tests.container.engine import Engine
from tests.container.runner import Runner

MOST_MEGABYTES = 120
NODE = "usr/local/bin/node"


@pytest.fixture
def config(engine: Engine, image: str) -> dict[str, Any]:
    return json.loads(engine.run("image", "inspect", image).stdout)[0]["Config"]


def test_it_starts_isolated_from_its_working_directory(config):
    assert config["Entrypoint"] == ["/usr/local/bin/python3", "-I", "-m", "agentevals.action"]


def test_it_leaves_user_and_working_directory_to_the_runner(config):
    assert (config["User"], config["WorkingDir"], config["Cmd"]) == ("", "", None)


def test_it_says_what_it_is(config):
    labels = config["Labels"]

    assert labels["org.opencontainers.image.title"] == "agentevals-action"
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"


@pytest.mark.parametrize("name", ["cc", "gcc", "g++", "make", "pip", "pip3", "npm", "uv"])
def test_nothing_in_it_builds_or_installs(runner: Runner, name):
    found = runner.program("which", name)

    assert found.exit_code != 0, found.log


@pytest.mark.parametrize("name", ["agentevals", "git", "node"])
def test_what_it_needs_is_on_the_path(runner: Runner, name):
    found = runner.program("which", name)

    assert found.exit_code == 0, found.log


def test_its_node_strips_types(runner: Runner):
    version = runner.program("node", "--version")
    major, minor, _ = map(int, version.log.strip().removeprefix("v").split("."))

    assert (major, minor) >= (22, 18)


def test_git_looks_into_no_checkout_of_others_unless_told_to(runner: Runner):
    settings = runner.program("git", "config", "--system", "--get-all", "safe.directory")

    assert settings.log == ""


def test_the_package_is_installed_and_not_linked(runner: Runner):
    where = "import agentevals; print(agentevals.__file__)"
    said = runner.program("python3", "-I", "-c", where)

    assert said.log.startswith("/usr/local/lib/python3")


def test_nothing_has_to_be_compiled_at_a_start(runner: Runner):
    uncompiled = (
        "import agentevals, json, sys; from importlib.util import cache_from_source as cache;"
        "from pathlib import Path; home = Path(agentevals.__file__).parents[1];"
        "files = [*home.rglob('*.py'), *Path(json.__file__).parents[1].glob('*.py')];"
        "print(*(f for f in files if not Path(cache(f)).exists()))"
    )
    said = runner.program("python3", "-I", "-c", uncompiled)

    assert said.log.strip() == ""


def test_installing_left_no_lists_and_no_caches(runner: Runner):
    left = runner.program("find", "/var/lib/apt/lists", "/var/cache", "/root", "/tmp", "-type", "f")
    left_files = [line for line in left.log.splitlines() if "No such file" not in line]

    assert [line for line in left_files if not line.startswith("/root/.")] == []


def test_what_is_built_twice_is_the_same(engine: Engine, tmp_path: Path):
    source = tmp_path / "source"  # which nobody edits meanwhile
    other = (".git", ".venv", ".*cache", ".hypothesis", "__pycache__", "tests", "docs")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*other))
    once, again = (_built(engine, source), _built(engine, source, "--no-cache"))

    assert len(once) > 1000
    assert again == once


def test_it_is_small(engine: Engine, image: str, tmp_path: Path, measured: Callable[[str], None]):
    layers = dict(_layers(engine, image, tmp_path))
    node = layers.pop(NODE)
    megabytes = sum(layers.values())
    measured(
        f"image: {megabytes:.1f} MB compressed without Node (at most {MOST_MEGABYTES}), "
        f"Node {node:.1f} MB; by layer: {', '.join(f'{size:.1f}' for size in layers.values())}"
    )

    assert megabytes <= MOST_MEGABYTES


def _built(engine: Engine, source: Path, *options: str) -> list[str]:
    """Every file that our own stage makes, with the hash of what is in it."""
    tag = f"{IMAGE}-parts"
    how = ("--network", "host", "--target", "build", "--tag", tag)
    engine.run("build", *options, *how, str(source))
    hashes = "find /installed /node -type f -exec sha256sum {} +"
    said = engine.run("run", "--rm", "--network", "none", tag, "sh", "-c", hashes)

    return sorted(said.stdout.splitlines())


def _layers(engine: Engine, image: str, folder: Path) -> Iterator[tuple[str, float]]:
    """Each layer by its first file, but the one with Node by Node's; in compressed megabytes."""
    engine.run("save", "--output", str(folder / "image.tar"), image)
    with tarfile.open(folder / "image.tar") as saved:
        (manifest,) = json.load(saved.extractfile("manifest.json"))
        for number, layer in enumerate(manifest["Layers"]):
            with tarfile.open(fileobj=saved.extractfile(layer)) as files:
                has_node = any(file.name == NODE for file in files)
            yield NODE if has_node else str(number), _compressed(saved.extractfile(layer))


def _compressed(file: Any) -> float:
    squeezer = zlib.compressobj(6)
    pieces = iter(lambda: file.read(1 << 20), b"")

    return (sum(len(squeezer.compress(piece)) for piece in pieces) + len(squeezer.flush())) / 1e6
