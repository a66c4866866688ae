"""The last in line of those that find modules: whoever has the real package is asked before it."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# the names of modules, each with the modules whose public names it has
Group = Mapping[str, tuple[str, ...]]


class Finder(MetaPathFinder):
    """Answers for all modules of a group, or for none: a real package is not mixed with ours."""

    def __init__(self, groups: Sequence[Group], shared: Sequence[str]) -> None:
        self._sources = {name: homes for group in groups for name, homes in group.items()}
        self._firsts = {name: next(iter(group)) for group in groups for name in group}
        self._shared = frozenset(shared)

    def find_spec(
        self,
        fullname: str,
        path: object = None,  # noqa: ARG002 -- as the import system asks
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Ours, unless the first of its group was found by somebody else."""
        if fullname in self._shared:
            return ModuleSpec(fullname, StandIn(()), is_package=True)
        first = self._firsts.get(fullname)
        if first is None or (fullname != first and not _is_ours(first)):
            return None
        return ModuleSpec(fullname, StandIn(self._sources[fullname]), is_package=True)


class StandIn(Loader):
    """Fills a module with the public names of the modules it stands for."""

    def __init__(self, sources: tuple[str, ...]) -> None:
        self._sources = sources

    def exec_module(self, module: ModuleType) -> None:
        for source in self._sources:
            home = import_module(source)
            module.__dict__.update({name: getattr(home, name) for name in home.__all__})


def _is_ours(name: str) -> bool:
    module = sys.modules.get(name)
    spec = module and module.__spec__
    return spec is not None and isinstance(spec.loader, StandIn)
