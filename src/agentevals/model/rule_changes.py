"""What a pull request changes about the rules that judge it, and what that turns. Data only."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Annotated

from msgspec import Meta

from agentevals.model.noun import Noun

APPROVE = "/agentevals approve"  # begins the comment that approves, before a digest
# hexadecimal digits: so many that nobody can search for two rules, or two lists, that have the same
_LENGTH = 40
DIGEST = f"[0-9a-f]{{{_LENGTH}}}"
Digits = Annotated[str, Meta(pattern=f"^{DIGEST}$")]


class RuleChange(Noun, frozen=True, omit_defaults=False):
    """A rule that is not what it is on the base. `digest` is that of both sides."""

    config: str
    rule: str
    what: str
    digest: Digits


class TurnedCase(Noun, frozen=True, omit_defaults=False):
    """A case that fails by a rule of the base alone; without a `case_id` the whole run does.

    `pair` is the digest of the case and of both sides of the rule: what an approval covers.
    """

    config: str
    rule: str
    case_id: str
    reason: str
    pair: Digits
    approved_by: str = ""


class Offer(Noun, frozen=True, omit_defaults=False):
    """The pairs that one approval covers. Its digest proves which they are."""

    digest: Digits
    pairs: tuple[Digits, ...]

    @classmethod
    def make(cls, pairs: Iterable[str]) -> "Offer":
        kept = tuple(sorted(set(pairs)))
        return cls(digest=compute_digest(kept), pairs=kept)

    @property
    def is_genuine(self) -> bool:
        return self.digest == compute_digest(self.pairs)


class Rules(Noun, frozen=True, omit_defaults=False):
    """The rules that differ between the base and a pull request, where both judged it.

    `offers` are what can be approved now, and what was approved before.
    """

    base: str
    changes: tuple[RuleChange, ...] = ()
    turned: tuple[TurnedCase, ...] = ()
    offers: tuple[Offer, ...] = ()
    others_only: bool = False  # whether the author of the pull request may not approve them

    @property
    def pending(self) -> tuple[TurnedCase, ...]:
        """The turned cases that nobody has approved."""
        return tuple(one for one in self.turned if not one.approved_by)

    @property
    def approvers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.approved_by for one in self.turned if one.approved_by))

    @property
    def digest(self) -> str:
        """The digest that approves what is pending; empty where nothing is."""
        pairs = tuple(one.pair for one in self.pending)
        return compute_digest(pairs) if pairs else ""


def compute_digest(parts: tuple[str, ...]) -> str:
    """Return the digest of some texts, in whatever order they are given."""
    return sha256("\n".join(sorted(set(parts))).encode("utf-8", "replace")).hexdigest()[:_LENGTH]
