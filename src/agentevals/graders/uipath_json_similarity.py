"""`uipath-json-similarity`: how much of the expected output is there."""

from typing import Any

from agentevals.model import Grade
from agentevals.uipath import similarity
from agentevals.uipath.sentences import share
from agentevals.uipath.settings import ByLine, OfExpectedOutput


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
            [] if full else [said],
            expected=str(wanted),
            actual=str(actual),
            matched_leaves=leaves.matched,
            total_leaves=leaves.total,
        )
