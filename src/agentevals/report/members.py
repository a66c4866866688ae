"""The members that a report always has, for its JSON Schemas."""

from typing import Any

# what it means that a member is absent, which is written only where it applies
_WHERE_THEY_APPLY: dict[tuple[str, str], Any] = {
    ("CaseReport", "gaps"): [],
    ("CaseReport", "lacks_evidence"): False,
    ("CaseReport", "provenance"): {},
    ("CaseReport", "recording"): "",
    ("CaseReport", "family"): "",
    ("CaseReport", "attempts"): [],
    ("Figure", "attempts"): False,
    ("Gate", "paired"): None,
    ("Gate", "earlier"): None,
    ("Gate", "margin"): None,
    ("Decline", "detectable"): None,
    ("Outcome", "decline"): None,
    ("Highlight", "source"): "",
    ("Outcome", "apart"): [],
    ("Outcome", "arrivals"): {},
    ("Report", "partial"): None,
    ("Document", "partial"): None,
    ("Report", "recording_cost"): None,
    ("Document", "recording_cost"): None,
    ("Outcome", "earlier"): {},
    ("Outcome", "strips"): {},
    ("Reason", "raw"): None,
    ("Result", "raw"): None,
    ("Scene", "artifact_url"): "",
    ("Outcome", "unknown"): {"cases": 0, "decides": False, "uncompared": 0},
    ("Outcome", "freshness"): {},
    ("Policy", "approval"): "any",
    ("Policy", "attempts"): "most",
    ("Policy", "cluster"): "",
    ("Policy", "on_stale_recording"): "warn",
    ("Provenance", "attempt"): 0,
    ("Review", "rules"): {"base": "", "changes": [], "turned": [], "offers": []},
}


def require_members(described: dict[str, Any]) -> dict[str, Any]:
    """Require all members in a schema, but for those that are written only where they apply."""
    for name, definition in described["$defs"].items():
        if definition.get("type") == "object":
            members = definition["properties"]
            definition["required"] = [m for m in members if (name, m) not in _WHERE_THEY_APPLY]
    for (name, member), absent in _WHERE_THEY_APPLY.items():
        if name in described["$defs"]:
            described["$defs"][name]["properties"][member]["default"] = absent
    return described
