"""Programs that judge as AgentV's code judges do: what they are told, how they run, what they say.

One payload goes in on stdin (`payload`), a command is started (`commands`, `packages`,
`running`), one JSON object comes back (`answers`); `target` lets it ask the judge of the run.
"""
