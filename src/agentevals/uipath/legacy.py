"""What UiPath's evaluators from before version 1.0 have in common."""

from typing import Any

from pydantic import Field

from agentevals.model import Case
from agentevals.uipath import outputs
from agentevals.uipath.settings import OfExpectedOutput, OutputEvaluator


class LegacyEvaluator(OfExpectedOutput, OutputEvaluator):
    """Compares with the expected output of the case. A key that one side lacks empties both."""

    target_output_key: str = Field(
        default=outputs.WHOLE, description="The key of the output to look at; `*` for all of it"
    )

    def wanted(self, written: Any) -> Any:
        return written

    def sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        actual, key = outputs.of_case(case), self.target_output_key
        if key in {outputs.WHOLE, ""}:
            return outputs.normal(wanted), outputs.normal(actual)
        both = [side if isinstance(side, dict) else {} for side in (wanted, actual)]
        if not all(key in side for side in both):
            return {}, {}
        return outputs.normal(both[0][key]), outputs.normal(both[1][key])
