from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


@evaluator
def equals(given: EvalInput) -> EvalResult:
    wanted = given.config.get("value")
    if wanted is None:
        return missing("config needs 'value'")
    scores = [float((turn.final_response or "") == wanted) for turn in given.invocations]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


def missing(reason):
    return EvalResult(score=0.0, status=EvalStatus.NOT_EVALUATED, details={"reason": reason})


if __name__ == "__main__":
    equals.run()
