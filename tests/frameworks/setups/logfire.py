import logfire

logfire.configure(send_to_logfire=False)
logfire.instrument_pydantic_ai()
