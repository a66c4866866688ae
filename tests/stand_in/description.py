"""GitHub's own description of its API: fetched once, cut down to the part that we use."""

import base64
import fcntl
import hashlib
import json
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PACKAGE = "@octokit/openapi"
VERSION = "23.0.2"
_SHA512 = "pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=="
_FILE = "package/generated/api.github.com.json"
_REPO = "/repos/{owner}/{repo}"
PATHS = (
    _REPO,
    f"{_REPO}/actions/artifacts/{{artifact_id}}/{{archive_format}}",
    f"{_REPO}/actions/runs/{{run_id}}",
    f"{_REPO}/actions/runs/{{run_id}}/artifacts",
    f"{_REPO}/actions/runs/{{run_id}}/attempts/{{attempt_number}}/jobs",
    f"{_REPO}/actions/workflows/{{workflow_id}}/runs",
    f"{_REPO}/check-runs",
    f"{_REPO}/check-runs/{{check_run_id}}",
    f"{_REPO}/code-scanning/sarifs",
    f"{_REPO}/commits/{{commit_sha}}/pulls",
    f"{_REPO}/commits/{{ref}}/check-runs",
    f"{_REPO}/compare/{{basehead}}",
    f"{_REPO}/contents/{{path}}",
    f"{_REPO}/issues/comments/{{comment_id}}",
    f"{_REPO}/issues/{{issue_number}}/comments",
    f"{_REPO}/pulls",
    f"{_REPO}/pulls/{{pull_number}}",
    f"{_REPO}/pulls/{{pull_number}}/files",
    f"{_REPO}/statuses/{{sha}}",
    f"{_REPO}/tarball/{{ref}}",
)


def description(cache: Path) -> dict[str, Any]:
    """The part that we use, fetched by the first of several processes that ask for it."""
    made_by = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    kept = cache / f"github-{VERSION}-{made_by}.json"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            part = cache / f"{kept.name}.{os.getpid()}"
            part.write_text(json.dumps(_slim(_fetch(cache))))
            part.replace(kept)
    document: dict[str, Any] = json.loads(kept.read_text())
    return document


def _fetch(cache: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        command = ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            msg = f"`{' '.join(command)}` failed, so GitHub's description of its API is missing; "
            msg += "set AGENTEVALS_TESTS_OFFLINE=1 to test without it"
            raise RuntimeError(msg) from error
        (package,) = Path(folder).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
        if digest != _SHA512:
            msg_0 = f"{PACKAGE}@{VERSION} is not what it was: sha512 {digest}"
            raise RuntimeError(msg_0)
        with tarfile.open(package) as archive:
            found = archive.extractfile(_FILE)
            assert found
            document: dict[str, Any] = json.load(found)
            return document


def _slim(whole: dict[str, Any]) -> dict[str, Any]:
    """Our paths, and what they refer to. Examples stay away: they are most of it."""
    document = {name: whole[name] for name in ("openapi", "info", "servers")}
    document["paths"] = {path: _bare(whole["paths"][path]) for path in PATHS}
    components: dict[str, dict[str, Any]] = {}
    pending = list(_references(document["paths"]))
    while pending:
        kind, name = pending.pop()
        if name not in components.setdefault(kind, {}):
            components[kind][name] = _bare(whole["components"][kind][name])
            pending += _references(components[kind][name])
    for name in ("pull-request", "pull-request-simple"):
        head = components["schemas"][name]["properties"]["head"]["properties"]
        # it does not say so, but there is none where a fork was deleted
        head["repo"] = {"anyOf": [head["repo"], {"nullable": True, "enum": [None]}]}
    return document | {"components": components}


def _bare(node: Any) -> Any:
    if isinstance(node, list):
        return [_bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("nullable") and None not in node.get("enum", [None]):
        node = {**node, "enum": [*node["enum"], None]}  # or validators take the null for a breach
    return {
        name: {k: _bare(v) for k, v in inner.items()}
        if name == "properties" and isinstance(inner, dict)
        else _bare(inner)
        for name, inner in node.items()
        if name not in ("example", "examples") and not name.startswith("x-")
    }


def _references(node: Any) -> Iterable[tuple[str, str]]:
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str):
            _, _, kind, name = target.split("/", 3)
            yield kind, name
        for inner in node.values():
            yield from _references(inner)
