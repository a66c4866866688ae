from pydantic_ai import Agent

Agent.instrument_all()
