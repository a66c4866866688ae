"""Evaluators in a folder of this machine, laid out as a registry: a checkout."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

import msgspec

from agentevals.evaluator import evaluator_files, evaluator_manifest
from agentevals.evaluator.evaluator_lock import Pin
from agentevals.evaluator.evaluator_manifest import FILE
from agentevals.evaluator.publication_age import Age
from agentevals.evaluator.published_index import Whole
from agentevals.evaluator.registry_catalogue import Registry, Snapshot
from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.model.errors import InputError

VARIABLE = "AGENTEVALS_EVALUATOR_FOLDER"
_LEFT_OUT = ("__pycache__", "node_modules")


class FileEvaluatorSource(Registry):
    """Folders with an `evaluator.yaml`, as they are now, committed or not."""

    source_name = "file"
    voucher = "folder"

    def __init__(self, path: Path | None = None) -> None:
        given = path or os.environ.get(VARIABLE)
        self._folder = Path(given).expanduser().absolute() if given else None

    @property
    def cache_key(self) -> str:
        return f"file/{quote(self.where, safe='')}"

    @property
    def repository(self) -> str:
        """One name for every machine, wherever its checkout is."""
        return self.source_name

    @property
    def where(self) -> str:
        return str(self._folder or "")

    @property
    def problem(self) -> str:
        if self._folder is None:
            return f"source 'file' needs a folder of evaluators: set {VARIABLE}"
        return "" if self._folder.is_dir() else f"{VARIABLE}: {self._folder} is not a folder"

    def snapshot(self) -> Snapshot:
        if self.problem:
            raise InputError(self.problem)
        root = Path(self.where)
        entries = [_read_entry(path, root) for path in sorted(root.glob(f"**/{FILE}"))]
        return Snapshot(listed=Whole(index=Index(evaluators=tuple(entries))))

    def resolve(self, ref: str, age: Age | None = None) -> Pin:
        pin = super().resolve(ref, age)
        return pin.add_files(evaluator_files.compute_digests(self.fetch_contents(pin)))

    def read_file(self, pin: Pin, name: str) -> bytes | None:
        path = Path(self.where) / pin.folder / name
        try:
            return path.read_bytes() if _is_plain(path) else None
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}"
            raise InputError(msg) from None

    def list_files(self, pin: Pin) -> Iterable[str]:
        folder = Path(self.where) / pin.folder
        return sorted(found.relative_to(folder).as_posix() for found in _walk(folder)) or [
            pin.entrypoint
        ]


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, without links and caches of tools."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name.startswith(".") or path.name in _LEFT_OUT:
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        elif _is_plain(path):
            yield path


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _read_entry(path: Path, root: Path) -> IndexEntry:
    try:
        said = evaluator_manifest.parse_manifest(path.read_bytes())
        program = said.get("entrypoint")
        ref = f"{path.parent.relative_to(root).as_posix()}/{program}" if program else ""
        known = {
            key: said[key] for key in IndexEntry.__struct_fields__ if said.get(key) is not None
        }
        listed = {"name": ref or "?", **known, "path": ref, "files": {}}
        return msgspec.convert(listed, IndexEntry)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        msg = f"{path}: not a manifest: {error}"
        raise InputError(msg) from error
