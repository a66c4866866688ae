from langfuse.langchain import CallbackHandler

CALLBACKS = [CallbackHandler()]
