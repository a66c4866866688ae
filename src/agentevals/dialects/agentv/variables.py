"""What a file leaves open: variables of the environment, and its own `vars`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from agentevals.documents.complaints import Where

_ENVIRONMENT = re.compile(r"\$\{\{\s*([A-Za-z_]\w*)\s*\}\}|\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}")
_OWN = re.compile(r"(?<!\$)\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}")
_SECRET = re.compile(
    r"(?:^|_)(?:API_?)?(?:AUTH|COOKIES?|CREDENTIALS?|KEYS?|PASS|PASSWD|PASSWORD|PAT|PWD|SECRETS?"
    r"|SESSION|TOKENS?)(?:_|$)",
    re.IGNORECASE,
)

Told = Callable[[str, Where], None]


def is_open(text: str) -> bool:
    """Whether a file asks for variables of the environment at all."""
    return _ENVIRONMENT.search(text) is not None


class Environment:
    """Puts in what the environment says. A secret is never read: it would end in a report."""

    def __init__(self, environ: Mapping[str, str], missing: Told, secret: Told) -> None:
        self._environ, self._missing, self._secret = environ, missing, secret

    def filled(self, value: Any, where: Where = (), *, unread: frozenset[str] = frozenset()) -> Any:
        """The value, as deep as it goes. What stands under an unread key stays as it is."""
        if isinstance(value, str):
            return _ENVIRONMENT.sub(lambda found: self._value(found, where), value)
        if isinstance(value, list):
            return [self.filled(one, (*where, at), unread=unread) for at, one in enumerate(value)]
        if not isinstance(value, dict):
            return value
        return {
            key: one if key in unread else self.filled(one, (*where, key), unread=unread)
            for key, one in value.items()
        }

    def _value(self, found: re.Match[str], where: Where) -> str:
        name = found[1] or found[2]
        if _SECRET.search(name):
            self._secret(name, where)
            return found[0]
        if name not in self._environ:
            self._missing(name, where)
        return self._environ.get(name, "")


def with_own(value: Any, known: Mapping[str, Any]) -> Any:
    """The value with `{{name}}` replaced where the file has such a variable."""
    if not known:
        return value
    if isinstance(value, str):
        return _OWN.sub(lambda found: _told(found, known), value) if "{{" in value else value
    if isinstance(value, list):
        return [with_own(one, known) for one in value]
    if isinstance(value, dict):
        return {key: with_own(one, known) for key, one in value.items()}
    return value


def _told(found: re.Match[str], known: Mapping[str, Any]) -> str:
    value: Any = known
    for step in found[1].split("."):
        if not isinstance(value, dict) or step not in value:
            return found[0]
        value = value[step]
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
