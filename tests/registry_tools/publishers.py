"""A registry that several people publish from: a bare repository, and their clones."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from agentevals.evaluator import registry_index
from agentevals.evaluator.registry_index import Index
from tests import forked
from tests.registry_tools import registries

COMMAND = (sys.executable, "-m", "registry_tools")
ROOT = Path(__file__).parents[2]


def shared(home: Path, *names: str) -> Path:
    """A bare repository with these evaluators on `main`."""
    seed = home / "seed"
    for name in names:
        registries.write(seed, name)
    registries.repository(seed)
    bare = home / "shared.git"
    registries.git(home, "clone", "--quiet", "--bare", str(seed), str(bare))
    return bare


def clone(bare: Path, name: str) -> Path:
    """Somebody's own copy."""
    registries.git(bare.parent, "clone", "--quiet", str(bare), name)
    return bare.parent / name


def run(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command, to its end."""
    return forked.run("registry_tools", words, cwd=root, env=environment())


def start(root: Path, *words: str) -> "subprocess.Popen[str]":
    """The same, without waiting for it."""
    return subprocess.Popen(
        [*COMMAND, *words], cwd=root, env=environment(), encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def environment(**more: str) -> dict[str, str]:
    """Without anything of the person who runs the tests."""
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **more}


def of_branch(bare: Path, path: str, ref: str = "main") -> bytes:
    """A file of the branch that everybody sees."""
    return registries.git(bare, "show", f"{ref}:{path}").encode()


def listed(bare: Path, ref: str = "main") -> Index:
    """The index that everybody sees."""
    return registry_index.parse(of_branch(bare, "index.json", ref), where="index.json")


def names(bare: Path) -> list[str]:
    """Who is listed there."""
    return [entry.name for entry in listed(bare).evaluators]


def sequence(bare: Path) -> int:
    """How often something was published."""
    return int(json.loads(of_branch(bare, "head.json"))["sequence"])


def pushed(root: Path) -> None:
    """What is in a clone, on the shared branch; others may be pushing."""
    registries.commit(root)
    for _ in range(50):
        words = ("git", "-C", str(root), "push", "--quiet", "origin", "HEAD:main")
        if subprocess.run(words, capture_output=True, check=False).returncode == 0:
            return
        registries.git(root, "pull", "--quiet", "--rebase", "origin", "main")
    raise AssertionError(root)


@contextmanager
def serving() -> Iterator[Callable[[Path], str]]:
    """Serve folders on loopback, as Pages does, until the block ends."""
    with ExitStack() as open_servers:

        def serve(folder: Path) -> str:
            handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
            server = open_servers.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), handler))
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            open_servers.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_address[1]}/index.json"

        yield serve
