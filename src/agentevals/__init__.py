"""Score AI agents from the traces they leave behind.

`agentevals.evaluate(traces, config)` does what `agentevals run` does, and returns its report.
"""

from importlib import import_module

TYPE_CHECKING = False  # `typing` would take longer to import than everything here
if TYPE_CHECKING:
    from agentevals.cli.python_api import evaluate
    from agentevals.model.errors import AgentEvalsError
    from agentevals.model.results import Report

__all__ = ["AgentEvalsError", "Report", "evaluate"]

_PLACES = {
    "AgentEvalsError": "agentevals.model.errors",
    "Report": "agentevals.model.results",
    "evaluate": "agentevals.cli.python_api",
}


def __getattr__(name: str) -> object:
    """Import a name when it is used: `import agentevals` alone costs nothing."""
    if name not in _PLACES:
        msg = f"module 'agentevals' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_PLACES[name]), name)
