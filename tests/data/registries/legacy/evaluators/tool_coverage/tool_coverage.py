from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def tool_coverage(given: EvalInput) -> EvalResult:
    least = given.config.get("min_tool_calls") or 1
    counts = [len(turn.intermediate_steps.tool_calls) for turn in given.invocations]
    scores = [min(1.0, count / least) for count in counts]
    return EvalResult(
        score=sum(scores) / len(scores) if scores else 0.0, per_invocation_scores=scores
    )


if __name__ == "__main__":
    tool_coverage.run()
