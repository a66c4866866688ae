"""Correct manifests by the edits that findings propose."""

import os
from collections.abc import Iterable
from pathlib import Path

from agentevals.model.errors import Edit, InputError
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding
from registry_tools.manifests.registry import Registry


def apply_edits(registry: Registry, findings: Iterable[Finding]) -> int:
    """Make all edits that do not overlap, and return how many; the others wait for a rerun."""
    wanted: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.edit is not None:
            wanted.setdefault(finding.entry, []).append(finding.edit)
    return sum(_edit_manifest(registry.by_name[name], edits) for name, edits in wanted.items())


def _edit_manifest(entry: Entry, edits: list[Edit]) -> int:
    """Edit one manifest, and give it LF line ends and no byte order mark."""
    text, made, before = entry.document.text, 0, len(entry.document.text) + 1
    for edit in sorted(set(edits), key=lambda one: (one.start, one.end), reverse=True):
        if edit.end > before:
            continue
        text = text[: edit.start] + edit.text + text[edit.end :]
        before, made = edit.start, made + 1
    _write(entry.root / entry.path, text.replace("\r\n", "\n").replace("\r", "\n"))
    return made


def _write(path: Path, text: str) -> None:
    """As a whole or not at all, and with the permissions that it had."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        mode = path.stat(follow_symlinks=False).st_mode & 0o777
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        msg = f"{path}: cannot be written to: {(error.strerror or 'unknown').lower()}"
        raise InputError(msg) from None
