from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


@evaluator
def contains(given: EvalInput) -> EvalResult:
    needle = given.config.get("value")
    if not needle:
        return missing("config needs 'value'")
    scores = [float(needle in (turn.final_response or "")) for turn in given.invocations]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


def missing(reason):
    return EvalResult(score=0.0, status=EvalStatus.NOT_EVALUATED, details={"reason": reason})


if __name__ == "__main__":
    contains.run()
