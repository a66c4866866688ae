"""`inference_call_count_v1`: a budget for the requests an agent makes to language models."""

from agentevals.graders.budgets.limits import Budget, Used
from agentevals.model.conversations import Turn


class InferenceCallCount(Budget):
    """How many requests were made to language models, failed ones too."""

    type = "inference_call_count_v1"
    unit = "model call"
    of_models = True

    def used(self, turn: Turn) -> Used:
        return Used(amount=len(turn.model_calls))
