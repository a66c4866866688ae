from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def response_quality(given: EvalInput) -> EvalResult:
    shortest = given.config.get("min_length") or 10
    scores = []
    for turn in given.invocations:
        said = (turn.final_response or "").strip()
        scores.append(0.0 if not said else 0.5 if len(said) < shortest else 1.0)
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


if __name__ == "__main__":
    response_quality.run()
