"""The systems, by the names that `make differential SYSTEM=` takes."""

from tests.differential.systems import System

SYSTEMS: dict[str, System] = {}
