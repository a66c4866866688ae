"""The file of an evaluator becomes a type of grader, and its settings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from agentevals.configs.dialects.uipath.uipath_config_keys import EvaluatorFile
from agentevals.configs.ignored_config_keys import IgnoredKeys, narrow
from agentevals.files import named_files
from agentevals.files.document_places import quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import complaints
from agentevals.files.pydantic_settings import list_spellings
from agentevals.graders import GRADERS, find_type
from agentevals.graders.grader import Grader
from agentevals.graders.uipath.uipath_legacy import LegacyEvaluator
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion

CLASS = "uipath_class"

_VERSION = "1.0"
_FILE = "file://"
_CONFIG = "evaluatorConfig"
_USUAL = ("defaultEvaluationCriteria", "default_evaluation_criteria")
_BESIDE = {"name", "description", *_USUAL}
_OF_THE_MODEL = {"temperature", "maxTokens", "max_tokens"}  # the run's judge has its own
_LEGACY = {
    1: "uipath_legacy_exact_match",
    6: "uipath_legacy_json_similarity",
    7: "uipath_llm_judge_trajectory_similarity",
    10: "uipath_legacy_csv_exact_match",
}
_OURS = {"name", "negate", "required", "weight"}
_MEANT = {"ignoreCase": "caseSensitive", "ignore_case": "caseSensitive"}
_OF_ALL_LEGACY = frozenset(
    {"expectedAgentBehavior", "expected_agent_behavior", "expectedOutput", "expected_output"}
)
_BY_LINE = {"line_by_line_evaluation", "line_delimiter"}
_OF_MODELS = 1  # the category of those that ask a model, whatever their type
_SIMILARITY = "uipath_llm_judge_output_semantic_similarity"


@dataclass(frozen=True)
class Meaning:
    """A type, its settings, the criteria where an item has none, and keys without effect."""

    kind: type[Grader]
    settings: Mapping[str, Any]
    usual: Mapping[str, Any]
    inert: tuple[str, ...] = ()
    unused: frozenset[str] = frozenset()  # criteria that all evaluators of its time were told

    @property
    def is_class(self) -> bool:
        """Return whether the evaluator is a class of the user."""
        return self.kind.type == CLASS

    @property
    def of_the_case(self) -> tuple[str, ...]:
        """Return the settings that an item makes, as they are called."""
        return getattr(self.kind, "of_the_case", ())


class Reader:
    """Reads one file; collects what is wrong with it."""

    def __init__(
        self, file: EvaluatorFile, document: Document, root: Path | None, keys: IgnoredKeys
    ) -> None:
        self._file, self._document, self._root, self._keys = file, document, root, keys
        self.problems: list[Problem] = []

    def read(self) -> Meaning | None:
        """Return what the file means; None where a problem says why it means nothing."""
        file = self._file
        if not file.evaluator_schema and not file.evaluator_type_id and file.type is not None:
            return self._legacy()
        if file.version not in {None, _VERSION}:
            given = json.dumps(file.version)
            message = f"'version' must be the text {_VERSION!r}, not {given}; UiPath reads no other"
            self._refuse(message, "version")
        for name in file.model_dump(include=_BY_LINE, exclude_none=True):
            message = f"unknown key {to_camel(name)!r}; write 'lineByLineEvaluator' and "
            message += f"'lineDelimiter' in {_CONFIG!r}"
            self._keys.add(self._document, message, (to_camel(name),))
        if file.evaluator_schema:
            return self._read_class()
        meant = find_type(file.evaluator_type_id)
        if meant is None or not meant.type.startswith("uipath_") or meant.type == CLASS:
            self._refuse_type()
            return None
        return self._prebuilt(GRADERS[meant.type])

    def _refuse_type(self) -> None:
        given = self._file.evaluator_type_id
        if not given:
            message = "'evaluatorTypeId' is missing; an evaluator of your own has 'evaluatorSchema'"
            self._refuse(message)
        elif given.startswith(_FILE):
            self._refuse("'evaluatorSchema' is missing; write 'file://<file>.py:<class>'")
        else:
            known = [name.replace("_", "-") for name in GRADERS.ours if name.startswith("uipath_")]
            known = [name for name in known if "legacy" not in name and "class" not in name[:13]]
            message = f"unknown evaluator type {quote(given)}{suggestion(given, known)}"
            self._refuse(message, "evaluatorTypeId")

    def _prebuilt(self, kind: type[Grader]) -> Meaning | None:
        config = self._file.evaluator_config
        given: Any = next((config[key] for key in _USUAL if config.get(key)), {})
        usual = given if isinstance(given, dict) else {}
        names = {
            key: n for n, field in kind.model_fields.items() for key in list_spellings(n, field)
        }
        inert = tuple(key for key in config if key in _OF_THE_MODEL and key not in names)
        known = [to_camel(name) for name in kind.model_fields if name not in _OURS]
        passed = {*_BESIDE, *inert}
        unknown = [key for key in config if key not in names and key not in passed]
        self._keys.check(self._document, unknown, known, (_CONFIG,), meant=_MEANT)
        settings = {
            names[key]: value
            for key, value in config.items()
            if key in names and key not in passed and not (key == "model" and not value)
        }
        found = Meaning(kind, settings, usual, inert)
        where = (_CONFIG,) if _CONFIG in self._document.value else ()
        return found if self._is_right(found, where) else None

    def _is_right(self, found: Meaning, where: tuple[str, ...]) -> bool:
        """Check the settings once, so that a problem is not repeated for every item."""
        fields = found.kind.model_fields
        late = {key for name in found.of_the_case for key in list_spellings(name, fields[name])}
        wrong = len(self.problems)
        for key in found.settings:
            if key in late:
                name = to_camel(key)
                message = f"{name!r} belongs to the criteria of the items"
                self._keys.add(self._document, message, (*where, name))
        settings = {key: v for key, v in found.settings.items() if key not in late}
        try:
            found.kind.model_validate({"name": "any", **settings})
        except ValidationError as error:
            details = narrow(error, lambda e: e["type"] != "missing" or e["loc"][0] not in late)
            if details:
                rest = ValidationError.from_exception_data(error.title, details)
                self.problems += complaints(rest, self._document, found.kind, where)
        return len(self.problems) == wrong

    def _legacy(self) -> Meaning | None:
        file = self._file
        name = _LEGACY.get(file.type or 0)
        if file.category == _OF_MODELS:
            name = _SIMILARITY
        if name is None:
            known = ", ".join(str(number) for number in _LEGACY)
            message = f"evaluators of type {file.type} have never run in UiPath (known: {known})"
            self._refuse(f"{message}; write one of version 1.0", "type")
            return None
        kind = GRADERS[name]
        written = {
            "target_output_key": file.target_output_key,
            "target_sub_output_key": file.target_sub_output_key,
            "prompt": file.prompt,
            "judge_model": file.model,
        }
        settings = {k: v for k, v in written.items() if v and k in kind.model_fields}
        if issubclass(kind, LegacyEvaluator):
            settings |= file.model_dump(include=_BY_LINE, exclude_none=True)
        elif file.line_by_line_evaluation:
            message = (
                "'lineByLineEvaluation' is not for judges, which read the whole output; remove it"
            )
            self._refuse(message, "lineByLineEvaluation")
        found = Meaning(kind, settings, {}, unused=_OF_ALL_LEGACY)
        return found if self._is_right(found, ()) else None

    def _read_class(self) -> Meaning | None:
        path, colon, name = self._file.evaluator_schema.removeprefix(_FILE).rpartition(":")
        if not colon or not path or not name or "/" in name:
            given = quote(self._file.evaluator_schema)
            message = f"'evaluatorSchema' must include class name after ':' - got: {given}"
            self._refuse(message, "evaluatorSchema")
            return None
        found = self._find_file(path)
        if found is None:
            return None
        config = self._file.evaluator_config
        settings = {
            "path": found,
            "class_name": name,
            "id": self._file.id,
            "type_id": self._file.evaluator_type_id,
            "strict": False,  # a key that it ignores is noted once, before anything runs
            "description": self._file.description,
            "config": config,
        }
        if isinstance(config.get("threshold"), int | float):
            settings["threshold"] = config["threshold"]
        return Meaning(GRADERS[CLASS], settings, {})

    def _find_file(self, given: str) -> Path | None:
        folder = self._document.path.absolute().parent
        choices = [folder / "custom" / given, folder / given, Path.cwd() / given]
        found = next(
            (path for path in choices if named_files.exists(path) and path.is_file()), None
        )
        if found is None:
            place = named_files.shortest(folder / "custom")
            near = named_files.nearest(choices[0])
            message = f"Could not find {quote(given)} in {place} folder{near}"
            self._refuse(message, "evaluatorSchema")
        elif not named_files.contains(self._root, found):
            message = f"{quote(given)} leads out of the workspace; use a file in it"
            self._refuse(message, "evaluatorSchema")
            return None
        return found

    def _refuse(self, message: str, *where: str) -> None:
        self.problems.append(self._document.problem(message, where))
