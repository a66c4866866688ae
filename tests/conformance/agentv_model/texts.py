"""The checks of the answer's text."""

import json
import re
from typing import Any

import regex

from tests.conformance.agentv_model import MISTAKE, PATTERN, Entry, RefusedError, Said, binary

_WHITE = "\t\n\v\f\r \u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
_INERT = "dguvy"
ONE = {"contains", "icontains", "starts_with", "ends_with", "equals", "regex"}
SEVERAL = {"contains_any", "contains_all", "icontains_any", "icontains_all"}
ALL = ONE | SEVERAL | {"is_json"}


def trim(text: str) -> str:
    return text.strip(_WHITE)


def judge(kind: str, entry: Entry, answer: str) -> Said:
    """What one of them says."""
    if kind == "is_json":
        met = _is_json(answer)
        return binary(f"Output is {'' if met else 'not '}valid JSON", met=met)
    value = entry.get("value")
    _check_value(kind, value)
    if kind == "regex":
        return _match(entry, answer)
    if kind in SEVERAL:
        return _find_several(kind, value, answer)
    return _find_one(kind, value, answer)


def _check_value(kind: str, value: Any) -> None:
    texts = value if kind in SEVERAL and isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise RefusedError(MISTAKE)
    if kind in SEVERAL and not isinstance(value, list):
        raise RefusedError(MISTAKE)


def _is_json(answer: str) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(answer, parse_constant=refuse, parse_int=len)
    except ValueError:
        return False
    return True


def _find_one(kind: str, value: str, answer: str) -> Said:
    if kind in {"contains", "icontains"}:
        lower = kind == "icontains"
        met = value.lower() in answer.lower() if lower else value in answer
        said = f'Output {"contains" if met else "does not contain"} "{value}"'
        return binary(said + (" (case-insensitive)" if lower else ""), met=met)
    plain, wanted = trim(answer), trim(value)
    met = {
        "starts_with": plain.startswith(wanted),
        "ends_with": plain.endswith(wanted),
        "equals": plain == wanted,
    }[kind]
    verb = kind.replace("s_with", " with")
    does = {"equals": "equals"}.get(kind, kind.replace("_", " "))
    do = {"equals": "equal"}.get(kind, verb)
    return binary(f'Output {does if met else f"does not {do}"} "{value}"', met=met)


def _find_several(kind: str, values: list[str], answer: str) -> Said:
    lower = kind.startswith("i")
    remark = " (case-insensitive)" if lower else ""
    text = answer.lower() if lower else answer
    found = [one for one in values if (one.lower() if lower else one) in text]
    if kind.endswith("any"):
        listed = ", ".join(f'"{one}"' for one in values)
        hit = f'Output contains "{found[0]}"' if found else ""
        return binary(
            (hit or f"Output does not contain any of: {listed}") + remark, met=bool(found)
        )
    missing = ", ".join(f'"{one}"' for one in values if one not in found)
    if missing:
        return binary(f"Output missing{remark}: {missing}", met=False)
    return binary(f"Output contains all {len(values)} expected strings{remark}", met=True)


def _match(entry: Entry, answer: str) -> Said:
    """Python's syntax and characters, with JavaScript's flags."""
    value, flags = entry["value"], entry.get("flags", "")
    known = set(_FLAGS) | set(_INERT)
    if not isinstance(flags, str) or set(flags) - known or len(set(flags)) < len(flags):
        raise RefusedError(PATTERN)
    pattern = re.sub(r"\(\?<([A-Za-z_]\w*)>", r"(?P<\1>", value)
    try:
        compiled = regex.compile(pattern, sum(_FLAGS.get(flag, 0) for flag in flags))
    except regex.error as error:
        raise RefusedError(PATTERN) from error
    found = compiled.match(answer) if "y" in flags else compiled.search(answer)
    met = found is not None
    said = f"Output {'matches' if met else 'does not match'} pattern /{value}/{flags}"
    return binary(said + (f" (flags: {flags})" if flags else ""), met=met).by("3.18")
