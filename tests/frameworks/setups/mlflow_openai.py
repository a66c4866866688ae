import mlflow

mlflow.openai.autolog()


def start_turn():
    return mlflow.start_span("turn")
