"""`uipath-legacy-exact-match`: the output is the expected one, letter by letter."""

import json
from typing import Any

from agentevals.graders.uipath.legacy import LegacyEvaluator
from agentevals.graders.uipath.sentences import shown, yes_or_no
from agentevals.model.cases import Grade


class LegacyExactMatch(LegacyEvaluator):
    """1 where both are the same JSON, whatever the order of the keys; otherwise 0."""

    type = "uipath_legacy_exact_match"

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        return yes_or_no(
            met=_canonical(wanted) == _canonical(actual),
            hit=f"the output is {shown(wanted)}",
            miss=f"the output is {shown(actual)}, not {shown(wanted)}",
            expected=str(wanted),
            actual=str(actual),
        )


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
