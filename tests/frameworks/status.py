"""What a run found about each row of the table: a file that another job reads, and distrusts.

The job that measures runs packages of others. What it leaves is read as data of a known shape,
and nothing of it is believed that is not in the table.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

FILE = "status.json"
_MOST = 1 << 20  # bytes
_MANY = 20  # packages of a row
_PACKAGE = re.compile(r"[@A-Za-z0-9][\w./-]{0,99}", re.ASCII)
_VERSION = re.compile(r"[0-9][\w.+!-]{0,39}", re.ASCII)


class Verdict(StrEnum):
    """How a row was read."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Status:
    """The verdict about a row, and the versions that were installed."""

    verdict: Verdict = Verdict.NOT_MEASURED
    versions: dict[str, str] = field(default_factory=dict)


class StatusError(Exception):
    """The file is not what our own run writes."""


def write(folder: Path, found: dict[str, Status]) -> None:
    """Write what is known by now, so that a run which is ended early has told it."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = {name: asdict(status) for name, status in found.items()}
    (folder / FILE).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def read(folder: Path, known: Iterable[str]) -> dict[str, Status]:
    """Return the status of every known row. One that the file does not have was not measured."""
    others = sorted(path.name for path in folder.glob("*") if path.name != FILE)
    if others:
        msg = f"{folder}: {others[0]!r} is no file of a run; only {FILE} is"
        raise StatusError(msg)
    path = folder / FILE
    if path.is_symlink() or not path.is_file():
        msg = f"{path}: not found; the run that measures has not come to its first row"
        raise StatusError(msg)
    if path.stat().st_size > _MOST:
        msg = f"{path}: more than {_MOST} bytes"
        raise StatusError(msg)
    rows = _decode(path)
    names = list(known)
    strange = sorted(rows.keys() - set(names))
    if strange:
        msg = f"{path}: {strange[0]!r} is no row of the table"
        raise StatusError(msg)
    return {name: _read_row(name, rows[name]) if name in rows else Status() for name in names}


def _decode(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        msg = f"{path}: no JSON: {error}"
        raise StatusError(msg) from error
    if not isinstance(found, dict):
        msg = f"{path}: no object"
        raise StatusError(msg)
    return found


def _read_row(name: str, row: Any) -> Status:
    if not isinstance(row, dict) or row.keys() != {"verdict", "versions"}:
        msg = f"{name}: not a verdict and versions"
        raise StatusError(msg)
    verdict, versions = row["verdict"], row["versions"]
    if verdict not in list(Verdict):
        msg = f"{name}: {verdict!r} is no verdict"
        raise StatusError(msg)
    if not isinstance(versions, dict) or len(versions) > _MANY:
        msg = f"{name}: the versions are no object of at most {_MANY} packages"
        raise StatusError(msg)
    for package, version in versions.items():
        named = _PACKAGE.fullmatch(package) and isinstance(version, str)
        if not named or not _VERSION.fullmatch(version):
            msg = f"{name}: {package!r} in version {version!r} is no release"
            raise StatusError(msg)
    return Status(Verdict(verdict), versions)
