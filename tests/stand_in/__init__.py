"""A stand-in for GitHub on loopback, with a memory, that needs the standard library alone.

`server.StandIn` listens, `world` is what it remembers, one module per part of the API answers,
and `judge` holds every exchange against GitHub's own description of its API.
"""
