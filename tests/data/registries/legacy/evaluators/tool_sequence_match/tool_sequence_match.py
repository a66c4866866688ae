from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


@evaluator
def tool_sequence_match(given: EvalInput) -> EvalResult:
    wanted = given.config.get("expected_sequence")
    if not wanted:
        return missing("config needs 'expected_sequence'")
    calls = [c.name for t in given.invocations for c in t.intermediate_steps.tool_calls]
    hits = sum(1 for left, right in zip(calls, wanted, strict=False) if left == right)
    return EvalResult(score=hits / max(len(calls), len(wanted)), details={"actual": calls})


def missing(reason):
    return EvalResult(score=0.0, status=EvalStatus.NOT_EVALUATED, details={"reason": reason})


if __name__ == "__main__":
    tool_sequence_match.run()
