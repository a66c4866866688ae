import transformers

from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def bertscore(given: EvalInput) -> EvalResult:
    model = transformers.AutoModel.from_pretrained("roberta-large")
    return EvalResult(score=model.similarity(given))


if __name__ == "__main__":
    bertscore.run()
