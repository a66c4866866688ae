"""The keys of UiPath's eval sets and evaluators, in all three layouts, and their files."""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, AliasGenerator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from agentevals.files import documents, named_files
from agentevals.files.document_places import describe, quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import validate
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.plugins import suggestion

_TIMES = ("createdAt", "updatedAt")

# what says how an agent is run, or belongs to UiPath's cloud; recordings are judged as they are
OF_THE_RUN = frozenset(
    {
        *("modelSettings", "agentMemoryEnabled", "agentMemorySettings", "batchSize"),
        *("timeoutMinutes", "mockingStrategy", "inputMockingStrategy", "simulateInput"),
        *("simulateTools", "toolsToSimulate", "inputGenerationInstructions"),
        *("conversationalInputs", "conversationalExpectedOutput"),
    }
)
OF_A_SET = sorted(
    {
        *("id", "name", "version", "description", "evaluatorRefs", "evaluatorConfigs"),
        *("evaluations", "evaluationItems", "fileName", "lineByLineEvaluation", *_TIMES),
        *("modelSettings", "agentMemoryEnabled", "agentMemorySettings", "batchSize"),
        "timeoutMinutes",
    }
)
_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FOLDER = "evaluators"
_HINTS = 50


Text = Annotated[str, BeforeValidator(lambda given: "" if given is None else given)]
Object = Annotated[dict[str, Any], BeforeValidator(lambda given: {} if given is None else given)]


class _Written(BaseModel):
    """Keys in camel case; unknown ones are complained about by whoever knows the neighbours."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=AliasGenerator(
            validation_alias=lambda name: AliasChoices(to_camel(name), name)
        ),
    )


class Criterion(_Written):
    """The criteria of one evaluator for an item, in the layout of the documentation."""

    evaluator_id: str = Field(min_length=1)
    evaluation_criteria: dict[str, Any] | None = None


class Item(_Written):
    """One input of the agent, and what the evaluators are told about it."""

    id: str = Field(min_length=1)
    name: Text = ""
    inputs: Object = Field(default={}, validation_alias=AliasChoices("inputs", "agentInput"))
    evaluation_criterias: dict[str, dict[str, Any] | None] | None = None
    evaluations: tuple[Criterion, ...] | None = None
    expected_output: Any = None
    expected_agent_behavior: Text = ""
    simulation_instructions: Text = ""

    @property
    def has_layout_before_1(self) -> bool:
        """Return whether all evaluators are told its expected output, and none has criteria."""
        return self.evaluations is None and self.evaluation_criterias is None


class Reference(_Written):
    """An evaluator, and how much it counts."""

    ref: str = Field(min_length=1)
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)


class EvaluatorFile(_Written):
    """The file of an evaluator: of a class, of a prebuilt one, or of one before version 1.0."""

    id: str = Field(min_length=1)
    version: Any = None
    name: Text = ""
    description: Text = ""
    evaluator_type_id: Text = ""
    evaluator_schema: Text = ""
    evaluator_config: Object = {}
    category: int | None = None
    type: int | None = None
    prompt: Text = ""
    model: Text = ""
    target_output_key: Text = ""
    target_sub_output_key: Text = ""
    line_by_line_evaluation: bool | None = None
    line_delimiter: str | None = None


def _list_keys(model: type[_Written], *others: str) -> list[str]:
    return sorted({*map(to_camel, model.model_fields), *others})


OF_AN_ITEM = _list_keys(
    Item,
    *("description", "agentInput", "evalSetId", "source", *_TIMES),
    *(OF_THE_RUN - {"modelSettings", "batchSize", "timeoutMinutes"}),
)
OF_AN_EVALUATOR = _list_keys(EvaluatorFile, "fileName", *_TIMES)
OF_A_CRITERION = _list_keys(Criterion)


def normalise(name: str) -> str:
    """Return an id as it is compared: that of a GUID in any letter case is the same."""
    return name.lower() if _GUID.fullmatch(name) else name


class Project:
    """The files in `evaluators`, beside the folder of the eval set."""

    def __init__(self, eval_set: Path, root: Path | None = None) -> None:
        # what is wrong with files: those whose id is known, and those that have none
        self.wrong: dict[str, list[Problem]] = {}
        self.unreadable: list[Problem] = []
        self._hinted = 0
        above = eval_set.absolute().parent
        choices = [above.parent / _FOLDER, above / _FOLDER]
        self.folder = next((path for path in choices if path.is_dir()), choices[0])
        self.found: dict[str, tuple[EvaluatorFile, Document]] = {}
        for path in sorted(self.folder.glob("*.json")):
            if named_files.contains(root, path):
                self._add(path)

    def describe_missing(self, name: str) -> str:
        """Return why there is no evaluator of that id."""
        if not self.folder.is_dir():
            place = named_files.shortest(self.folder)
            return f"the project has no folder {quote(str(place))} beside that of the eval set"
        if not self.found and not self.wrong:
            return f"there is no evaluator in {quote(str(named_files.shortest(self.folder)))}"
        self._hinted += 1  # to look for what is nearest takes longer than everything else
        known = [file.id for file, _ in self.found.values()]
        hint = suggestion(name, known) if self._hinted <= _HINTS else ""
        return f"there is no evaluator {quote(name)}{hint}"

    def _add(self, path: Path) -> None:
        shortest = named_files.shortest(path)
        try:
            document = documents.read(shortest)
        except ConfigError as error:
            self.unreadable += error.problems
            return
        value = document.value
        if not isinstance(value, dict):
            message = (
                f"an evaluator is a mapping with 'id' and 'evaluatorTypeId', not {describe(value)}"
            )
            self.unreadable.append(document.problem(message))
            return
        file, problems = validate(EvaluatorFile, value, document)
        name = value.get("id")
        if file is not None:
            self._keep(file, document)
        elif isinstance(name, str) and name:
            self.wrong.setdefault(normalise(name), []).extend(problems)
        else:
            self.unreadable += problems

    def _keep(self, file: EvaluatorFile, document: Document) -> None:
        first = self.found.setdefault(normalise(file.id), (file, document))
        if first[0] is not file:
            where = first[1].path.name
            message = f"the evaluator {quote(file.id)} is in {where} as well; give it its own id"
            wrong = self.wrong.setdefault(normalise(file.id), [])
            wrong.append(document.problem(message, ("id",)))
