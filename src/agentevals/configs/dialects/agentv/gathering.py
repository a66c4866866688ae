"""Find the tests of an EVAL file: in it, in files that it names, on the lines of a file."""

from collections.abc import Iterator
from glob import has_magic
from pathlib import Path
from typing import Any, NamedTuple

from agentevals.configs.dialects.agentv.schema import TESTS
from agentevals.configs.dialects.agentv.sheets import Sheet
from agentevals.files import globs, reading
from agentevals.files.places import describe, quote
from agentevals.files.validation import Where

_FILE = "file://"
_CASE = ("case.yaml", "case.yml")
_DEEPEST = 5  # files that name files


class Item(NamedTuple):
    """One test as it is written, and where."""

    sheet: Sheet
    record: dict[str, Any]
    where: Where


def read_items(
    sheet: Sheet, given: Any, where: Where, trail: tuple[Path, ...] = ()
) -> Iterator[Item]:
    """Every test that stands in a value: a list of tests and paths, or one path."""
    if isinstance(given, str):
        yield from _read_named(sheet, given, where, trail)
        return
    if not isinstance(given, list):
        sheet.refuse(f"the tests must be a list, or the path of one, not {describe(given)}", where)
        return
    for index, one in enumerate(given):
        place = (*where, index)
        if isinstance(one, str):
            yield from _read_named(sheet, one, place, trail)
        elif isinstance(one, dict):
            yield Item(sheet, one, place)
        else:
            sheet.refuse(f"a test is a mapping, or the path of a file, not {describe(one)}", place)


def _read_named(sheet: Sheet, given: str, where: Where, trail: tuple[Path, ...]) -> Iterator[Item]:
    wrong = len(sheet.shared.problems)
    chosen = Path(sheet.paths.absolute(given.strip().removeprefix(_FILE), where))
    if len(sheet.shared.problems) > wrong:
        return
    if len(trail) == _DEEPEST or chosen in trail:
        what = "names itself" if chosen in trail else f"is more than {_DEEPEST} files deep"
        sheet.refuse(f"the file of tests {quote(given)} {what}", where)
        return
    found = list(_find_files(sheet, chosen))
    if not found:
        near = "" if has_magic(given) else reading.nearest(chosen)
        sheet.refuse(f"there is no file of tests {quote(given)}{near}", where)
    for path in found:
        if not reading.contains(sheet.shared.root, path):
            sheet.refuse(f"{quote(str(path))} leads out of the workspace; use a file in it", where)
        elif not sheet.shared.once(f"tests of {path.resolve()}"):
            sheet.refuse(f"the file of tests {quote(str(path))} is named twice; keep one", where)
        elif (other := sheet.shared.open(path)) is not None:
            yield from _read_tests(other, path, (*trail, chosen))


def _find_files(sheet: Sheet, chosen: Path) -> Iterator[Path]:
    if reading.exists(chosen):
        yield from _find_cases(chosen) if chosen.is_dir() else (reading.shortest(chosen),)
    elif has_magic(str(chosen)):
        own = sheet.document.path.absolute()
        found = sorted(globs.matching(str(chosen)), key=str)
        yield from (reading.shortest(path) for path in found if path.is_file() and path != own)


def _find_cases(folder: Path) -> Iterator[Path]:
    """A folder of tests has one in each of its folders."""
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = next((inner / name for name in _CASE if (inner / name).is_file()), None)
        if found:
            yield reading.shortest(found)


def _read_tests(sheet: Sheet, path: Path, trail: tuple[Path, ...]) -> Iterator[Item]:
    value = sheet.document.value
    if not isinstance(value, dict):
        yield from read_items(sheet, value, (), trail)
        return
    key = next((key for key in TESTS if key in value), None)
    if key is None:
        usual = {"id": path.parent.name} if path.name in _CASE else {}
        yield Item(sheet, usual | value, ())
        return
    for other in value:
        if other != key and not other.startswith("x-"):
            message = f"{quote(other)} is not read in a file of tests; it belongs to an EVAL file"
            sheet.refuse(message, (other,))
    yield from read_items(sheet, value[key], (key,), trail)
