"""Plug-ins and slow modules, imported only when they are used; those of others by entry point."""

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from agentevals.model.errors import InputError

Plugin = TypeVar("Plugin")


class Table(Generic[Plugin]):
    """Names and what stands behind them, in the order in which they are to be tried.

    `ours` maps a name to `package.module` (the plug-in is the module) or to
    `package.module:attribute`. Installed packages add theirs through the entry-point group.
    """

    def __init__(self, noun: str, ours: dict[str, str], *, group: str = "") -> None:
        self._noun, self._ours, self._group = noun, ours, group
        self._foreign: dict[str, str] | None = None

    @property
    def ours(self) -> dict[str, str]:
        """The plug-ins that ship with us, by name."""
        return dict(self._ours)

    def __iter__(self) -> Iterator[str]:
        """Our names first, then those of installed packages."""
        yield from self._ours
        yield from self._others()

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._others()

    def __getitem__(self, name: str) -> Plugin:
        if name in self._ours:
            return cast("Plugin", load(self._ours[name]))
        target = self._others().get(name)
        if target is None:
            msg = f"unknown {self._noun} {name!r}{suggestion(name, self)}"
            raise InputError(msg)
        try:
            return cast("Plugin", load(target))
        except (ImportError, AttributeError, SyntaxError) as error:
            whose = f"the {self._noun} {name!r} of an installed package ({target})"
            msg = f"{whose} cannot be used: {error}; update that package, or uninstall it"
            raise InputError(msg) from error

    def _others(self) -> dict[str, str]:
        """Looked up once, and only when our own names do not answer: scanning is slow."""
        if self._foreign is None:
            metadata = import_module("importlib.metadata")  # slow, and hardly ever needed
            found = metadata.entry_points(group=self._group) if self._group else ()
            self._foreign = {e.name: e.value for e in found if e.name not in self._ours}
        return self._foreign


def load(target: str) -> Any:
    """Import `package.module`, or what `package.module:attribute` names in it."""
    module, _, attribute = target.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


class Lazy:
    """A module that is imported when something of it is used, because its import is slow.

    Type checkers and the layer contracts see an ordinary import beside it:

        if TYPE_CHECKING:
            from agentevals.files import yaml_reader as yaml_
        else:
            yaml_ = Lazy("agentevals.files.yaml_reader")
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


def suggestion(name: str, known: Iterator[str] | Table[Plugin] | list[str]) -> str:
    """` (did you mean 'x'?)`, or the known names when nothing is near."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f" (did you mean {near[0]!r}?)" if near else f" (known: {', '.join(names)})"
