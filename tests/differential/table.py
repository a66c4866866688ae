"""The systems, by the names that `make differential SYSTEM=` takes."""

from tests.differential.systems import System, agentv, uipath

SYSTEMS: dict[str, System] = {"agentv": agentv, "uipath": uipath}
