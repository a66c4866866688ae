from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


def distance(left, right):
    row = list(range(len(right) + 1))
    for at, letter in enumerate(left, 1):
        before, row[0] = row[0], at
        for column, other in enumerate(right, 1):
            cost = before if letter == other else before + 1
            before, row[column] = row[column], min(cost, row[column] + 1, row[column - 1] + 1)
    return row[-1]


@evaluator
def levenshtein_ratio(given: EvalInput) -> EvalResult:
    reference = given.config.get("reference")
    if not reference:
        return missing("config needs 'reference'")
    said = [turn.final_response or "" for turn in given.invocations]
    longest = [max(len(text), len(reference)) for text in said]
    scores = [1 - distance(t, reference) / most for t, most in zip(said, longest, strict=True)]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


def missing(reason):
    return EvalResult(score=0.0, status=EvalStatus.NOT_EVALUATED, details={"reason": reason})


if __name__ == "__main__":
    levenshtein_ratio.run()
