"""The systems, by the names that `make differential SYSTEM=` takes."""

from tests.differential.systems import System, adk, agentv, uipath

SYSTEMS: dict[str, System] = {"adk": adk, "agentv": agentv, "uipath": uipath}
