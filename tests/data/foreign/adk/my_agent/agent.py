from google.adk.agents import Agent

root_agent = Agent(name="echo", model="gemini-2.5-flash")
