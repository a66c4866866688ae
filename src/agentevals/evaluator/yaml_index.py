"""An index or a manifest as YAML: text stays the text that was written."""

from typing import Any

from agentevals.files import yaml_
from agentevals.files.places import Node

_TOP = ("generatedAt", "commit")
_TEXTS = (
    "name", "description", "language", "entrypoint", "path", "author", "lastUpdated", "version",
    "license",
)  # fmt: skip


def parse_document(content: bytes) -> Any:
    """Parse an index, or raise ValueError with the first problem."""
    value, node = _scan(content)
    if not isinstance(value, dict) or not isinstance(value.get("evaluators"), list):
        return value
    top = {key: _restore_text(value[key], node.find((key,))) for key in _TOP if key in value}
    entries = [
        _restore_texts(entry, node.find(("evaluators", at))) if isinstance(entry, dict) else entry
        for at, entry in enumerate(value["evaluators"])
    ]
    return {**value, **top, "evaluators": entries}


def parse_manifest(content: bytes) -> Any:
    """Parse the manifest of one evaluator, or raise ValueError."""
    value, node = _scan(content)
    return _restore_texts(value, node) if isinstance(value, dict) else value


def _scan(content: bytes) -> tuple[Any, Node]:
    try:
        value, node, problems = yaml_.scan(content.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeError:
        msg = "it is not UTF-8 text"
        raise ValueError(msg) from None
    if problems:
        first = problems[0]
        msg = f"line {first.line}, column {first.column}: {first.message}"
        raise ValueError(msg)
    return value, node


def _restore_texts(entry: dict[str, Any], node: Node) -> dict[str, Any]:
    """Restore texts: YAML takes `yes` for a truth and `2024` for a number."""
    texts = {key: _restore_text(entry[key], node.find((key,))) for key in _TEXTS if key in entry}
    tags = entry.get("tags")
    if isinstance(tags, list):
        texts["tags"] = [_restore_text(tag, node.find(("tags", at))) for at, tag in enumerate(tags)]
    return {**entry, **texts}


def _restore_text(value: Any, node: Node) -> Any:
    if value is None or isinstance(value, (dict, list)):
        return value
    return node.raw if node.raw is not None else value
