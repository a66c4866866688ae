"""The evaluators of tool calls: trajectories and skills."""

from typing import Any

from tests.conformance.agentv_model import MISTAKE, Entry, RefusedError, Said, binary
from tests.conformance.agentv_model.values import is_same, print_number, read_at

_MODES = {"any_order", "in_order", "exact", "superset", "subset"}
_WAYS = {"exact", "superset", "subset", "ignore"}

Calls = list[dict[str, Any]]


class _Tally:
    def __init__(self) -> None:
        self.hits: list[str] = []
        self.misses: list[str] = []
        self.met = self.checks = 0

    def add(self, said: str, *, met: bool, lost: bool = False) -> None:
        """A check; `lost` is one more that cannot be met either."""
        (self.hits if met else self.misses).append(said)
        self.met += met
        self.checks += 1 + lost

    def add_time(self, item: Entry, call: Entry) -> None:
        limit, took = item.get("max_duration_ms"), call.get("duration_ms")
        if limit is None or took is None:
            return
        met = took <= limit
        words = "completed in" if met else "took"
        limits = f"(max: {print_number(limit)}ms)"
        self.add(f"{item['tool']} {words} {print_number(took)}ms {limits}", met=met)

    def say(self) -> Said:
        score = self.met / self.checks if self.checks else 1.0
        return Said(score=score, hits=tuple(self.hits), misses=tuple(self.misses))


def judge(entry: Entry, calls: Calls) -> Said:
    """What a trajectory says. Without a mode it is `any_order` (3.4)."""
    mode, expected, minimums = entry.get("mode", "any_order"), entry.get("expected"), None
    _check(mode, entry)
    items, usual = expected or [], entry.get("args_match", "exact")
    if mode == "any_order":
        minimums = entry.get("minimums") or {}
        said = _judge_any_order(minimums, items, calls, usual)
        return said.by(*(["3.4"] * ("mode" not in entry)), *(["3.5"] * (expected is not None)))
    if mode == "subset":
        return _judge_subset(items, calls, usual)
    if mode == "superset":
        return _judge_superset(items, calls, usual)
    if mode == "exact":
        said = _judge_exactly(items, calls, usual)
        return said.by("3.6") if len(calls) > len(items) else said
    return _judge_in_order(items, calls, usual)


def _check(mode: str, entry: Entry) -> None:
    needed = entry.get("expected") is not None or (
        mode == "any_order" and entry.get("minimums") is not None
    )
    if mode not in _MODES or not needed:
        raise RefusedError(MISTAKE)
    if entry.get("minimums") is not None and not isinstance(entry["minimums"], dict):
        raise RefusedError(MISTAKE)
    if any(
        type(least) not in (int, float) or least < 0
        for least in (entry.get("minimums") or {}).values()
    ):
        raise RefusedError(MISTAKE)
    items = entry.get("expected") or []
    if not isinstance(items, list) or not all(map(_is_item, items)):
        raise RefusedError(MISTAKE)
    if not _is_way(entry.get("args_match", "exact")):
        raise RefusedError(MISTAKE)


def _is_item(item: Any) -> bool:
    args = item.get("args") if isinstance(item, dict) else 0
    return (
        isinstance(item, dict)
        and isinstance(item.get("tool"), str)
        and (args is None or args == "any" or isinstance(args, dict))
        and _is_way(item.get("args_match", "exact"))
    )


def _is_way(way: Any) -> bool:
    return way in _WAYS if isinstance(way, str) else isinstance(way, list)


def _accepts(item: Entry, call: Entry, usual: Any) -> bool:
    wanted, way = item.get("args"), item.get("args_match", usual)
    if wanted is None or wanted == "any" or way == "ignore":
        return True
    made = call.get("input")
    if not isinstance(made, dict):
        return False
    if isinstance(way, list):
        asked = [(read_at(path, wanted), read_at(path, made)) for path in way]
        return all(want is ... or is_same(want, got) for want, got in asked)
    if way == "exact":
        return is_same(wanted, made)
    part, whole = (wanted, made) if way == "superset" else (made, wanted)
    return all(key in whole and is_same(value, whole[key]) for key, value in part.items())


def _take(item: Entry, calls: Calls, taken: set[int], usual: Any) -> int | None:
    for place, call in enumerate(calls):
        if place not in taken and call["tool"] == item["tool"] and _accepts(item, call, usual):
            taken.add(place)
            return place
    return None


def _judge_any_order(minimums: Entry, items: Calls, calls: Calls, usual: Any) -> Said:
    if not minimums and not items:
        return Said(score=1.0, hits=("No tool requirements specified",))
    tally, taken = _Tally(), set[int]()
    for tool, least in minimums.items():
        made = sum(call["tool"] == tool for call in calls)
        said = f"{tool}: called {made} times (required >={print_number(least)})"
        tally.add(said, met=made >= least)
    for item in items:
        place = _take(item, calls, taken, usual)
        if place is None:
            lost = item.get("max_duration_ms") is not None
            tally.add(
                f"Expected {item['tool']} not found in actual trajectory", met=False, lost=lost
            )
        else:
            tally.add(f"Found {item['tool']} at position {place}", met=True)
            tally.add_time(item, calls[place])
    return tally.say()


