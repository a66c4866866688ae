"""`uipath-legacy-json-similarity`: how much of the expected output is there."""

from typing import Any

from agentevals.graders.uipath import similarity
from agentevals.graders.uipath.legacy import LegacyEvaluator
from agentevals.graders.uipath.sentences import share
from agentevals.model.cases import Grade


class LegacyJsonSimilarity(LegacyEvaluator):
    """The share of the expected leaves that the output has, from 0 to 1."""

    type = "uipath_legacy_json_similarity"

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        leaves = similarity.compare(wanted, actual)
        said = f"{leaves.matched:g} of {leaves.total:g} values match"
        full = leaves.share >= 1
        return share(leaves.share, [said] if full else [], [] if full else [said])
