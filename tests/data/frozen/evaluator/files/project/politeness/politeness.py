"""TODO: describe what politeness evaluates.

Try it:     echo '{"metric_name": "politeness", "invocations": [{"final_response": "Hello"}]}' | python politeness.py
            with the Python that agentevals is installed in
Test it:    evaluate_politeness(EvalInput(metric_name="politeness")).score
"""

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


@evaluator
def evaluate_politeness(input: EvalInput) -> EvalResult:
    """Replace this: every turn whose response is long enough scores 1."""
    shortest = input.config.get("min_length", 1)
    if not isinstance(shortest, int):
        return not_evaluated("config.min_length must be a whole number")
    if not input.invocations:
        return not_evaluated("there are no turns")
    lengths = [len(turn.final_response or "") for turn in input.invocations]
    scores = [1.0 if length >= shortest else 0.0 for length in lengths]
    issues = [f"turn {n}: too short" for n, score in enumerate(scores, 1) if not score]
    return EvalResult(
        score=sum(scores) / len(scores),
        per_invocation_scores=scores,
        details={"issues": issues},
    )


def not_evaluated(reason: str) -> EvalResult:
    """Nothing was judged, and why."""
    return EvalResult(score=0, status=EvalStatus.NOT_EVALUATED, details={"reason": reason})


if __name__ == "__main__":
    evaluate_politeness.run()
