import mlflow

mlflow.langchain.autolog()
