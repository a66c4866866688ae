"""Variables in a file: those of the environment, and its own `vars`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from agentevals.files.pydantic_mistakes import Where
from agentevals.model.errors import InputError

_ENVIRONMENT = re.compile(r"\$\{\{\s*([A-Za-z_]\w*)\s*\}\}|\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}")
_OWN = re.compile(r"(?<!\$)\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}")
_SECRET = re.compile(
    r"(?:^|_)(?:AUTH|BEARER|COOKIES?|DSN|KEYS?|PASS|PAT|PWD|SESSION|WEBHOOKS?)(?:_|$)"
    r"|CREDENTIAL|PASSW|PASSPHRASE|SECRET|TOKEN(?!I[SZ])|(?:ACCESS|API|PRIVATE|SIGNING)_?KEY"
    r"|CONN(?:ECTION)?_?STR",
    re.IGNORECASE,
)
# an address with a password in it, whatever the variable is called
_HOLDS_PASSWORD = re.compile(r"://[^/?#\s]*:[^/?#\s]*@")

_MOST = 100_000_000  # characters: a few variables can stand for more than any memory holds

Told = Callable[[str, Where], None]


class Room:
    """The number of characters that all variables together may still add to the files."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = self._left = most

    def take(self, characters: int) -> None:
        """Raise an InputError where there is no more room."""
        self._left -= characters
        if self._left < 0:
            msg = (
                f"with its variables put in, the EVAL file comes to more than {self._most:,} "
                "characters; use them less often, or make them shorter"
            )
            raise InputError(msg)


def is_open(text: str) -> bool:
    """Return whether a text has variables of the environment."""
    return _ENVIRONMENT.search(text) is not None


class Environment:
    """Puts in what the environment says. A secret is never read: it would end in a report."""

    def __init__(self, environ: Mapping[str, str], missing: Told, secret: Told, room: Room) -> None:
        self._environ, self._missing, self._secret = environ, missing, secret
        self._room = room

    def fill(self, value: Any, where: Where = (), *, unread: frozenset[str] = frozenset()) -> Any:
        """Return the value, as deep as it goes. What stands under an unread key stays as it is."""
        if isinstance(value, str):
            self._room.take(len(value) if "{{" in value else 0)
            return _ENVIRONMENT.sub(lambda found: self._value(found, where), value)
        if isinstance(value, list):
            return [self.fill(one, (*where, at), unread=unread) for at, one in enumerate(value)]
        if not isinstance(value, dict):
            return value
        return {
            key: one if key in unread else self.fill(one, (*where, key), unread=unread)
            for key, one in value.items()
        }

    def _value(self, found: re.Match[str], where: Where) -> str:
        name = found[1] or found[2]
        said = self._environ.get(name, "")
        is_secret = _SECRET.search(name)
        if is_secret or _HOLDS_PASSWORD.search(said):
            why = "is named like a secret" if is_secret else "holds an address with a password"
            self._secret(f"the variable {name} {why}", where)
            return found[0]
        if name not in self._environ:
            self._missing(name, where)
        self._room.take(len(said))
        return said


def fill_own(value: Any, known: Mapping[str, Any], room: Room) -> Any:
    """Return the value with `{{name}}` replaced where the file has such a variable."""
    if not known:
        return value
    if isinstance(value, str):
        if "{{" not in value:
            return value
        room.take(len(value))
        return _OWN.sub(lambda found: _look_up(found, known, room), value)
    if isinstance(value, list):
        return [fill_own(one, known, room) for one in value]
    if isinstance(value, dict):
        return {key: fill_own(one, known, room) for key, one in value.items()}
    return value


def _look_up(found: re.Match[str], known: Mapping[str, Any], room: Room) -> str:
    value: Any = known
    for step in found[1].split("."):
        if not isinstance(value, dict) or step not in value:
            return found[0]
        value = value[step]
    text = "" if value is None else str(value)
    text = text.lower() if isinstance(value, bool) else text
    room.take(len(text))
    return text
