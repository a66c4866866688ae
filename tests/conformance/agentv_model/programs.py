"""Code judges: what the programs of the recordings print, and what that is worth."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.conformance.agentv_model import MISTAKE, Entry, RefusedError, Said, clamp

_SETTINGS = {
    *("name", "type", "command", "script", "cwd", "weight", "required", "negate", "min_score"),
    *("config", "target", "timeout", "threshold"),
}
_FIELDS = "evaluatorRawRequest,expectedAspectCount,hits,misses,reasoning,score,verdict"

Printed = tuple[str, int]


def judge(entry: Entry, answer: str) -> Said | None:
    """What a program says; None of one that is not known here."""
    command = entry.get("command") or entry.get("script")
    if not command or not (command if isinstance(command, str) else command[0]).strip():
        raise RefusedError(MISTAKE)
    known = {key: value for key, value in entry.items() if key not in _SETTINGS}
    config = known | (entry.get("config") or {})
    decisions = ["3.13"] if "config" in entry else []
    if command == ["definitely-not-a-command-xyz"]:
        return Said(score=None, failed=True).by("1.3")
    words = command.split() if isinstance(command, str) else command
    program = _PROGRAMS.get(words[-1].rpartition("/")[2].partition(".")[0])
    if program is None:
        return None
    return read(*program(config, answer), *decisions)


def read(printed: str, code: int, *decisions: str, verdicts: bool = False) -> Said:
    """One JSON object with a score, or it is an error (3.14, 1.3)."""
    failed = Said(score=None, failed=True)
    try:
        said = json.loads(printed)
    except ValueError:
        return failed.by("3.14", *decisions)
    if code or not isinstance(said, dict):
        return failed.by("3.14", *decisions)
    listed = [
        o for o in said.get("assertions") or () if isinstance(o, dict) and _texts([o.get("text")])
    ]
    score = _read_score(said.get("score"), listed)
    if score is None:
        return failed.by("1.3", *decisions)
    decisions = decisions if said.get("score") is not None else (*decisions, "1.3")
    stated = "hits" in said or "misses" in said
    own = {key: _texts(said.get(key)) for key in ("hits", "misses")}
    if not stated:
        for key, wanted in (("hits", True), ("misses", False)):
            own[key] = tuple(o["text"] for o in listed if bool(o.get("passed")) is wanted)
    if stated != bool(listed) or _texts(said.get("hits")) + _texts(said.get("misses")) != tuple(
        one["text"] for one in listed
    ):
        decisions = (*decisions, "7.12")  # one form was said, and another release reads the other
    passed = None
    if verdicts and said.get("verdict"):
        passed = said["verdict"] == "pass"
    reasoning = said.get("reasoning")
    return Said(
        score=score,
        **own,
        passed=passed,
        reasoning=reasoning if isinstance(reasoning, str) else "",
    ).by(*decisions)


def _read_score(given: Any, listed: list[Entry]) -> float | None:
    """A number, or the share of the checks where none is given."""
    if type(given) in (int, float):
        return clamp(given)
    if given is not None or not listed:
        return None
    return sum(bool(one.get("passed")) for one in listed) / len(listed)


def _texts(given: Any) -> tuple[str, ...]:
    texts = given if isinstance(given, list) else []
    return tuple(text for text in texts if isinstance(text, str) and text.strip())


def _echo(config: Entry, _: str) -> Printed:
    return json.dumps(config.get("emit", {})), 0


def _print_raw(config: Entry, _: str) -> Printed:
    return config.get("stdout", ""), config.get("exit", 0)


def _look_for_words(config: Entry, answer: str) -> Printed:
    words = config.get("keywords", [])
    hits = [f"has {word}" for word in words if word in answer]
    misses = [f"missing {word}" for word in words if word not in answer]
    listed = [{"text": hit, "passed": True} for hit in hits]
    listed += [{"text": miss, "passed": False} for miss in misses]
    score = len(hits) / len(words) if words else 1.0
    reasoning = f"{len(hits)}/{len(words)}"
    said = {"hits": hits, "misses": misses, "reasoning": reasoning, "assertions": listed}
    return json.dumps({"score": score, **said}), 0


_PROGRAMS: dict[str, Callable[[Entry, str], Printed]] = {
    "echo": _echo,
    "raw": _print_raw,
    "kwcheck": _look_for_words,
    "spy": lambda *_: ('{"score": 1}', 0),
}


def aggregate(path: str, children: Sequence[Said]) -> Said | None:
    """What a program makes of several; None of one that is not known here."""
    if path == "exit 4":
        return Said(score=None, failed=True).by("3.14")
    if "min_agg" not in path and "least" not in path:
        return None
    names = ",".join(sorted(child.name for child in children))
    hits, misses = [f"members: {names}"], [f"fields: {_FIELDS}"]
    misses = misses if "min_agg" in path else [f"count: {len(children)}"]
    least = min(child.score or 0.0 for child in children)
    said = {"score": least, "hits": hits, "misses": misses, "reasoning": "minimum"}
    return read(json.dumps(said), 0, verdicts=True).by("7.12")
