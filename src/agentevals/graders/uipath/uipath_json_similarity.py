"""`uipath-json-similarity`: how much of the expected output is there."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from agentevals.graders.uipath import similarity
from agentevals.graders.uipath.sentences import share, shown
from agentevals.graders.uipath.settings import ByLine, OfExpectedOutput
from agentevals.model.cases import Grade

_KEYS = 8  # that are told one by one


class JsonSimilarity(OfExpectedOutput, ByLine):
    """The share of the expected leaves that the output has; near numbers and texts count partly.

    What the output has beyond that does not count.
    """

    type = "uipath_json_similarity"

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        leaves = similarity.compare(wanted, actual)
        said = f"{leaves.matched:g} of {leaves.total:g} values match"
        full = leaves.share >= 1
        return share(
            leaves.share,
            [said] if full else [],
            [] if full else [said, *_differing(wanted, actual)],
            expected=str(wanted),
            actual=str(actual),
            matched_leaves=leaves.matched,
            total_leaves=leaves.total,
        )


def _differing(wanted: Any, actual: Any) -> Iterator[str]:
    """What is wrong, key by key, as far as there are keys on both sides."""
    if not isinstance(wanted, dict) or not isinstance(actual, dict):
        return iter((f"the output is {shown(actual)}, not {shown(wanted)}",))
    return islice(_by_key(wanted, actual), _KEYS)


def _by_key(wanted: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    for key, value in wanted.items():
        if key not in actual:
            yield f"{shown(key)} is missing, not {shown(value)}"
        elif value != actual[key] and similarity.compare(value, actual[key]).share < 1:
            yield f"{shown(key)} is {shown(actual[key])}, not {shown(value)}"
