"""How frozen runs are played, and folders of goldens that are compared as a whole."""

import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.frozen import github, model, registries
from tests.frozen.place import place, write
from tests.frozen.requests import shown
from tests.frozen.runs import Run
from tests.servers import serve

FROZEN = Path(__file__).parents[1] / "data" / "frozen"
Pieces = Mapping[str, str]
Frozen = Callable[[str, Pieces], Pieces]


@pytest.fixture
def frozen(request: pytest.FixtureRequest) -> Frozen:
    """Return what a folder holds, so that a file that is missing or new is seen as well.

    `--update-goldens` writes it anew.
    """

    def read(name: str, pieces: Pieces) -> Pieces:
        folder = FROZEN / name
        if request.config.getoption("--update-goldens"):
            shutil.rmtree(folder, ignore_errors=True)
            for piece, text in pieces.items():
                path = folder / piece
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
        return _read_folder(folder)

    return read


def _read_folder(folder: Path) -> Pieces:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in files}


@pytest.fixture
def play() -> Callable[[Run], Pieces]:
    """Type the commands of a run, and return all that came of them."""

    def type_commands(run: Run) -> Pieces:
        with place() as here, ExitStack() as stack:
            here.environ |= run.environ
            write(here.project, run.files)
            stand_in = stack.enter_context(github.reached(here)) if run.github else None
            if stand_in:
                github.offer_everywhere(here, stand_in, registries.REGISTRY)
            server = stack.enter_context(serve(model.answer)) if run.model else None
            if server:
                model.reached(here, server)
            here.type(*run.commands)
            if server:
                here.keep("requests.json", shown(server.seen))
            if stand_in:
                here.keep("requests.json", shown(each.request for each in stand_in.exchanges))
            return dict(here.pieces)

    return type_commands
