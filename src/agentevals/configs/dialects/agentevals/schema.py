"""The JSON Schema of `eval_config.yaml`, so that an editor completes and checks it."""

from collections.abc import Iterable
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.json_schema import models_json_schema

from agentevals.configs.building import list_spellings
from agentevals.configs.dialects.agentevals import top
from agentevals.configs.entries import BUILTIN
from agentevals.files.places import CONFIG
from agentevals.graders import BUILTINS, GRADERS, find_type
from agentevals.graders.grader import Grader
from agentevals.traces.loaders import LOADERS

Schema = dict[str, Any]

_IN_CONFIG = "Settings that may stand here as well as beside it"


def schema() -> Schema:
    """Everything that an editor can know: the types that ship with us, and all their settings."""
    kinds = {name: GRADERS[name] for name in GRADERS.ours}
    models: list[type[BaseModel]] = [top.Config, *kinds.values()]
    references, whole = models_json_schema([(model, "validation") for model in models])
    definitions = whole["$defs"]
    config = _taken(definitions, references[top.Config, "validation"])
    for name, kind in kinds.items():
        definition = _taken(definitions, references[kind, "validation"])
        definitions[name] = _entry(name, kind, definition)
    definitions.pop(Grader.__name__, None)
    made = {
        "description": "Which evaluators score recorded agent traces, and how",
        "type": "object",
        "properties": _properties(config["properties"]),
        "patternProperties": {"^x-": {"description": "Your own; not read"}},
        "additionalProperties": False,
        "anyOf": [{"required": [key]} for key in top.LISTS],
        "$defs": {"evaluator": _any_of(kinds)} | definitions,
    }
    return {"title": "eval_config.yaml of agentevals", **_simplified(made)}


def _taken(definitions: Schema, reference: Schema) -> Schema:
    found: Schema = definitions.pop(reference["$ref"].removeprefix("#/$defs/"))
    return found


def _any_of(names: Iterable[str]) -> Schema:
    references = [{"$ref": f"#/$defs/{name}"} for name in names]
    return {"anyOf": [*references, {"enum": list(BUILTINS)}]}


def _properties(config: Schema) -> Schema:
    listed = {"type": "array", "items": {"$ref": "#/$defs/evaluator"}}
    for key, names in (
        ("trace_format", LOADERS.ours),
        ("output_format", top.OUTPUT_FORMATS.ours),
        ("output", top.OUTPUT_FORMATS.ours),
    ):
        known = {"enum": list(names)}  # to be completed; installed packages may know others
        config[key]["anyOf"].insert(0, known)
    config["output"]["deprecated"] = True
    config["traces"] = {"anyOf": [config["traces"], {"type": "string"}]}
    return {
        "evaluators": listed | {"description": "What scores the traces"},
        "metrics": listed | {"description": "Old name of `evaluators`", "deprecated": True},
        **config,
    }


def _entry(name: str, kind: type[Grader], model: Schema) -> Schema:
    """A builtin is found by `type: builtin` and its name, every evaluator by its type."""
    builtin = name in BUILTINS
    kinds = [BUILTIN, name] if builtin else _written(name)
    type_of = {"type": {"enum": kinds, "description": model.get("description", "")}}
    named = [{"properties": {key: {"const": name}}} for key in ("name", "type")]
    required = dict.fromkeys(("name", "type", *model.get("required", ())))
    if kind.usual_name({}):
        required.pop("name")
    entry = model | {
        "properties": type_of | model["properties"],
        "required": list(required),
        **({"anyOf": named} if builtin else {}),
    }
    return _with_spellings(kind, entry)


def _written(name: str) -> list[str]:
    """The spellings of a type that an editor offers; what else is understood, the docs say."""
    plain = name.replace("_", "-")
    judge, newest = plain.removesuffix("-judge"), plain.replace("trajectory-", "trajectory:")
    known = [name, plain, f"not-{plain}", f"{judge}-grader", newest, f"not-{newest}"]
    meant = {spelling: find_type(spelling) for spelling in dict.fromkeys(known)}
    return [spelling for spelling, found in meant.items() if found and found.type == name]


def _with_spellings(kind: type[Grader], entry: Schema) -> Schema:
    """A setting may stand under each of its names; one that is needed, under any of them."""
    properties, required = dict(entry["properties"]), list(entry["required"])
    needed = []
    for name, field in kind.model_fields.items():
        names = list_spellings(name, field)
        first = next((key for key in names if key in properties), None)
        if first is None or not isinstance(field.validation_alias, AliasChoices):
            continue
        properties |= {key: properties[first] for key in names if key not in properties}
        if first in required and len(names) > 1:
            required.remove(first)
            needed.append([{"required": [key]} for key in names])
    if CONFIG not in properties:
        properties[CONFIG] = {"type": "object", "description": _IN_CONFIG}
        moving = [key for key in required if key not in {"name", "type"}]
        required = [key for key in required if key not in moving]
        needed += [[{"required": [key]}] for key in moving]
        needed = [[*either, _in_config(either)] for either in needed]
    found = entry | {"properties": properties, "required": required}
    return found | ({"allOf": [{"anyOf": either} for either in needed]} if needed else {})


def _in_config(either: list[Schema]) -> Schema:
    """The same, told of what `config` holds."""
    return {"required": [CONFIG], "properties": {CONFIG: {"anyOf": either}}}


def _simplified(schema: Any) -> Any:
    """Without what pydantic calls a field, which says no more than its key.

    An evaluator in another one is written like any other.
    """
    if isinstance(schema, list):
        return [_simplified(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("$ref") == f"#/$defs/{Grader.__name__}":
        return {"$ref": "#/$defs/evaluator"}
    return {
        key: _simplified(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }
