"""The action: reads an event and inputs, scores traces, and shows the verdict on GitHub.

`main` reads the runner's variables and runs a command. `evaluate` scores a pull request, `publish`
publishes the report of a run that had no right to publish it.
"""
