"""Bounds on what one grade adds to a report: an evaluator may print megabytes about a case."""

from typing import Any

import msgspec

from agentevals.model.cases import Grade

_LONGEST_TEXT = 64 << 10  # characters
_MOST_ITEMS = 1000
_LARGEST_DETAILS = 512 << 10  # bytes of JSON
_KIB = 1024

_encode = msgspec.json.Encoder().encode


def cut_grade(grade: Grade) -> tuple[Grade, list[str]]:
    """Return the grade, cut to what a report may hold of it, and the names of what was cut."""
    if _is_small(grade):
        return grade, []
    bounded: dict[str, Any] = {
        "reasoning": _cut_text(grade.reasoning),
        "hits": _cut_texts(grade.hits),
        "misses": _cut_texts(grade.misses),
        "per_turn": grade.per_turn[:_MOST_ITEMS],
        "details": _cut_details(grade.details),
    }
    changed = {name: value for name, value in bounded.items() if value is not getattr(grade, name)}
    cut = [name for name, value in changed.items() if value != getattr(grade, name)]
    return (msgspec.structs.replace(grade, **changed) if cut else grade), cut


def _is_small(grade: Grade) -> bool:
    """Return whether nothing of a grade can be too long. That is known at a glance of most."""
    if len(grade.per_turn) > _MOST_ITEMS or len(grade.reasoning) > _LONGEST_TEXT:
        return False
    for texts in (grade.hits, grade.misses):
        if texts and (len(texts) > _MOST_ITEMS or sum(map(len, texts)) >= _LONGEST_TEXT):
            return False
    details = grade.details
    if not details:
        return True
    if len(details) > _MOST_ITEMS or {*map(type, details)} != {str}:
        return False
    try:
        return max(map(len, details)) <= _KIB and len(_encode(details)) < _LARGEST_DETAILS
    except (TypeError, ValueError, RecursionError):  # each member is then measured for itself
        return False


def _cut_text(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    half = _LONGEST_TEXT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters omitted …\n{text[-half:]}"


def _cut_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Cut a list where its texts together become too long."""
    kept: list[str] = []
    left = _LONGEST_TEXT
    for text in texts[:_MOST_ITEMS]:
        if left <= 0:
            break
        kept.append(text if len(text) <= left else f"{text[:left]}…")
        left -= len(text)
    omitted = len(texts) - len(kept)
    return (*kept, f"… {omitted} more omitted …") if omitted else tuple(kept)


def _cut_details(details: dict[str, Any]) -> dict[str, Any]:
    """Keep the members in their order, as far as there is room; name the size of the others."""
    left, kept = _LARGEST_DETAILS, dict[str, Any]()
    for key, value in details.items():
        size = len(key) + _measure(value)
        fits = size <= left
        kept[_cut_key(key)] = value if fits else f"… {size // _KIB} KiB omitted …"
        left -= size if fits else len(key)
        if left <= 0 or len(kept) >= _MOST_ITEMS:
            break
    return kept if kept != details else details


def _cut_key(key: str) -> str:
    return key if len(key) <= _KIB else f"{key[:_KIB]}…"


def _measure(value: Any) -> int:
    try:
        return len(msgspec.json.encode(value, enc_hook=str))
    except (TypeError, ValueError, RecursionError):  # the report says what is wrong with it
        return 0
