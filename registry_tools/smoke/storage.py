"""Files that smoke runs keep between commands: locks of packages, and results without errors."""

import hashlib
import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

import agentevals_evaluator_sdk
from agentevals.cli import schemas
from agentevals.files import atomic
from agentevals.model.results import Severity
from agentevals.model.version import VERSION
from agentevals.sandbox import isolation, wire
from agentevals.sandbox.runtimes import find_node, node_version
from registry_tools import smoke
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding

_LARGEST = 64 << 20
_KIND = "results"


def build_key(entry: Entry, level: str, machine: str) -> str:
    """Build the key of everything that a smoke run depends on; "" if it cannot be read."""
    try:
        digests = {
            file: hashlib.sha256(entry.read_bytes(file, _LARGEST)).hexdigest()
            for file in entry.files
        }
    except OSError:
        return ""
    parts = (machine, entry.folder, level, digests)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def describe_machine() -> str:
    """Describe the interpreters, and the parts of our code that matter."""
    folders = (smoke, isolation, agentevals_evaluator_sdk)
    ours = [Path(module.__file__ or "") for module in folders]
    files = [file for one in ours for file in sorted(one.parent.rglob("*.py"))]
    files += [Path(wire.__file__), schemas.path("evaluator")]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return json.dumps((VERSION, sys.version, _find_node(), digest.hexdigest()))


def recall(key: str) -> list[Finding] | None:
    """Return the findings of the last run."""
    content = find(_KIND, f"{key}.json")
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=list[Finding])
    except msgspec.DecodeError:
        return None


def remember(key: str, findings: Iterable[Finding]) -> None:
    """Remember findings without errors; a failure is tried again."""
    found = list(findings)
    if not any(finding.severity is Severity.ERROR for finding in found):
        with suppress(OSError):  # a machine without a place for it tries again
            keep(_KIND, f"{key}.json", msgspec.json.encode(found))


def _find_node() -> str:
    try:
        return ".".join(map(str, node_version(find_node())))
    except RuntimeError:
        return ""


def keep(kind: str, name: str, content: bytes) -> Path:
    """Keep a file of the cache with this content."""
    path = find_root() / kind / name
    if find(kind, name) == content:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, content)
    return path


def find(kind: str, name: str) -> bytes | None:
    """Return the content of a file of the cache, None when there is none."""
    with suppress(OSError):
        return (find_root() / kind / name).read_bytes()
    return None


def find_root() -> Path:
    return atomic.find_user_cache() / "smoke"
