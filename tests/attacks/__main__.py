"""`python -m tests.attacks`: make every attempt in the sandbox of this machine, one program each.

Prints one JSON object: the isolation, how many attempts there were, which reached something, and
what was done to the scene. With `--ways` all are made on each way that code is run, and the object
has one such object for each. Runs on the host and in the image.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import describe, run_program
from agentevals.sandbox.launcher.kernel import _MANY, USERS
from agentevals.sandbox.launcher_client import get_launcher
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.program_runtimes import find_node
from tests.attacks import grants, table, ways
from tests.attacks.exhausting import EXHAUSTING
from tests.attacks.program import REACHED, write_alone, write_script
from tests.attacks.scene import TOKEN, Scene, set_up

_TIMEOUT, _OF_EXHAUSTING, _PATIENCE = 20.0, 4.0, 15.0
_USUAL = Rights(subprocess=True)
Attempt = tuple[str, Callable[[], bool]]


def make(scene: Scene, *, exhausting: bool = True) -> dict[str, object]:
    """Make every attempt, and return what came of it."""
    os.environ["SECRET"] = TOKEN
    attempts = [*_list_alone(scene), *_list_granted(scene)]
    if exhausting:
        attempts += _list_exhausting(scene)
    with ThreadPoolExecutor(4) as pool:
        reached = list(pool.map(lambda attempt: attempt[1](), attempts))
    names = [name for (name, _), was in zip(attempts, reached, strict=True) if was]
    return {
        "isolation": describe(),
        "tried": len(attempts),
        "reached": names,
        "damage": [*scene.list_damage(), *_wait_for_survivors()],
    }


def _list_alone(scene: Scene) -> Iterator[Attempt]:
    for name, text in table.list_attempts().items():
        yield name, _prepare([sys.executable], "attack.py", write_alone(text, scene.things))
    starts = {"node": ([str(find_node())], "attack.cjs"), "sh": (["/bin/sh"], "attack.sh")}
    for language, attempts in table.SCRIPTS.items():
        for name, text in attempts.items():
            command, file = starts[language]
            written = write_script(language, text, scene.things)
            yield f"{language}: {name}", _prepare(command, file, written)


def _list_granted(scene: Scene) -> Iterator[Attempt]:
    """Yield the attempts of programs that were granted something."""
    rights = Rights(
        subprocess=True,
        hosts=(Host("127.0.0.1", int(str(scene.things["granted"]))),),
        files=(Path(str(scene.things["lent"])),),
        env={"GRANTED": "a value"},
    )
    for name, text in grants.list_grants().items():
        written = write_alone(text, scene.things)
        yield f"granted: {name}", _prepare([sys.executable], "attack.py", written, rights=rights)


def _list_exhausting(scene: Scene) -> Iterator[Attempt]:
    for name, text in EXHAUSTING.items():
        written = write_alone(text, scene.things)
        yield name, _prepare([sys.executable], "attack.py", written, _OF_EXHAUSTING)


def _prepare(
    command: list[str],
    file: str,
    text: str,
    timeout: float = _TIMEOUT,
    rights: Rights = _USUAL,
) -> Callable[[], bool]:
    def run() -> bool:
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            path = Path(folder, file)
            path.write_text(text)
            path.parent.chmod(0o755)
            try:
                finished = run_program(
                    [*command, str(path)],
                    stdin=b"",
                    timeout=timeout,
                    folder=path.parent,
                    rights=rights,
                )
            except EvaluatorError:  # it was ended, and it is said why
                return False
        return REACHED in finished.stdout.decode(errors="replace")

    return run


def _wait_for_survivors() -> list[str]:
    """Return the processes that do not end: a busy machine takes a moment to end them."""
    patience = time.monotonic() + _PATIENCE
    while (found := [*_list_survivors()]) and time.monotonic() < patience:
        time.sleep(0.1)
    return found


def _list_survivors() -> Iterator[str]:
    """Yield processes that still have a scratch folder of ours for a home."""
    home = f"HOME={get_launcher().base}".encode()
    first = _MANY + get_launcher().pid * (USERS + 1)
    users = range(first, first + USERS + 1)
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            # it may have given up its variables, and not its user
            if home in path.read_bytes() or path.stat().st_uid in users:
                words = path.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
                yield f"process {path.parts[2]} lives: {words}"
        except OSError:
            continue


def _make_on_every_way() -> dict[str, object]:
    made: dict[str, object] = {}
    for way in ways.WAYS:
        with set_up() as scene, tempfile.TemporaryDirectory(prefix="way-") as folder:
            made[way] = ways.make(way, scene, Path(folder))
    return made


def _main() -> dict[str, object]:
    if "--ways" in sys.argv:
        return _make_on_every_way()
    with set_up() as scene:
        return make(scene)


if __name__ == "__main__":
    print(json.dumps(_main(), indent=1))
