"""Replacement modules for packages of other systems that are not installed.

An evaluator written for one of those systems imports its types. The real package is used where it
can be imported; otherwise types of the same names, fields and behaviour stand in for it.
"""

import sys

from agentevals_evaluator_sdk.standins.finder import Finder

_HOME = "agentevals_evaluator_sdk.standins"

# what can be imported, and the modules whose public names it has; the first of a group decides
UIPATH = {
    "uipath": (),
    "uipath.eval": (),
    "uipath.eval._helpers": (),
    "uipath.eval._helpers.evaluators_helpers": (f"{_HOME}.uipath.tool_spans",),
    "uipath.eval.evaluators": (f"{_HOME}.uipath.contract", f"{_HOME}.uipath.evaluator"),
    "uipath.eval.evaluators.base_evaluator": (
        f"{_HOME}.uipath.contract",
        f"{_HOME}.uipath.evaluator",
    ),
    "uipath.eval.models": (f"{_HOME}.uipath.results", f"{_HOME}.uipath.execution"),
    "uipath.eval.models.models": (
        f"{_HOME}.uipath.results",
        f"{_HOME}.uipath.execution",
        f"{_HOME}.uipath.problems",
    ),
}
OPENTELEMETRY = {
    "opentelemetry.sdk": (),
    "opentelemetry.sdk.trace": (f"{_HOME}.uipath.spans",),
}
ADK = {
    "google.adk": (),
    "google.adk.evaluation": (),
    "google.adk.evaluation.app_details": (f"{_HOME}.adk.cases",),
    "google.adk.evaluation.conversation_scenarios": (f"{_HOME}.adk.scenarios",),
    "google.adk.evaluation.eval_case": (f"{_HOME}.adk.cases", f"{_HOME}.adk.tool_calls"),
    "google.adk.evaluation.eval_config": (f"{_HOME}.adk.configs",),
    "google.adk.evaluation.eval_metrics": (f"{_HOME}.adk.metrics",),
    "google.adk.evaluation.eval_rubrics": (f"{_HOME}.adk.rubrics",),
    "google.adk.evaluation.evaluator": (f"{_HOME}.adk.results",),
}
GENAI = {"google.genai": (), "google.genai.types": (f"{_HOME}.adk.contents",)}
# packages that several distributions share: answered for only where none of them is there
SHARED = ("google", "opentelemetry")


def offer() -> None:
    """Let the stand-ins answer for what nobody else does, in this process."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder((UIPATH, OPENTELEMETRY, ADK, GENAI), SHARED))
