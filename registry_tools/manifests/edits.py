"""Correct manifests by the edits that findings propose."""

from collections.abc import Iterable
from pathlib import Path

from agentevals.files import atomic
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
    """Replace the file whole, with the permissions that it had."""
    try:
        mode = path.stat(follow_symlinks=False).st_mode & 0o777
        atomic.write(path, text.encode(), mode=mode)
    except OSError as error:
        msg = f"{path}: cannot be written to: {(error.strerror or 'unknown').lower()}"
        raise InputError(msg) from None
