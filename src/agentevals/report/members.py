"""The members that a report always has, for its JSON Schemas."""

from typing import Any


def require_members(described: dict[str, Any]) -> dict[str, Any]:
    """Require all members in a schema, but for those that are written only where they apply."""
    for name, definition in described["$defs"].items():
        if definition.get("type") == "object":
            members = definition["properties"]
            definition["required"] = [m for m in members if (name, m) not in _WHERE_THEY_APPLY]
    return described


_WHERE_THEY_APPLY = {
    ("CaseReport", "gaps"),
    ("CaseReport", "lacks_evidence"),
    ("Outcome", "unknown"),
}
