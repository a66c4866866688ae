"""What a shell offers as the value of an option."""

from collections.abc import Callable, Iterable


def among(names: Iterable[str]) -> Callable[[str], list[str]]:
    """The names that go on as somebody has begun."""

    def offered(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return offered
