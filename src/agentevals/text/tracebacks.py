"""The one line of a crash that tells most: what was raised, and in which line of whose file."""

import re

_LONGEST = 160  # characters
_LONGEST_REMEDY = 300
# the words with which `sandbox.failure_hints` begins
_REMEDY = re.compile(r"\. ((?:Add `|List it in |It works in a scratch folder).*)")
_EXITED = "exited with code"
_PYTHON = "Traceback (most recent call last)"
_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_CALL = re.compile(r"^\s+at .*?([^\s(]+?):(\d+):\d+\)?$", re.MULTILINE)
# of whoever runs the evaluator, and not of its author
_FOREIGN = re.compile(r"(^|/)(site-packages|agentevals_evaluator_sdk|python3[.\d]*)/|^<|^node:")


def shorten_error(text: str) -> str:
    """Return `KeyError: 'final_response' (mine.py:3)`, or else the first line of the text.

    What the first line says to do about it follows.
    """
    remedy = _REMEDY.search(text.partition("\n")[0])
    shortened = _shorten(text)
    told = remedy and remedy[1][:_LONGEST_REMEDY]
    return f"{shortened.rstrip('.')}. {told}" if told and told not in shortened else shortened


def _shorten(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    if _PYTHON in text:
        return _cut(lines[-1], _find_place([*reversed(_FRAME.findall(text))]))
    calls = list(_CALL.finditer(text))
    if not calls:  # what a program printed last before it ended tells most
        return _cut(lines[-1] if _EXITED in lines[0] else lines[0], "")
    before = [line.strip() for line in text[: calls[0].start()].splitlines() if line.strip()]
    raised = (before or lines)[-1]
    return _cut(raised, _find_place([found.groups() for found in calls]))


def is_crash(text: str) -> bool:
    """Return whether a program ended in the middle, whatever it was written in."""
    return _PYTHON in text or bool(_CALL.search(text)) or _EXITED in text


def _find_place(frames: list[tuple[str, ...]]) -> str:
    """Return the first that is of the author, without the folder that only one machine has."""
    own = [frame for frame in frames if not _FOREIGN.search(frame[0])]
    return next((f"{path.rsplit('/', 1)[-1]}:{number}" for path, number in own), "")


def _cut(raised: str, place: str) -> str:
    said = raised if len(raised) <= _LONGEST else f"{raised[: _LONGEST - 1]}…"
    return f"{said} ({place})" if place else said
