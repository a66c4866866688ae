"""The systems, by the names that `make differential SYSTEM=` takes."""

from tests.differential.systems import System, adk, agentevals, agentv, uipath

SYSTEMS: dict[str, System] = {
    "adk": adk,
    "agentevals": agentevals,
    "agentv": agentv,
    "uipath": uipath,
}
