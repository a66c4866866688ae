from agentevals.graders.budgets.inference_call_count_v1 import InferenceCallCount
from agentevals.graders.grader import Services
from agentevals.model.cases import Status
from agentevals.model.conversations import ModelCall, Turn
from tests.support import paired


def grade(*counts, **settings):
    turns = [Turn(model_calls=(ModelCall(),) * count) for count in counts]
    return InferenceCallCount(name="calls", **settings).grade(paired(turns, None), Services())


def test_calls_of_all_turns_count():
    assert grade(2, 1, max=3).status is Status.PASSED
    assert grade(2, 2, max=3).score == 0.75


def test_a_turn_may_do_without_a_model():
    assert grade(2, 0, max=2, per="turn").per_turn == (1, 1)


def test_a_recording_without_any_model_call_says_nothing():
    result = grade(0, 0, max=3)

    assert result.status is Status.NOT_EVALUATED
    assert result.details == {"reason": "no model call was recorded"}
