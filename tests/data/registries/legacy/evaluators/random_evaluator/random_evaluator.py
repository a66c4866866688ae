import random

from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def random_evaluator(given: EvalInput) -> EvalResult:
    return EvalResult(score=random.random(), details={"turns": len(given.invocations)})


if __name__ == "__main__":
    random_evaluator.run()
