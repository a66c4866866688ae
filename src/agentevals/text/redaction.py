"""Hiding secrets in texts: those that are known, and whatever looks like one."""

import hashlib
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Any
from urllib.parse import quote

import msgspec

from agentevals.text.token_shapes import SHAPES

REDACTED = "***"
SHORTEST = 4  # characters of a secret, or a line of one, that is worth hiding

_DIGITS = 8  # of the digest that tells two hidden texts apart
_ROUNDS = 5_000  # a guess at a weak secret by its digest takes so long

# fields by which a case, an evaluator or a trace is found again
_NAMES = {
    *("case_id", "eval_case_id", "conversation_id", "trace_ids", "trace_id", "span_id", "sources"),
    *("name", "evaluators", "eval_set_id", "judged", "case", "evaluator"),
}


class Redactor:
    """Replaces the secrets it was given, and what looks like one, in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        forms = {form for secret in self._secrets for form in _list_forms(secret)}
        # longest first: one secret may hold another
        exact = [re.escape(form) for form in sorted(forms, key=len, reverse=True)]
        self._pattern = re.compile("|".join([*exact, *chain(*SHAPES.values())]), re.ASCII)

    def __call__(self, text: str) -> str:
        return self._pattern.sub(_hide, text)

    def rename(self, name: str) -> str:
        """Return a name without secrets. Names that differ still do, so they can be paired."""
        hidden = self(name)
        return name if hidden == name else hidden + digest(name)

    def __repr__(self) -> str:
        return "Redactor()"

    def add(self, secrets: Iterable[str]) -> "Redactor":
        """Return a redactor that replaces these as well; this one if it knows them."""
        every = self._secrets.union(secrets)
        return self if every == self._secrets else Redactor(every)


def redact_texts(value: Any, redact: Redactor) -> Any:
    """Redact all texts of a value, which keeps its shape. Enums such as verdicts stay."""
    if isinstance(value, msgspec.Struct):
        fields = {name: _redact_field(value, name, redact) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    if type(value) is str:
        return redact(value)
    if type(value) is dict:
        return {_redact_name(key, redact): _redact_item(key, value[key], redact) for key in value}
    if type(value) in {list, tuple}:
        return type(value)(redact_texts(item, redact) for item in value)
    return value


@lru_cache(maxsize=10_000)
def digest(text: str) -> str:
    """Return a few digits that tell a hidden text from others, and say nothing about it."""
    secret = text.encode("utf-8", "replace")
    return hashlib.pbkdf2_hmac("sha256", secret, b"agentevals", _ROUNDS).hex()[:_DIGITS]


def _hide(match: re.Match[str]) -> str:
    """Hide the group that holds the secret; without one, all that was found."""
    if match.lastindex is None:
        return REDACTED
    begin, end = match.span(match.lastindex)
    start = match.start()
    return f"{match[0][: begin - start]}{REDACTED}{match[0][end - start :]}"


def _list_forms(secret: str) -> Iterable[str]:
    """Yield the forms of a secret: whole, line by line, and as JSON and addresses spell it."""
    for text in (secret, *secret.splitlines()):
        stripped = text.strip()
        if len(stripped) >= SHORTEST:
            yield stripped
            yield json.dumps(stripped)[1:-1]
            yield quote(stripped, safe="", errors="replace")


def _redact_field(value: msgspec.Struct, name: str, redact: Redactor) -> Any:
    found = getattr(value, name)
    if name in _NAMES and type(found) is str:
        return redact.rename(found)
    if name in _NAMES and type(found) is tuple:
        return tuple(_redact_name(item, redact) for item in found)
    return redact_texts(found, redact)


def _redact_name(value: Any, redact: Redactor) -> Any:
    """Redact what cases, evaluators and baselines are paired by: different names stay different."""
    return redact.rename(value) if type(value) is str else redact_texts(value, redact)


def _redact_item(key: Any, value: Any, redact: Redactor) -> Any:
    """Redact a value by its key as well, which may be what tells that it is a secret."""
    if type(key) is not str or type(value) is not str:
        return redact_texts(value, redact)
    before = f"{key}="
    shown = redact(before + value)
    return shown.removeprefix(before) if shown.startswith(before) else redact(value)
