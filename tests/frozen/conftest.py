"""Frozen folders: compared as a whole, so that a file that is missing or new is seen as well."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

FROZEN = Path(__file__).parents[1] / "data" / "frozen"


@pytest.fixture
def frozen(request: pytest.FixtureRequest) -> Callable[[str, Mapping[str, str]], None]:
    """Compare with a folder of goldens; `--update-goldens` writes it anew."""

    def check(name: str, pieces: Mapping[str, str]) -> None:
        folder = FROZEN / name
        if request.config.getoption("--update-goldens"):
            shutil.rmtree(folder, ignore_errors=True)
            for piece, text in pieces.items():
                path = folder / piece
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
        assert sorted(pieces) == sorted(_kept(folder))
        for piece, text in pieces.items():
            assert text == (folder / piece).read_bytes().decode(), piece

    return check


def _kept(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path.relative_to(folder).as_posix() for path in files]
