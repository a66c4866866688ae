"""Every temperature in an answer has its unit: "24 °C", not "24 degrees"."""

import re

from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator

NUMBER = re.compile(r"\b\d+\b")


@evaluator
def units(given: EvalInput) -> EvalResult:
    issues = []
    scores = []
    for number, turn in enumerate(given.invocations, start=1):
        answer = turn.final_response or ""
        bare = [n.group() for n in NUMBER.finditer(answer) if not has_unit(answer, n.end())]
        issues += [f"turn {number}: {value} has no unit" for value in bare]
        scores.append(0.0 if bare else 1.0)
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0,
        per_invocation_scores=scores,
        details={"issues": issues},
    )


def has_unit(answer: str, end: int) -> bool:
    return answer[end:].lstrip().startswith(("°C", "°F"))


if __name__ == "__main__":
    units.run()
