"""Secrets never reach a log or a comment: those we hold, and whatever looks like one."""

import json
import re
from collections.abc import Iterable, Mapping

REDACTED = "***"
SHORTEST = 4  # characters of a secret, or a line of one, that is worth hiding

# set by the runner for its own services
_OURS = ("ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")

# Every pattern is linear: what begins a match either completes it or fails within a few
# characters, and what would have to be searched for its end begins only at a word's begin.
_BEGIN = r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\w+/=\s\\:,.()]|-(?!----))*+(?:-----END [A-Z0-9 ]{0,60}-----)?"
)
_SHAPES = (
    rf"{_BEGIN}sk-(?=[A-Za-z_-]*+[0-9])[\w-]{{16,}}+",
    r"gh[opsur]_[A-Za-z0-9]{16}[\w.-]*+",
    r"github_pat_\w{16,}+",
    r"A(?:KIA|SIA)[A-Z0-9]{16}",
    rf"{_BEGIN}eyJ[\w-]{{8,}}+\.[\w-]{{8,}}+(?:\.[\w-]*+)?",
    _PEM,
)


class Redactor:
    """Replaces the secrets it was given, and what looks like one, in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        forms = {form for secret in self._secrets for form in _list_forms(secret)}
        # longest first: one secret may hold another
        exact = [re.escape(form) for form in sorted(forms, key=len, reverse=True)]
        self._pattern = re.compile("|".join([*exact, *_SHAPES]), re.ASCII)

    def __call__(self, text: str) -> str:
        return self._pattern.sub(REDACTED, text)

    def __repr__(self) -> str:
        return "Redactor()"

    def add(self, secrets: Iterable[str]) -> "Redactor":
        """Return a redactor that replaces these as well; this one if it knows them."""
        every = self._secrets.union(secrets)
        return self if every == self._secrets else Redactor(every)


def _list_forms(secret: str) -> Iterable[str]:
    """Yield the forms of a secret: whole, line by line, and as JSON spells it."""
    for text in (secret, *secret.splitlines()):
        stripped = text.strip()
        if len(stripped) >= SHORTEST:
            yield stripped
            yield json.dumps(stripped)[1:-1]


def collect_secrets(
    environ: Mapping[str, str], token: str | None = None, variables: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the secrets of this process: the token, and the values of the named variables."""
    values = [token or "", *(environ.get(name, "") for name in (*_OURS, *variables))]
    return tuple(dict.fromkeys(value for value in values if len(value.strip()) >= SHORTEST))
