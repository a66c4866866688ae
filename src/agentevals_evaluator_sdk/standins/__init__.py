"""Replacement modules for packages of other systems that are not installed.

An evaluator written for one of those systems imports its types. The real package is used where it
can be imported; otherwise types of the same names, fields and behaviour replace it.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# the names of modules, each with the modules whose public names it has
Group = Mapping[str, tuple[str, ...]]

_HOME = "agentevals_evaluator_sdk.standins"

_U = f"{_HOME}.uipath"
_BASES = (f"{_U}.standin_contract", f"{_U}.standin_evaluator")
_COMPARING, _CLASSIFYING = f"{_U}.standin_comparing", f"{_U}.standin_classifying"
_CALLS, _JUDGES, _LEGACY = (
    f"{_U}.standin_tool_evaluators",
    f"{_U}.standin_judges",
    f"{_U}.standin_legacy",
)
_OUTPUTS = f"{_U}.standin_outputs"
_E = "uipath.eval.evaluators"

# what can be imported, and the modules whose public names it has; the first of a group decides
UIPATH = {
    "uipath": (),
    "uipath.tracing": (f"{_U}.standin_tracing",),
    "uipath.eval": (),
    "uipath.eval._helpers": (),
    "uipath.eval._helpers.evaluators_helpers": (
        f"{_U}.standin_tool_spans",
        f"{_U}.standin_tool_scores",
    ),
    "uipath.eval._helpers.helpers": (f"{_U}.standin_emptiness", f"{_U}.standin_evaluator"),
    _E: (*_BASES, _OUTPUTS, _COMPARING, _CLASSIFYING, _CALLS, _JUDGES, _LEGACY),
    f"{_E}.base_evaluator": _BASES,
    f"{_E}.base_legacy_evaluator": (_LEGACY,),
    f"{_E}.output_evaluator": (_OUTPUTS,),
    **dict.fromkeys(
        (f"{_E}.{name}_evaluator" for name in ("exact_match", "contains", "json_similarity")),
        (_COMPARING,),
    ),
    **dict.fromkeys(
        (f"{_E}.{name}_classification_evaluator" for name in ("binary", "multiclass")),
        (_CLASSIFYING,),
    ),
    **dict.fromkeys(
        (f"{_E}.tool_call_{name}_evaluator" for name in ("args", "count", "order", "output")),
        (_CALLS,),
    ),
    **dict.fromkeys(
        (f"{_E}.llm_{name}_evaluator" for name in ("as_judge", "judge_output", "judge_trajectory")),
        (_JUDGES,),
    ),
    **dict.fromkeys(
        (
            f"{_E}.legacy_{name}_evaluator"
            for name in ("exact_match", "json_similarity", "csv_exact_match", "llm_as_judge")
        ),
        (_LEGACY,),
    ),
    "uipath.eval.mocks": (f"{_U}.standin_mocks",),
    "uipath.eval.mocks.mockable": (f"{_U}.standin_mocks",),
    "uipath.eval.models": (f"{_U}.standin_results", f"{_U}.standin_kinds"),
    "uipath.eval.models.models": (
        f"{_U}.standin_results",
        f"{_U}.standin_kinds",
        f"{_U}.standin_problems",
    ),
}
OPENTELEMETRY = {
    "opentelemetry.sdk": (),
    "opentelemetry.sdk.trace": (f"{_HOME}.uipath.standin_spans",),
}
ADK = {
    "google.adk": (),
    "google.adk.evaluation": (),
    "google.adk.evaluation.agent_evaluator": (f"{_HOME}.adk.standin_judges",),
    "google.adk.evaluation.app_details": (f"{_HOME}.adk.standin_cases",),
    "google.adk.evaluation.common": (f"{_HOME}.adk.standin_cases",),
    "google.adk.evaluation.conversation_scenarios": (f"{_HOME}.adk.standin_scenarios",),
    "google.adk.evaluation.eval_case": (f"{_HOME}.adk.standin_cases",),
    "google.adk.evaluation.eval_config": (f"{_HOME}.adk.standin_configs",),
    "google.adk.evaluation.eval_metrics": (f"{_HOME}.adk.standin_metrics",),
    "google.adk.evaluation.eval_result": (f"{_HOME}.adk.standin_runs",),
    "google.adk.evaluation.eval_rubrics": (f"{_HOME}.adk.standin_rubrics",),
    "google.adk.evaluation.eval_set": (f"{_HOME}.adk.standin_cases",),
    "google.adk.evaluation.evaluator": (f"{_HOME}.adk.standin_results",),
    "google.adk.evaluation.llm_as_judge": (
        f"{_HOME}.adk.standin_judges",
        f"{_HOME}.adk.standin_results",
    ),
    "google.adk.evaluation.llm_as_judge_utils": (f"{_HOME}.adk.standin_judges",),
    "google.adk.evaluation.simulation": (),
    "google.adk.evaluation.simulation.user_simulator_personas": (f"{_HOME}.adk.standin_scenarios",),
    "google.adk.evaluation.trajectory_evaluator": (f"{_HOME}.adk.standin_trajectories",),
}
GENAI = {"google.genai": (), "google.genai.types": (f"{_HOME}.adk.standin_contents",)}
# packages that several distributions share: answered for only where none of them is there
SHARED = ("google", "opentelemetry")


class Finder(MetaPathFinder):
    """Answers for all modules of a group, or for none: a real package is not mixed with ours."""

    def __init__(self, groups: Sequence[Group], shared: Sequence[str]) -> None:
        self._sources = {name: homes for group in groups for name, homes in group.items()}
        self._firsts = {name: next(iter(group)) for group in groups for name in group}
        self._shared = frozenset(shared)

    def find_spec(
        self,
        fullname: str,
        path: object = None,  # noqa: ARG002 -- as the import system asks
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Ours, unless the first of its group was found by somebody else."""
        if fullname in self._shared:
            return ModuleSpec(fullname, StandIn(()), is_package=True)
        first = self._firsts.get(fullname)
        if first is None or (fullname != first and not _is_ours(first)):
            return None
        return ModuleSpec(fullname, StandIn(self._sources[fullname]), is_package=True)


class StandIn(Loader):
    """Fills a module with the public names of the modules it stands for."""

    def __init__(self, sources: tuple[str, ...]) -> None:
        self._sources = sources

    def exec_module(self, module: ModuleType) -> None:
        for source in self._sources:
            home = import_module(source)
            module.__dict__.update({name: getattr(home, name) for name in home.__all__})


def _is_ours(name: str) -> bool:
    module = sys.modules.get(name)
    spec = module and module.__spec__
    return spec is not None and isinstance(spec.loader, StandIn)


def offer() -> None:
    """Let the replacement modules be found in this process, where no real ones are."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder((UIPATH, OPENTELEMETRY, ADK, GENAI), SHARED))
