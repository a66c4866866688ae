"""Who agreed to a change of owners: never the files of the change, which anybody may write."""

from collections.abc import Callable
from typing import NamedTuple

from agentevals.evaluator.evaluator_manifest import Maintainer

WHO = "let a maintainer of the evaluator, or of the registry, approve the pull request"


class Agreement(NamedTuple):
    """The numeric ids of people who agreed. `by_writer`: one of them may write to the repository.

    `advice` is what to do where that is not enough.
    """

    ids: frozenset[int] = frozenset()
    by_writer: bool = False
    advice: str = f"{WHO}; give --agreed if one did"

    def covers(self, owners: tuple[Maintainer, ...]) -> bool:
        """Return whether that is enough for a decision about what these people maintain."""
        return self.by_writer or any(one.id in self.ids for one in owners)


def describe_lack(owners: tuple[Maintainer, ...]) -> str:
    """Return whose agreement is missing."""
    names = ", ".join(f"{one.login} ({one.id})" for one in owners)
    return f"none of its maintainers agreed: {names}" if names else "nobody agreed who may decide"


Ask = Callable[[], Agreement]


def vouch(*, agreed: bool) -> Ask:
    """Return the agreement that somebody vouches for on a command line."""
    return lambda: Agreement(by_writer=agreed)
