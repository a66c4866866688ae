"""What a registry says about its evaluators: `index.yaml`, and the manifest of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from agentevals.errors import InputError, UnavailableError


@dataclass(frozen=True)
class EvaluatorInfo:
    """One evaluator, as `evaluator list` shows it. `ref` is what a config needs to fetch it."""

    name: str
    description: str
    source: str
    language: str | None = None
    ref: str | None = None
    tags: list[str] = field(default_factory=list)
    author: str | None = None
    last_updated: str | None = None


def read(text: bytes, *, source: str, where: str) -> list[EvaluatorInfo]:
    """The entries of an index, or UnavailableError when it is not one."""
    try:
        document = yaml.load(text, Loader=_LOADER)  # noqa: S506 -- a safe loader
    except yaml.YAMLError as error:
        msg = f"{where}: not an index of evaluators; it is not YAML"
        raise UnavailableError(msg) from error
    entries = document.get("evaluators") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        msg = f"{where}: not an index of evaluators; 'evaluators' must be a list of entries"
        raise UnavailableError(msg)
    return [_info(entry, source=source, ref=_text(entry, "path")) for entry in entries]


def read_manifest(path: Path, *, source: str, root: Path) -> EvaluatorInfo:
    """One evaluator's own description."""
    try:
        manifest = yaml.load(path.read_bytes(), Loader=_LOADER)  # noqa: S506 -- a safe loader
    except (OSError, yaml.YAMLError) as error:
        msg = f"{path}: not a manifest: {error}"
        raise InputError(msg) from error
    if not isinstance(manifest, dict):
        msg = f"{path}: not a manifest; it must be a mapping with name, language and entrypoint"
        raise InputError(msg)
    entrypoint = _text(manifest, "entrypoint")
    ref = (path.parent / entrypoint).relative_to(root).as_posix() if entrypoint else None
    return _info(manifest, source=source, ref=ref)


def _info(entry: Mapping[str, Any], *, source: str, ref: str | None) -> EvaluatorInfo:
    tags = entry.get("tags")
    return EvaluatorInfo(
        name=_text(entry, "name") or ref or "?",
        description=_text(entry, "description") or "",
        source=source,
        language=_text(entry, "language"),
        ref=ref,
        tags=[str(tag) for tag in tags] if isinstance(tags, list) else [],
        author=_text(entry, "author"),
        last_updated=_text(entry, "lastUpdated"),
    )


def _text(entry: Mapping[str, Any], key: str) -> str | None:
    """As text, because YAML reads some names as dates and numbers."""
    value = entry.get(key)
    return None if value is None or value == "" else str(value)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
