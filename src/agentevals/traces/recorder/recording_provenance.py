"""What `record` writes into each resource: of which agent a recording is, when it was made, how."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shlex import join
from typing import Any

import msgspec

from agentevals.files.agent_files import AgentFiles
from agentevals.files.git_process import Git
from agentevals.model.provenance import PREFIX, Provenance
from agentevals.text.redaction import Redactor

_LONGEST = 1_000  # characters of a command


def find_provenance(
    words: Sequence[str], agents: Sequence[AgentFiles], redact: Redactor | None, attempt: int = 0
) -> Provenance:
    """Return the provenance of what a command sends from now on; attempt 0 is the only one."""
    git = Git(Path())
    commit = (git.answer("rev-parse", "--verify", "HEAD") or b"").decode().strip()
    changed = git.answer("status", "--porcelain", "--untracked-files=no") if commit else None
    command = join(words)[:_LONGEST]
    return Provenance(
        agents=tuple(digest for agent in agents if (digest := agent.compute_digest())),
        commit=commit,
        dirty=bool(changed),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        command=redact(command) if redact else command,
        attempt=attempt or msgspec.UNSET,
    )


def stamp(resources: Sequence[Any], provenance: Provenance) -> None:
    """Write the provenance into resources. What the agent says of its own is dropped."""
    own = [_encode(name, value) for name, value in provenance.attributes.items() if value != ()]
    for group in resources:
        resource = group.get("resource") if isinstance(group, dict) else None
        known = resource if isinstance(resource, dict) else {}
        given = known.get("attributes")
        kept = [one for one in given if not _is_ours(one)] if isinstance(given, list) else []
        group["resource"] = {**known, "attributes": [*kept, *own]}


def _is_ours(attribute: Any) -> bool:
    key = attribute.get("key") if isinstance(attribute, Mapping) else None
    return isinstance(key, str) and key.startswith(PREFIX)


def _encode(name: str, value: Any) -> dict[str, Any]:
    return {"key": name, "value": _encode_value(value)}


def _encode_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, tuple):
        return {"arrayValue": {"values": [_encode_value(one) for one in value]}}
    return {"stringValue": value}
