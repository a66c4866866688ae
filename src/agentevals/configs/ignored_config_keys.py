"""Keys that another system ignores in its own files: warnings here, or errors if that is asked for.

`x-agentevals: {strict: true}` in the config asks for errors, in all files that it refers to.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError

from agentevals.configs.config_agent import EXTENSION
from agentevals.files.document_places import DEEPEST, Key, quote, steps
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Model, Where, complaints, validate
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion
from agentevals.model.results import Finding, Severity
from agentevals.text.wording import plural

_STRICT = "strict"
_RULE = "unknown-key"
_UNKNOWN = "extra_forbidden"
_OF_AN_ERROR = {"type", "loc", "input", "ctx"}  # that another one can be made of


class IgnoredKeys:
    """Collects keys that nobody reads.

    Keys that the other system judges by are never passed over, though nothing reads them here.
    """

    def __init__(self, config: Document, judged_by: Container[str] = ()) -> None:
        self._judged_by = judged_by
        self._wrong: list[Problem] = []
        own = config.value.get(EXTENSION) if isinstance(config.value, dict) else None
        self._strict = isinstance(own, dict) and own.get(_STRICT) is True
        # whose key it is, and the problem of any such key
        self._found: dict[tuple[str, Problem], None] = {}

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
            if key in self._judged_by:
                does = "changes the score in the other system, and is not supported here"
                message = f"{about}{quote(key)} {does}"
                self._wrong.append(document.problem(message, (*where, key), key=True))
                continue
            other = (meant or {}).get(key)
            hint = f" (did you mean {other!r}?)" if other else suggestion(key, list(known))
            self.add(document, f"unknown key {quote(key)}{hint}", (*where, key), about=about)

    def add(
        self, document: Document, message: str, where: Sequence[Key], *, about: str = ""
    ) -> None:
        """Note one key, in other words."""
        self._found[about, document.problem(message, where, key=True)] = None

    def validate(  # noqa: PLR0913 -- what is written, where, and how it is told
        self,
        model: type[Model],
        value: Mapping[str, Any],
        document: Document,
        where: Where = (),
        *,
        about: str = "",
        levels: Container[int] = range(1, DEEPEST),
    ) -> tuple[Model | None, list[Problem]]:
        """Return the model of a value without the keys that it does not know.

        `levels` are those at which the other system ignores keys, the topmost is 1.
        """
        made, problems = validate(model, value, document, where, about=about)
        left = value
        while made is None and (unknown := self._find_unknown(model, left, levels)):
            ways = [_find_way(one["loc"], left) for one in unknown]
            if not all(ways):
                break
            self._note(unknown, model, document, where, about)
            for way in ways:
                left = _drop(left, way)
            made, _ = validate(model, left, document, where, about=about)
        return made, problems if made is None else []

    def _find_unknown(
        self, model: type[BaseModel], value: Mapping[str, Any], levels: Container[int]
    ) -> list[Any]:
        try:
            model.model_validate(value)
        except ValidationError as error:
            return narrow(error, lambda one: self._is_ignored(one, levels))
        return []

    def _is_ignored(self, mistake: Any, levels: Container[int]) -> bool:
        location = mistake["loc"]
        is_unknown = mistake["type"] == _UNKNOWN and len(location) in levels
        return is_unknown and location[-1] not in self._judged_by

    def _note(
        self,
        unknown: list[Any],
        model: type[BaseModel],
        document: Document,
        where: Where,
        about: str,
    ) -> None:
        told = [one for one in unknown if not str(one["loc"][-1]).startswith("x-")]
        error = ValidationError.from_exception_data(model.__name__, told)
        self._found |= {(about, one): None for one in complaints(error, document, model, where)}

    def join(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return what is wrong. Unknown keys belong to it if they may be the reason."""
        others = [*self._wrong, *problems]
        unknown = self._found if others or self._strict else ()
        told = (replace(one, message=f"{about}{one.message}") for about, one in unknown)
        return list(dict.fromkeys([*told, *others]))

    @property
    def findings(self) -> Iterator[Finding]:
        """Yield a warning for each key, at the first of its places in a file."""
        alike: dict[tuple[str, str], list[tuple[str, Problem]]] = {}
        for about, one in self._found:
            alike.setdefault((one.path, one.message), []).append((about, one))
        for (path, message), [(about, one), *others] in alike.items():
            more = f", here and in {plural(len(others), 'more place')}" if others else ""
            yield Finding(
                severity=Severity.WARNING,
                rule=_RULE,
                message=f"{about}{message}; it is ignored{more}",
                path=path,
                line=one.line,
                column=one.column,
            )


def narrow(error: ValidationError, is_kept: Callable[[Any], bool]) -> list[Any]:
    """Return the mistakes of an error that are kept, as another error is made of them."""
    kept = filter(is_kept, error.errors())
    return [{key: given for key, given in one.items() if key in _OF_AN_ERROR} for one in kept]


def _find_way(location: Sequence[Key], value: Mapping[str, Any]) -> tuple[Key, ...]:
    """Return the path of a key in a value; nothing where the value has it under another name."""
    way = tuple(steps(location, value))
    return way if way and way[-1] == location[-1] else ()


def _drop(value: Any, way: Sequence[Key]) -> Any:
    """Return a copy of a value without the key at the end of a path."""
    step, *rest = way
    if isinstance(value, list):
        return [_drop(one, rest) if at == step else one for at, one in enumerate(value)]
    if step not in value:  # two members of a union complained about it
        return value
    if rest:
        return {**value, step: _drop(value[step], rest)}
    return {key: one for key, one in value.items() if key != step}
