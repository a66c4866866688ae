"""A process that holds no secret and forks one child per third-party program.

It is started once, with an environment built from nothing, and is single-threaded. Only the
standard library may be imported here, apart from what it preloads for Python evaluators.
"""
