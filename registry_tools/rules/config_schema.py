"""`config-schema`: the JSON Schema of a config is one, and says what a mapping holds."""

from collections.abc import Iterator
from typing import Any

from agentevals.files import documents
from agentevals.model.errors import ConfigError, Problem, point
from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators import json_schema, paths

RULE = Rule(
    id="config-schema",
    severity=Severity.ERROR,
    title="The schema of the config is a JSON Schema of a mapping",
    why="A config is checked against it before the evaluator runs, and editors and the site show "
    "it. A keyword that is misspelt checks nothing, and a reference to elsewhere would have to "
    "be fetched.",
    bad="config_schema:\n  type: object\n  propertys:\n    needle: {type: text}",
    good="config_schema:\n  type: object\n  properties:\n    needle: {type: string}",
)
_LARGEST = 256 << 10


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    value = entry.get_value("config_schema")
    if isinstance(value, str):
        yield from _check_path(entry, value)
    elif isinstance(value, dict):
        for found in json_schema.find_misfits(value):
            where = ("config_schema", *found.where)
            at = entry.document.locate(where, key=found.of_key)
            message = f"'config_schema': {found.message}"
            yield entry.report(RULE, message, at, fix=found.fix)


def _check_path(entry: Entry, path: str) -> Iterator[Finding]:
    wrong = paths.check_path(path, entry.files, entry.links)
    if not wrong and not path.endswith(".json"):
        wrong = Problem(message="must be a .json file", fix="rename it")
    if wrong:
        at = entry.locate("config_schema")
        yield entry.report(RULE, f"'config_schema' {wrong.message}", at, fix=wrong.fix)
    elif len(entry.read_bytes(path, _LARGEST + 1)) > _LARGEST:
        yield entry.report_in(path, RULE, f"the schema has more than {_LARGEST:,} bytes")
    else:
        yield from _check_file(entry, path)


def _check_file(entry: Entry, path: str) -> Iterator[Finding]:
    try:
        document = documents.read(entry.home / path)
    except ConfigError as error:
        for problem in error.problems:
            at = point(problem.line or 1, problem.column or 1)
            yield entry.report_in(path, RULE, problem.message, at)
        return
    value: Any = document.value
    for found in json_schema.find_misfits(value):
        place = document.key_place if found.of_key else document.place
        at = point(*place(found.where))
        yield entry.report_in(path, RULE, found.message, at, fix=found.fix)
