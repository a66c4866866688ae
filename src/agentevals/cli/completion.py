"""Values of an option that a shell offers."""

from collections.abc import Callable, Iterable


def complete(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that lists the names with a given start."""

    def list_names(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return list_names
