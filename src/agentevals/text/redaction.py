"""Hiding secrets in texts: those that are known, and whatever looks like one."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec

from agentevals.text.token_shapes import SHAPES, CutSecrets
from agentevals.text.wording import plural

REDACTED = "***"
SHORTEST = 4  # characters of a secret, or a line of one, that is worth hiding
_ENCODED = 8  # and in base64 or hexadecimal, of which short pieces stand anywhere

_DIGITS = 8  # of the digest that tells two hidden texts apart
_ROUNDS = 500  # a guess at a weak secret by its digest takes so long
_MARK = re.compile(rf"{re.escape(REDACTED)}[0-9a-f]{{{_DIGITS}}}")  # a token that was hidden
_HIDDEN = re.compile(rf"(?:{_MARK.pattern})|{re.escape(REDACTED)}")
# a token has a word of so many characters, or stands in an address
_LEAST_WORD, _ADDRESS = 10, "://"
_SPELLING = re.compile(r"\\+[nrt]|[^A-Za-z0-9]")  # differs where a token stands in JSON

# fields by which a case, an evaluator or a trace is found again
_NAMES = {
    *(
        "case_id",
        "case_ids",
        "eval_case_id",
        "conversation_id",
        "trace_ids",
        "trace_id",
        "span_id",
        "sources",
    ),
    *("name", "evaluators", "eval_set_id", "judged", "case", "evaluator", "turn_id", "parent_id"),
    *("call_id", "rival_case_ids", "agent", "model"),
}


class Redactor:
    """Replaces the secrets it was given, and what looks like one, in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        forms = {form for secret in self._secrets for form in _list_forms(secret)}
        # longest first: one secret may hold another
        exact = [re.escape(form) for form in sorted(forms, key=len, reverse=True)]
        self._pattern = re.compile("|".join([*exact, *chain(*SHAPES.values())]), re.ASCII)
        self._cut = CutSecrets(forms)

    def __call__(self, text: str) -> str:
        return self._cut.hide(self._pattern.sub(self._hide, text), REDACTED)

    def _hide(self, match: re.Match[str]) -> str:
        """Hide the group that holds the secret; without one, all that was found."""
        begin, end = match.span(match.lastindex or 0)
        start, secret = match.start(), match.string[begin:end]
        shown = secret if _HIDDEN.fullmatch(secret) else self._replace(secret, match)
        return f"{match[0][: begin - start]}{shown}{match[0][end - start :]}"

    def _replace(self, secret: str, match: re.Match[str]) -> str:  # noqa: ARG002 -- a seam
        return REDACTED

    def rename(self, name: str) -> str:
        """Return a name without secrets. Names that differ still do, so they can be paired."""
        hidden = self(name)
        return name if hidden == name else hidden + digest(name)

    def rename_id(self, name: str) -> str:
        """Return the name of a case, an evaluator or a trace without secrets."""
        return self.rename(name)

    def __repr__(self) -> str:
        return "Redactor()"

    def add(self, secrets: Iterable[str]) -> "Redactor":
        """Return a redactor that replaces these as well; this one if it knows them."""
        every = self._secrets.union(secrets)
        return self if every == self._secrets else Redactor(every)


class TokenMarker(Redactor):
    """Hides tokens of vendors in recordings. A digest takes their place: equal ones stay equal.

    Ids and names stay. With `only`, it hides those tokens alone. `found` has the shape of each.
    """

    def __init__(self, only: Container[str] | None = None) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._only = only

    def _replace(self, secret: str, match: re.Match[str]) -> str:
        mark = REDACTED + digest(_SPELLING.sub("", secret))
        if self._only is not None and mark not in self._only:
            return secret
        self.found[mark] = _name_shape(match)
        return mark

    def __call__(self, text: str) -> str:
        return self._pattern.sub(self._hide, text)

    def rename(self, name: str) -> str:
        return self(name)

    def rename_id(self, name: str) -> str:
        return name

    def describe(self) -> str:
        """Describe how many tokens are hidden, and of which shapes; empty if there are none."""
        shapes = Counter(self.found.values())
        listed = "; ".join(f"{shape}: {count}" for shape, count in sorted(shapes.items()))
        return f"{plural(len(self.found), 'secret')} hidden ({listed})" if listed else ""


