"""Secrets never reach a log or a comment: those we hold, and whatever looks like one."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from urllib.parse import quote

from agentevals.github.runner.token_shapes import SHAPES

REDACTED = "***"
SHORTEST = 4  # characters of a secret, or a line of one, that is worth hiding

# set by the runner for its own services
_OURS = ("ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")

_DIGITS = 4  # of the digest that tells two hidden ids apart


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
        if hidden == name:
            return name
        return f"{hidden}{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:_DIGITS]}"

    def __repr__(self) -> str:
        return "Redactor()"

    def add(self, secrets: Iterable[str]) -> "Redactor":
        """Return a redactor that replaces these as well; this one if it knows them."""
        every = self._secrets.union(secrets)
        return self if every == self._secrets else Redactor(every)


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


def collect_secrets(
    environ: Mapping[str, str], token: str | None = None, variables: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the secrets of this process: the token, and the values of the named variables."""
    values = [token or "", *(environ.get(name, "") for name in (*_OURS, *variables))]
    return tuple(dict.fromkeys(value for value in values if len(value.strip()) >= SHORTEST))
