"""Judges and rubrics: what a scripted answer is worth."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.conformance.agentv_model import MISTAKE, Entry, RefusedError, Said

_MOST = 4
_GOOD = 7

Scripted = Mapping[str, str]


def judge(entry: Entry, scripted: Scripted) -> Said:
    """A judge without a usable answer is an error (3.12)."""
    if entry.get("rubrics"):
        return judge_rubrics(entry, scripted)
    said = _read_object(_find_answer(entry, scripted))
    score = said.get("score") if said else None
    if said is None or type(score) not in (int, float) or not 0 <= score <= 1:
        return Said(score=None, failed=True).by("3.12")
    for key in ("hits", "misses"):
        if key in said and not _are_texts(said[key]):
            return Said(score=None, failed=True).by("3.12")
    if not isinstance(said.get("reasoning", ""), str):
        return Said(score=None, failed=True).by("3.12")
    listed = said.get("assertions") or []
    if "hits" in said or "misses" in said:
        hits, misses = said.get("hits", []), said.get("misses", [])
    else:
        hits = [one["text"] for one in listed if one["passed"] is True]
        misses = [one["text"] for one in listed if one["passed"] is False]
    return Said(
        score=float(score),
        hits=_limit(hits),
        misses=_limit(misses),
        reasoning=said.get("reasoning", ""),
    ).by("7.12")


def _are_texts(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


def _limit(texts: list[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if text.strip())[:_MOST]


def _find_answer(entry: Entry, scripted: Scripted) -> str:
    target = entry.get("target", "g_ok")
    if target not in scripted:
        raise RefusedError(MISTAKE)
    return scripted[target]


def _read_object(text: str) -> Entry | None:
    plain = re.sub(r"```(?:json)?", "", text, flags=re.IGNORECASE)
    first, last = plain.find("{"), plain.rfind("}")
    try:
        said = json.loads(plain[first : last + 1])
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def judge_rubrics(entry: Entry, scripted: Scripted) -> Said:
    """A criterion fails the case only where `required` is written; left out is not met (3.10)."""
    given = entry.get("rubrics") or entry.get("criteria")
    criteria = [_read_criterion(one, number) for number, one in enumerate(given, 1)]
    ids = [one["id"] for one in criteria]
    if not criteria or len(set(ids)) < len(ids):
        raise RefusedError(MISTAKE)
    points = any(one.get("score_ranges") for one in criteria)
    said = _read_object(_find_answer(entry, scripted))
    if said is None or not _is_checked(said, points=points):
        return Said(score=None, failed=True).by("3.12")
    checks = [
        _Check(one, each, points=points)
        for each in said["checks"]
        for one in criteria
        if one["id"] == each["id"]
    ]
    seen = {check.id for check in checks}
    checks += [_Check(one, None, points=points) for one in criteria if one["id"] not in seen]
    return _weigh(checks, said.get("overall_reasoning", ""))


def _read_criterion(given: Any, number: int) -> Entry:
    one = {"outcome": given} if isinstance(given, str) else dict(given)
    for name in ("expected_outcome", "description", "criteria"):
        if name in one:
            one["outcome"] = one.pop(name)
    one.setdefault("id", f"rubric-{number}")
    if not one.get("outcome") and not one.get("score_ranges"):
        raise RefusedError(MISTAKE)
    _check_ranges(one.get("score_ranges"))
    return one


def _check_ranges(ranges: Any) -> None:
    """They cover 0 to 10."""
    if isinstance(ranges, dict):
        if not set(map(str, ranges)) <= set(map(str, range(11))) or "0" not in map(str, ranges):
            raise RefusedError(MISTAKE)
    elif ranges:
        held = sorted(
            n for one in ranges for n in range(one["score_range"][0], one["score_range"][1] + 1)
        )
        if held != list(range(11)):
            raise RefusedError(MISTAKE)


def _is_checked(said: Entry, *, points: bool) -> bool:
    checks = said.get("checks")
    words = isinstance(said.get("overall_reasoning", "" if points else None), str)
    if not isinstance(checks, list) or not words:
        return False
    return all(_is_check(one, points=points) for one in checks)


def _is_check(one: Any, *, points: bool) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("id"), str):
        return False
    if not isinstance(one.get("reasoning", "" if points else None), str):
        return False
    if not points:
        return isinstance(one.get("satisfied"), bool)
    score = one.get("score")
    return type(score) in (int, float) and float(score).is_integer() and 0 <= score <= 10


class _Check:
    """What a judge says of a criterion, or that it says nothing of it."""

    def __init__(self, one: Entry, said: Entry | None, *, points: bool) -> None:
        self.id, self.weight = one["id"], one.get("weight", 1)
        outcome = one.get("outcome", "")
        self.share = 0.0
        self.reasoning = "the judge left it out" if said is None else said.get("reasoning", "")
        raw = 0 if said is None or not points else int(said["score"])
        if said is not None:
            self.share = raw / 10 if points else float(said["satisfied"])
        needed = _find_least(one)
        self.vetoes = bool(needed) and self.share < needed
        self.met = said is not None and self.share >= _GOOD / 10 and not self.vetoes
        self.text = f"[{self.id}] {outcome}: {self.reasoning}"
        if points:
            why = f": {self.reasoning}" if self.reasoning else ""
            ranges = _describe(one.get("score_ranges"), raw)
            self.text = f"[{self.id}] {outcome or self.id} - Score: {raw}/10 ({ranges}){why}"


def _find_least(one: Entry) -> float:
    if "min_score" in one:
        return float(one["min_score"])
    if "required_min_score" in one:
        return float(one["required_min_score"]) / 10
    return float(one.get("required") or 0)


def _describe(ranges: Any, raw: int) -> str:
    if isinstance(ranges, dict):
        fitting = [int(key) for key in ranges if int(key) <= raw]
        return str(ranges[str(max(fitting))]) if fitting else ""
    held = (one for one in ranges or () if one["score_range"][0] <= raw <= one["score_range"][1])
    return next((str(one.get("outcome", "")) for one in held), "")


def _weigh(checks: list[_Check], reasoning: str) -> Said:
    total = sum(check.weight for check in checks)
    vetoes = any(check.vetoes for check in checks)
    return Said(
        score=sum(check.share * check.weight for check in checks) / total if total else 0.0,
        hits=tuple(check.text for check in checks if check.met),
        misses=tuple(check.text for check in checks if not check.met),
        reasoning=reasoning,
        vetoes=vetoes,
        passed=False if vetoes else None,
    ).by("3.10", "7.12")
