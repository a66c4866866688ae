"""Keys that another system ignores in its own files: warnings here, or errors if that is asked for.

`x-agentevals: {strict: true}` in the config asks for errors, in all files that it refers to.
"""

from collections.abc import Iterable, Mapping, Sequence

from agentevals.configs.agents import EXTENSION
from agentevals.files.documents import Document
from agentevals.files.places import Key, quote
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion
from agentevals.model.results import Finding, Severity

_STRICT = "strict"
_RULE = "unknown-key"


class IgnoredKeys:
    """Collects keys that nobody reads."""

    def __init__(self, config: Document) -> None:
        own = config.value.get(EXTENSION) if isinstance(config.value, dict) else None
        self._strict = isinstance(own, dict) and own.get(_STRICT) is True
        self.problems: list[Problem] = []
        self.findings: list[Finding] = []

    def check(  # noqa: PLR0913 -- what is written, what is known, and how it is told
        self,
        document: Document,
        written: Iterable[str],
        known: Sequence[str],
        where: Sequence[Key] = (),
        *,
        about: str = "",
        meant: Mapping[str, str] | None = None,
    ) -> None:
        """Note each key that is not known, except the user's own. `meant` has other names."""
        for key in written:
            if key in known or key.startswith("x-"):
                continue
            other = (meant or {}).get(key)
            hint = f" (did you mean {other!r}?)" if other else suggestion(key, list(known))
            self.add(document, f"{about}unknown key {quote(key)}{hint}", (*where, key))

    def add(self, document: Document, message: str, where: Sequence[Key]) -> None:
        """Note one key, in other words."""
        if self._strict:
            self.problems.append(document.problem(message, where, key=True))
            return
        told = f"{message}; it is ignored"
        self.findings.append(document.finding(_RULE, told, where, Severity.WARNING, key=True))
