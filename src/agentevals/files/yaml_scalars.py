"""Words without quotes that are the same value for every reader of YAML, whatever its version."""

import re
from typing import Any, Final

AMBIGUOUS: Final = object()

_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
    # truth values of YAML 1.1, and what stands for a default and for a merge there
    "y": AMBIGUOUS, "Y": AMBIGUOUS, "yes": AMBIGUOUS, "Yes": AMBIGUOUS, "YES": AMBIGUOUS,
    "n": AMBIGUOUS, "N": AMBIGUOUS, "no": AMBIGUOUS, "No": AMBIGUOUS, "NO": AMBIGUOUS,
    "on": AMBIGUOUS, "On": AMBIGUOUS, "ON": AMBIGUOUS,
    "off": AMBIGUOUS, "Off": AMBIGUOUS, "OFF": AMBIGUOUS,
    "=": AMBIGUOUS, "<<": AMBIGUOUS,
}  # fmt: skip
_NUMERIC = frozenset("-+.0123456789")  # what anything but text begins with
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,14})\.[0-9]{1,20}([eE][-+][0-9]{1,2})?")
_DIFFERS = re.compile(
    r"""
      [-+]?0b[01_]+ | 0o[0-7]+ | [-+]?0x[0-9a-fA-F_]+                 # other bases
    | [-+]?[0-9][0-9_]*                                               # 010, 1_000, +1
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?                    # 1:30 is 90 in base 60
    | [-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?
    | [-+]?\.(inf|Inf|INF) | \.(nan|NaN|NAN)
    | [0-9]{4}-[0-9]{2}-[0-9]{2}                                      # a day
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?
      ([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?
    """,
    re.VERBOSE,
)


def read_plain(text: str) -> Any:
    """Return the value of a word without quotes, or AMBIGUOUS."""
    if text in _WORDS:
        return _WORDS[text]
    return _read_number(text) if text[0] in _NUMERIC else text


def _read_number(text: str) -> Any:
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return AMBIGUOUS if _DIFFERS.fullmatch(text) else text
