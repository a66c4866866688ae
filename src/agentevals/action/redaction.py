"""Secrets in traces: they are removed before anything is shown.

A mask in the log is not enough: neither comments nor files nor artifacts are masked by GitHub.
"""

from collections.abc import Callable
from typing import Any, cast

import msgspec

from agentevals.model.results import CaseReport, Evaluation

Redact = Callable[[str], str]


def redact_report(run: Evaluation, redact: Redact) -> Evaluation:
    """Return the run without secrets; `redact_case` has removed those of its cases."""
    rest: Evaluation = _clean(msgspec.structs.replace(run, cases=()), redact)
    return msgspec.structs.replace(rest, cases=run.cases)


def redact_case(case: CaseReport, redact: Redact) -> CaseReport:
    """Return the case without secrets; the same one if there is nothing to remove."""
    return cast("CaseReport", _clean(case, redact)) if _has_secret(case, redact) else case


def _has_secret(case: CaseReport, redact: Redact) -> bool:
    """Search all texts at once, which is a hundred times faster than each one."""
    try:
        text = msgspec.json.encode(case).decode()
    except (OverflowError, RecursionError, UnicodeEncodeError):  # what a trace may hold, JSON not
        return True
    return redact(text) != text


def _clean(value: Any, redact: Redact) -> Any:
    """Redact all texts of a value, which keeps its shape. Enums such as verdicts stay."""
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **_clean(fields, redact))
    if type(value) is str:
        return redact(value)
    if type(value) is dict:
        return {_clean(key, redact): _clean(item, redact) for key, item in value.items()}
    if type(value) in {list, tuple}:
        return type(value)(_clean(item, redact) for item in value)
    return value
