"""Secrets that an agent has let slip into a trace: they are taken out before anybody is shown it.

A mask in the log is not enough: neither comments nor files nor artifacts are masked by GitHub.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from agentevals.files.spool import Spool
from agentevals.model.results import CaseReport, Evaluation

Redact = Callable[[str], str]


def redacted(run: Evaluation, redact: Redact) -> Evaluation:
    """The same run; as a rule there is nothing to take out, and it is the very same."""
    rest: Evaluation = _cleaned(msgspec.structs.replace(run, cases=()), redact)
    return msgspec.structs.replace(rest, cases=_cases(run.cases, redact))


def _cases(cases: Sequence[CaseReport], redact: Redact) -> Sequence[CaseReport]:
    if not any(_holds_one(case, redact) for case in cases):
        return cases
    clean = Spool(CaseReport)
    for case in cases:
        clean.append(_cleaned(case, redact))
    return clean


def _holds_one(case: CaseReport, redact: Redact) -> bool:
    """Looked for in all texts at once, which is a hundred times faster than in each."""
    try:
        text = msgspec.json.encode(case).decode()
    except (OverflowError, RecursionError, UnicodeEncodeError):  # what a trace may hold, JSON not
        return True
    return redact(text) != text


def _cleaned(value: Any, redact: Redact) -> Any:
    """Nouns, lists and mappings keep their shape; words of ours, such as verdicts, are no texts."""
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **_cleaned(fields, redact))
    if type(value) is str:
        return redact(value)
    if type(value) is dict:
        return {_cleaned(key, redact): _cleaned(item, redact) for key, item in value.items()}
    if type(value) in {list, tuple}:
        return type(value)(_cleaned(item, redact) for item in value)
    return value
