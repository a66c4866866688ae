import re

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


@evaluator
def regex_match(given: EvalInput) -> EvalResult:
    pattern = given.config.get("pattern")
    if not pattern:
        return missing("config needs 'pattern'")
    scores = [float(bool(re.search(pattern, t.final_response or ""))) for t in given.invocations]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


def missing(reason):
    return EvalResult(score=0.0, status=EvalStatus.NOT_EVALUATED, details={"reason": reason})


if __name__ == "__main__":
    regex_match.run()