def find_marks(value: object) -> frozenset[str]:
    """Return what takes the place of hidden tokens in a value."""
    texts = join_texts(value)
    return frozenset(_MARK.findall(texts)) if REDACTED in texts else frozenset()


def join_texts(value: object) -> str:
    """Return all texts of a value in one: to search that is a hundred times faster."""
    try:
        return msgspec.json.encode(value).decode()
    except (OverflowError, RecursionError, TypeError, UnicodeEncodeError):  # JSON cannot hold it
        return repr(value)


def redact_texts(value: Any, redact: Redactor) -> Any:
    """Redact all texts of a value, which keeps its shape. Enums such as verdicts stay."""
    if isinstance(value, msgspec.Struct):
        fields = {name: _redact_field(value, name, redact) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    if type(value) is str:
        return redact(value)
    if type(value) in {list, tuple}:
        return type(value)(redact_texts(item, redact) for item in value)
    if isinstance(value, Mapping):  # also one that is read from disk
        return {_redact_key(key, redact): redact_item(key, value[key], redact) for key in value}
    return value


@lru_cache(maxsize=10_000)
def digest(text: str) -> str:
    """Return a few digits that tell a hidden text from others, and say nothing about it."""
    secret = text.encode("utf-8", "replace")
    return hashlib.pbkdf2_hmac("sha256", secret, b"agentevals", _ROUNDS).hex()[:_DIGITS]


def _name_shape(match: re.Match[str]) -> str:
    """Return whose token this is: of the first shape that matches there."""
    for name, patterns in SHAPES.items():
        if any(re.compile(p, re.ASCII).match(match.string, match.start()) for p in patterns):
            return name
    return "unknown"


def _list_forms(secret: str) -> Iterable[str]:
    """Yield the forms of a secret: whole, line by line, and as JSON and addresses spell it."""
    for text in (secret, *secret.splitlines()):
        stripped = text.strip()
        if len(stripped) >= SHORTEST:
            yield stripped
            yield from (json.dumps(stripped, ensure_ascii=plain)[1:-1] for plain in (True, False))
            yield from (spell(stripped, safe="", errors="replace") for spell in (quote, quote_plus))
        if len(stripped) >= _ENCODED:
            yield from _encode(stripped.encode(errors="replace"))


def _encode(secret: bytes) -> Iterable[str]:
    """Yield the forms of a secret in hexadecimal, and in base64 wherever in a text it stands."""
    yield from (secret.hex(), secret.hex().upper())
    for before in range(3):  # letters of base64 that stand for a part of what is beside it are cut
        spelt = base64.b64encode(bytes(before) + secret).rstrip(b"=")
        begin, end = -(-before * 8 // 6), (before + len(secret)) * 8 // 6
        whole = spelt[begin:end].decode()
        yield from (whole, whole.replace("+", "-").replace("/", "_"))


def _redact_field(value: msgspec.Struct, name: str, redact: Redactor) -> Any:
    found = getattr(value, name)
    if name in _NAMES and type(found) is str:
        return redact.rename_id(found)
    if name in _NAMES and type(found) is tuple and all(type(item) is str for item in found):
        return tuple(map(redact.rename_id, found))
    return redact_texts(found, redact)


def _redact_key(key: Any, redact: Redactor) -> Any:
    return redact.rename(key) if type(key) is str else key


def redact_item(key: Any, value: Any, redact: Redactor) -> Any:
    """Redact a value by its key as well, which may be what tells that it is a secret."""
    if type(key) is not str or type(value) is not str:
        return redact_texts(value, redact)
    before = f"{key}="
    shown = redact(before + value)
    return shown.removeprefix(before) if shown.startswith(before) else redact(value)


def fold_question(text: str) -> str:
    """Return a user's message as pairing compares it: without case, with single spaces.

    Tokens are hidden, because `record` or `bless` may have hidden them on one side.
    """
    words = text.split()
    if _ADDRESS in text or max(map(len, words), default=0) >= _LEAST_WORD:
        words = _hide_tokens()(text).split()
    return " ".join(words).casefold()


@cache
def _hide_tokens() -> TokenMarker:
    return TokenMarker()  # its patterns take a while