def _judge_in_order(items: Calls, calls: Calls, usual: Any) -> Said:
    if not items:
        return Said(score=1.0, hits=("No tool sequence specified",))
    tally, at = _Tally(), 0
    for number, item in enumerate(items):
        lost = item.get("max_duration_ms") is not None
        start = f"Expected {item['tool']} at position {number}"
        while at < len(calls) and calls[at]["tool"] != item["tool"]:
            at += 1
        if at == len(calls):
            tally.add(f"{start}, not found in remaining trace", met=False, lost=lost)
            continue
        if _accepts(item, calls[at], usual):
            tally.add(f"Found {item['tool']} at position {at}", met=True)
            tally.add_time(item, calls[at])
        else:
            tally.add(f"{start}: tool found at {at} but args mismatch", met=False, lost=lost)
        at += 1
    return tally.say()


def _judge_exactly(items: Calls, calls: Calls, usual: Any) -> Said:
    """Calls too many are misses (3.6)."""
    if not items and not calls:
        return Said(score=1.0, hits=("No tool sequence specified",))
    tally = _Tally()
    if len(items) != len(calls):
        tally.misses.append(f"Expected {len(items)} tool calls, got {len(calls)}")
    for at in range(max(len(items), len(calls))):
        got = calls[at]["tool"] if at < len(calls) else "nothing"
        if at >= len(items):
            tally.add(f"Position {at}: expected nothing, got {got}", met=False)
            continue
        item, tool = items[at], items[at]["tool"]
        lost = item.get("max_duration_ms") is not None
        if at >= len(calls) or got != tool:
            tally.add(f"Position {at}: expected {tool}, got {got}", met=False, lost=lost)
        elif _accepts(item, calls[at], usual):
            tally.add(f"Position {at}: {tool}", met=True)
            tally.add_time(item, calls[at])
        else:
            tally.add(f"Position {at}: {tool} args mismatch", met=False, lost=lost)
    return tally.say()


def _judge_superset(items: Calls, calls: Calls, usual: Any) -> Said:
    if not items:
        return Said(score=1.0, hits=("No expected tools specified",))
    tally, taken = _Tally(), set[int]()
    for item in items:
        place = _take(item, calls, taken, usual)
        missing = f"Expected {item['tool']} not found in actual trajectory"
        found = f"Found {item['tool']} at position {place}"
        tally.add(missing if place is None else found, met=place is not None)
    return tally.say()


def _judge_subset(items: Calls, calls: Calls, usual: Any) -> Said:
    if not calls:
        none = "No actual tool calls (trivially a subset)"
        return Said(score=1.0, hits=(none if items else "No tool calls and no expected tools",))
    if not items:
        return Said(
            score=0.0, misses=(f"{len(calls)} unexpected tool call(s) with empty allowed list",)
        )
    tally = _Tally()
    for at, call in enumerate(calls):
        met = any(i["tool"] == call["tool"] and _accepts(i, call, usual) for i in items)
        tally.add(
            f"Position {at}: {call['tool']} is {'' if met else 'not '}in allowed set", met=met
        )
    return tally.say()


def _print(value: Any) -> str:
    return print_number(value) if type(value) in (int, float) else str(value)


def judge_skill(entry: Entry, calls: Calls) -> Said:
    """Whether the first call loads a skill, as in 3.1.0; later releases look at every call."""
    skill, wanted = entry.get("skill"), entry.get("should_trigger", True)
    if not isinstance(skill, str) or not skill or not isinstance(wanted, bool):
        raise RefusedError(MISTAKE)
    first = calls[0] if calls else None
    evidence = _find_evidence(first, skill) if first else ""
    if not wanted:
        text = evidence or f'Skill "{skill}" correctly did not trigger'
        return binary(text, met=not evidence).by("7.12")
    missing = "No tool calls recorded"
    if first:
        missing = f'First tool was "{first["tool"]}" — not Skill/Read for "{skill}"'
    return binary(evidence or missing, met=bool(evidence)).by("7.12")


def _find_evidence(call: Entry, skill: str) -> str:
    told = call.get("input") if isinstance(call.get("input"), dict) else {}
    for tool, key, words in (
        ("Skill", "skill", 'Skill tool invoked with skill="{}"'),
        ("Read", "file_path", "Read tool loaded skill file: {}"),
    ):
        value = "" if told.get(key) is None else _print(told[key])
        if call["tool"] == tool and skill in value:
            return words.format(value)
    return ""
