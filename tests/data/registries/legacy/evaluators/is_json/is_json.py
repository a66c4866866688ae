import json

from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


def parses(text):
    try:
        json.loads(text)
    except ValueError:
        return 0.0
    return 1.0


@evaluator
def is_json(given: EvalInput) -> EvalResult:
    scores = [parses(turn.final_response or "") for turn in given.invocations]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


if __name__ == "__main__":
    is_json.run()
