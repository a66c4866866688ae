"""A report as JSON: its cases, written on every core where there are many, and the members it
always has, for its JSON Schemas.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from agentevals.files.workers import can_fork, count_cores, cut_range, do_parts
from agentevals.model.results import CaseReport
from agentevals.text import json_text

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
_PART = 128  # cases
_WORTH_IT = 2048  # cases, below which another process costs more than it saves


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


def write_cases(
    cases: Sequence[CaseReport], make: Callable[[CaseReport], Iterable[object]], *, level: int
) -> json_text.Items | json_text.Parts:
    """Return what is made of each case as items of an array, which lies that many levels deep."""
    workers = count_cores()
    if len(cases) < _WORTH_IT or workers == 1 or not can_fork():
        return json_text.Items(chain.from_iterable(map(make, cases)))

    parts = cut_range(range(len(cases)), _PART)

    def write(part: int) -> str:
        made = chain.from_iterable(make(cases[place]) for place in parts[part])
        return json_text.join_items(made, level=level)

    return json_text.Parts(do_parts(write, len(parts), workers))
