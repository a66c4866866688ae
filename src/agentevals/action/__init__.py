"""The container's main: an event and inputs go in, a verdict comes out wherever GitHub shows one.

`front` reads what the runner gives and hands it to a command. `evaluate` is the story of a pull
request, `publish` that of a report which somebody without the right to publish has made.
"""
