"""What was found out once holds for all configs of a run: nobody is asked again for each."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from agentevals.model.errors import AgentEvalsError

Found = TypeVar("Found")


class Memory:
    """Answers by what was asked; that there is none is remembered as well."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def once(self, asked: Hashable, find: Callable[[], Found]) -> Found:
        """What was found for that before, else what is found now."""
        if asked not in self._known:
            try:
                self._known[asked] = find()
            except AgentEvalsError as error:
                self._known[asked] = error
        known = self._known[asked]
        if isinstance(known, AgentEvalsError):
            raise known
        return cast("Found", known)
