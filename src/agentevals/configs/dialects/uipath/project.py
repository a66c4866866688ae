"""The evaluators of a UiPath project: one file each, found by their ids."""

import re
from collections.abc import Iterator
from pathlib import Path

from agentevals.configs.dialects.uipath.written import OF_AN_EVALUATOR, EvaluatorFile
from agentevals.files import documents, reading
from agentevals.files.documents import Document
from agentevals.files.places import describe, quote
from agentevals.files.validation import validate
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.plugins import suggestion

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FOLDER = "evaluators"
_HINTS = 50


def normalise(name: str) -> str:
    """An id as it is compared: that of a GUID in any letter case is the same."""
    return name.lower() if _GUID.fullmatch(name) else name


class Project:
    """The files in `evaluators`, beside the folder of the eval set."""

    def __init__(self, eval_set: Path, root: Path | None = None) -> None:
        self._root = root
        self.problems: list[Problem] = []
        self._hinted = 0
        above = eval_set.absolute().parent
        choices = [above.parent / _FOLDER, above / _FOLDER]
        self.folder = next((path for path in choices if path.is_dir()), choices[0])
        self.found: dict[str, tuple[EvaluatorFile, Document]] = {}
        for path in self._paths():
            self._add(path)

    def describe_missing(self, name: str) -> str:
        """Why there is no evaluator of that id."""
        if not self.folder.is_dir():
            place = reading.shortest(self.folder)
            return f"the project has no folder {quote(str(place))} beside that of the eval set"
        if not self.found:
            return f"there is no evaluator in {quote(str(reading.shortest(self.folder)))}"
        self._hinted += 1  # to look for what is nearest takes longer than everything else
        hint = suggestion(name, list(self.names)) if self._hinted <= _HINTS else ""
        return f"there is no evaluator {quote(name)}{hint}"

    @property
    def names(self) -> Iterator[str]:
        """The ids as they are written."""
        return (file.id for file, _ in self.found.values())

    def _paths(self) -> Iterator[Path]:
        if not self.folder.is_dir():
            return
        for path in sorted(self.folder.glob("*.json")):
            if reading.contains(self._root, path):
                yield path

    def _add(self, path: Path) -> None:
        shortest = reading.shortest(path)
        try:
            document = documents.read(shortest)
        except ConfigError as error:
            self.problems += error.problems
            return
        value = document.value
        if not isinstance(value, dict):
            message = (
                f"an evaluator is a mapping with 'id' and 'evaluatorTypeId', not {describe(value)}"
            )
            self.problems.append(document.problem(message))
            return
        for name in value:
            if name not in OF_AN_EVALUATOR and not name.startswith("x-"):
                message = f"unknown key {quote(name)}{suggestion(name, sorted(OF_AN_EVALUATOR))}"
                self.problems.append(document.problem(message, (name,), key=True))
        file, problems = validate(EvaluatorFile, value, document)
        self.problems += problems
        if file is not None:
            self._keep(file, document)

    def _keep(self, file: EvaluatorFile, document: Document) -> None:
        first = self.found.setdefault(normalise(file.id), (file, document))
        if first[0] is not file:
            where = first[1].path.name
            message = f"the evaluator {quote(file.id)} is in {where} as well; give it its own id"
            self.problems.append(document.problem(message, ("id",)))
