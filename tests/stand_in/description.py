"""GitHub's own description of its API: fetched once, cut down to the part that we use."""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from tests import npm

PACKAGE = npm.Package(
    "@octokit/openapi@23.0.2",
    "pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==",
)
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
    f"{_REPO}/check-runs/{{check_run_id}}/annotations",
    f"{_REPO}/collaborators/{{username}}/permission",
    f"{_REPO}/commits/{{commit_sha}}/pulls",
    f"{_REPO}/commits/{{ref}}",
    f"{_REPO}/commits/{{ref}}/check-runs",
    f"{_REPO}/compare/{{basehead}}",
    f"{_REPO}/contents/{{path}}",
    f"{_REPO}/git/trees/{{tree_sha}}",
    f"{_REPO}/issues/comments/{{comment_id}}",
    f"{_REPO}/issues/{{issue_number}}/comments",
    f"{_REPO}/pulls",
    f"{_REPO}/pulls/{{pull_number}}",
    f"{_REPO}/pulls/{{pull_number}}/files",
    f"{_REPO}/pulls/{{pull_number}}/reviews",
    f"{_REPO}/releases",
    f"{_REPO}/releases/assets/{{asset_id}}",
    f"{_REPO}/releases/tags/{{tag}}",
    f"{_REPO}/releases/{{release_id}}/assets",
    f"{_REPO}/statuses/{{sha}}",
    f"{_REPO}/tarball/{{ref}}",
)


@cache
def description() -> dict[str, Any]:
    """The part that we use."""
    return _slim(json.loads(npm.file(PACKAGE, _FILE)))


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
