"""Composites: several evaluators, and what an aggregator makes of them (3.2, 3.3)."""

from collections.abc import Sequence
from dataclasses import replace

from tests.conformance.agentv_model import (
    BORDERLINE,
    MISTAKE,
    PASSES,
    Entry,
    RefusedError,
    Said,
    judges,
    normalize,
    programs,
)
from tests.conformance.agentv_model.values import print_number

_KNOWN = {
    "weighted_average", "safety_gate", "minimum", "maximum", "all_or_nothing", "threshold",
    "code_judge", "llm_judge",
}  # fmt: skip
_NEW = {"safety_gate", "minimum", "maximum", "all_or_nothing"}


def combine(entry: Entry, children: Sequence[Said], scripted: judges.Scripted) -> Said | None:
    """What the whole says; None where a program that is not known here decides."""
    given = entry.get("aggregator") or {}
    kind = normalize(given.get("type", "weighted_average"))
    names = [child.name for child in children]
    if kind not in _KNOWN or not children or len(set(names)) < len(names):
        raise RefusedError(MISTAKE)
    if {*given.get("weights", {}), *given.get("required", ())} - set(names):
        raise RefusedError(MISTAKE)
    _check_aggregator(kind, given)
    own = _own_settings(entry)
    decisions = [
        *(["3.2"] if kind in _NEW or "type" not in given else []),
        *(["3.3"] if own else []),
        *{decision for child in children for decision in child.decisions},
    ]
    if any(child.hidden for child in children):
        return Said(score=None, hidden=True).by(*decisions)
    if any(child.failed for child in children):
        return Said(score=None, failed=True, children=tuple(children)).by("3.12", *decisions)
    if any(child.score is None for child in children):
        gates = any(child.misses_gate for child in children)  # a gate that was missed stays so
        return Said(score=None, vetoes=gates, children=tuple(children)).by(*decisions)
    found = _aggregate(kind, given, children, scripted)
    if found is None:
        return None
    vetoes = found.vetoes or any(child.misses_gate for child in children)
    return replace(found, vetoes=vetoes, children=tuple(children)).by(*decisions)


_NEEDS = {
    "safety_gate": ("required",),
    "threshold": ("threshold",),
    "code_judge": ("path", "command"),
}


def _check_aggregator(kind: str, given: Entry) -> None:
    """What it needs is there, and shares are shares."""
    if kind in _NEEDS and not any(given.get(key) not in (None, "", []) for key in _NEEDS[kind]):
        raise RefusedError(MISTAKE)
    threshold = given.get("threshold", 0)
    if type(threshold) not in (int, float) or not 0 <= threshold <= 1:
        raise RefusedError(MISTAKE)


def _own_settings(entry: Entry) -> bool:
    keys = ("assertions", "assert", "evaluators")
    children = [child for key in keys for child in entry.get(key) or ()]
    return any({"weight", "required", "negate", "min_score"} & child.keys() for child in children)


def _aggregate(
    kind: str, given: Entry, children: Sequence[Said], scripted: judges.Scripted
) -> Said | None:
    if kind == "code_judge":
        return programs.aggregate(given.get("path") or given["command"], children)
    if kind == "llm_judge":
        return judges.judge({}, scripted)
    weights = [given.get("weights", {}).get(child.name, child.weight) for child in children]
    scores = [child.score or 0.0 for child in children]
    total = sum(weights)
    mean = sum(w * s for w, s in zip(weights, scores, strict=True)) / total if total else 0.0
    if kind == "safety_gate":
        return _gate(given, children, mean)
    if kind == "threshold":
        return _count(given, children)
    least = given.get("threshold")
    met = [child.passes if least is None else (child.score or 0) >= least for child in children]
    scored = {"minimum": min(scores), "maximum": max(scores), "all_or_nothing": float(all(met))}
    return _blend(children, scored.get(kind, mean))


def _blend(children: Sequence[Said], score: float, passed: bool | None = None) -> Said:
    return Said(
        score=score,
        passed=passed,
        hits=tuple(f"[{child.name}] {hit}" for child in children for hit in child.hits),
        misses=tuple(f"[{child.name}] {miss}" for child in children for miss in child.misses),
    )


def _gate(given: Entry, children: Sequence[Said], mean: float) -> Said:
    gate = given.get("threshold", BORDERLINE)
    shut = [
        f"[{c.name}] scored {print_number(c.score or 0)}, below the gate of {print_number(gate)}"
        for c in children
        if c.name in given["required"] and (c.score or 0) < gate
    ]
    if not shut:
        return _blend(children, mean)
    said = _blend(children, 0.0, passed=False)
    return replace(said, misses=(*shut, *said.misses))


def _count(given: Entry, children: Sequence[Said]) -> Said:
    """In 3.1.0 what is borderline passes; in later releases nothing is."""
    wanted = given["threshold"]
    passed = [child.passes or _is_borderline(child) for child in children]
    score = sum(passed) / len(passed)
    return _blend(children, score, passed=score >= wanted).by("7.12")


def _is_borderline(child: Said) -> bool:
    failing = not child.vetoes and not child.passes
    return failing and BORDERLINE <= (child.score or 0) < PASSES
