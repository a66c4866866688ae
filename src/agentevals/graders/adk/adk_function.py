"""`adk_function`: a metric function for ADK judges, with or without the `google-adk` package.

It gets cases in the words of ADK's own types.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from agentevals.files.project_paths import find_project, join_pattern
from agentevals.graders import adk
from agentevals.graders.adk import Criterion, CriterionObject, MetricInfo
from agentevals.graders.grader import Services
from agentevals.graders.programs.hosted_graders import Answer, HostedGrader, ThirdPartyCode
from agentevals.model.cases import Case, Grade, Rubric, Scenario
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import AgentEvalsError

HOST = "adk_metric"
_NANOSECONDS = 1e9
# below these are the user's own values, in which null means something
_OWN_VALUES = frozenset({"args", "response", "part_metadata", "partMetadata", "tool_declarations"})
Content = dict[str, Any]


class ImportPlaces(NamedTuple):
    """The folders a module is imported from, those that were searched for it, and its own folder.

    `package` is the outermost package, where the folder around it is not to be read.
    """

    roots: tuple[Path, ...]
    tried: tuple[Path, ...]
    home: Path
    package: Path | None = None


def find_places(function: str, folder: Path) -> ImportPlaces:
    """The folder of the config, then its parents up to the repository; then what is installed.

    Only a folder that has the module's package, and the folder of the config, may be read.
    """
    tried = _list_folders(folder)
    top, *inner = function.split(".")[:-1]
    having = [root for root in tried if _has_module(root, top)]
    roots = tuple(dict.fromkeys((*having, folder)))
    if not having and folder.name == top:
        return ImportPlaces(roots, tried, _find_deepest(folder, inner, tried[-1]), package=folder)
    home = _find_deepest(having[0], [top, *inner], tried[-1]) if having else folder
    return ImportPlaces(roots, tried, home)


def _find_deepest(folder: Path, packages: list[str], top: Path) -> Path:
    """The folder that a module lies in; the last name is that of its file.

    All of it may be read, so that no link may lead above the top.
    """
    for package in packages:
        inner = folder / package
        if not inner.is_dir() or not inner.resolve().is_relative_to(top.resolve()):
            break
        folder = inner
    return folder


def read_source(function: str, folder: Path) -> bytes:
    """Read the files that decide how the function judges: its module and its requirements."""
    module = function.split(".")[-2]
    home = find_places(function, folder).home
    files = (home / f"{module}.py", home / "__init__.py", home / "requirements.txt")
    return b"\0".join(_read_content(path) for path in files)


def _read_content(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""  # a pipe would be waited for
    except OSError:
        return b""


def check_import_path(function: str) -> str:
    """An import path, or a ValueError that says what one is."""
    parts = function.split(".")
    if len(parts) < len(("module", "function")) or not all(part.isidentifier() for part in parts):
        msg = f"{function!r} is no import path; write <module>.<function>"
        raise ValueError(msg)
    return function


def _list_folders(folder: Path) -> tuple[Path, ...]:
    """List the folder and those around it, up to the one of the project."""
    project = find_project(folder)
    lineage = (folder, *folder.parents)
    return tuple(place for place in lineage if place.resolve().is_relative_to(project))


def _has_module(root: Path, top: str) -> bool:
    try:
        return (root / f"{top}.py").is_file() or (root / top).is_dir()
    except (OSError, ValueError):
        return False


def find_problems(function: str, folder: Path) -> list[str]:
    """Nothing is imported to find out: what is missing, the first case says."""
    return [] if folder.is_dir() else [f"{folder} is no folder, so {function} cannot lie in it"]


class AdkFunction(HostedGrader):
    """A custom metric: `f(eval_metric, actual, expected, scenario) -> EvaluationResult`."""

    type: ClassVar[str] = "adk_function"
    needs_equal_turns: ClassVar[bool] = True
    reads_invocations: ClassVar[bool] = True

    function: Annotated[str, AfterValidator(check_import_path)] = Field(
        description="Its import path: `my_agent.metrics.f`"
    )
    folder: Path = Field(
        default=Path(),
        exclude=True,
        description="The folder where its import path begins, or a folder below",
    )
    criterion: Criterion = Field(
        default=CriterionObject(threshold=0.5),
        description="Its criterion: a threshold, or an object with one",
    )
    metric_info: MetricInfo | None = Field(
        default=None,
        validation_alias=AliasChoices("metric_info", "metricInfo"),
        description="The range of its scores; without one, 0 to 1",
    )

    @model_validator(mode="before")
    @classmethod
    def _add_threshold(cls, given: Any) -> Any:
        return adk.add_threshold(given) if isinstance(given, dict) else given

    @property
    def content(self) -> str:
        return sha256(read_source(self.function, self.folder)).hexdigest()

    @property
    def reach(self) -> tuple[Path | str, ...]:
        """All that lies beside it, and what can be imported from where its path begins."""
        places = find_places(self.function, self.folder)
        return (places.home, *(join_pattern(root, "**/*.py") for root in places.roots))

    def problems(self) -> list[str]:
        return find_problems(self.function, self.folder)

    def inspect(self, services: Services) -> list[str]:
        """Import the function and look at its parameters."""
        code, found = self._locate()
        try:
            self.load_in_host(code, found, services)
        except AgentEvalsError as error:
            return [str(error)]
        return []

    def grade(self, case: Case, services: Services) -> Grade:
        question = {
            "task": "evaluate",
            "metric_name": self.name,
            "criterion": self.criterion.model_dump(mode="json"),
            **describe_case(case),
        }
        code, found = self._locate()
        answer, isolation = self.ask_host(code, {**found, **question}, services)
        told = adk.MetricSettings(self.name, self.criterion.threshold, self.metric_info)
        return adk.build_grade(answer, told, len(case.turns), isolation=isolation)

    def _locate(self) -> tuple[ThirdPartyCode, Answer]:
        """Return the code, and where the host imports it from."""
        places = find_places(self.function, self.folder)
        found = {
            "function": self.function,
            "roots": [str(place) for place in places.roots],
            "tried": [str(place) for place in places.tried],
            "packages": [str(places.package)] if places.package else [],
        }
        return ThirdPartyCode(HOST, places.home, places.roots), found


def describe_case(case: Case) -> dict[str, Any]:
    """Describe a case as a metric function gets it: as it was recorded, where ADK recorded it."""
    return {
        "actual": [
            _add_rubrics(_describe_turn(turn), case.rubrics, number)
            for number, turn in enumerate(case.turns)
        ],
        "expected": None if case.expected is None else [_describe_turn(t) for t in case.expected],
        "scenario": _describe_scenario(case.scenario) if case.scenario else None,
    }


def _add_rubrics(invocation: Content, rubrics: Iterable[Rubric], number: int) -> Content:
    """ADK hands those of the eval case over with the recorded turn; it records them as well."""
    own = list(invocation.get("rubrics") or ())
    known = {rubric.get("rubric_id", rubric.get("rubricId")) for rubric in own}
    added = [
        _describe_rubric(rubric)
        for rubric in rubrics
        if rubric.turn in {None, number} and rubric.rubric_id not in known
    ]
    return {**invocation, "rubrics": [*own, *added]} if added else invocation


def _describe_rubric(rubric: Rubric) -> Content:
    kind = {"type": rubric.kind} if rubric.kind else {}
    text = {"text_property": rubric.text}
    return {"rubric_id": rubric.rubric_id, "rubric_content": text, **kind}


def _describe_turn(turn: Turn) -> Content:
    if turn.invocation:
        return dict(_drop_nulls(turn.invocation))
    return {
        "invocation_id": turn.turn_id,
        "user_content": _build_content("user", turn.user),
        "final_response": None if turn.response is None else _build_content("model", turn.response),
        "intermediate_data": {
            "tool_uses": [_describe_call(call) for call in turn.tool_calls],
            "tool_responses": list(_list_responses(turn)),
            "intermediate_responses": [
                [turn.agent, [{"text": text}]] for text in turn.intermediate
            ],
        },
        "creation_timestamp": turn.start_ns / _NANOSECONDS,
    }


def _drop_nulls(given: Any) -> Any:
    """A key of a release that is not known here carries nothing if its value is null."""
    if isinstance(given, list):
        return [_drop_nulls(each) for each in given]
    if not isinstance(given, dict):
        return given
    return {
        key: value if key in _OWN_VALUES else _drop_nulls(value)
        for key, value in given.items()
        if value is not None
    }


def _build_content(role: str, text: str) -> Content:
    return {"role": role, "parts": [{"text": text}]}


def _describe_call(call: ToolCall) -> Content:
    return {"id": call.call_id, "name": call.name, "args": call.args}


def _list_responses(turn: Turn) -> Iterator[Content]:
    for call in turn.tool_calls:
        if call.answered or call.failed:
            answer_id = call.call_id or call.answer_id
            yield {"id": answer_id, "name": call.name, "response": _wrap_response(call)}


def _wrap_response(call: ToolCall) -> Content:
    """ADK knows objects only, and puts everything else under these two names itself."""
    if isinstance(call.response, dict):
        return call.response
    if call.failed:
        return {"error": call.error or call.response}
    return {"result": call.response}


def _describe_scenario(scenario: Scenario) -> Content:
    if scenario.written:
        return scenario.written
    return {"starting_prompt": scenario.opening, "conversation_plan": scenario.plan}
