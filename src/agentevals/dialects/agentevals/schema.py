"""The JSON Schema of `eval_config.yaml`, so that an editor completes and checks it."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from agentevals.dialects.agentevals import top
from agentevals.dialects.agentevals.entries import BUILTIN
from agentevals.graders import BUILTINS, GRADERS
from agentevals.loaders import LOADERS

Schema = dict[str, Any]


def schema() -> Schema:
    """Everything that an editor can know: the types that ship with us, and all their settings."""
    kinds = {name: GRADERS[name] for name in GRADERS.ours}
    models: list[type[BaseModel]] = [top.Config, *kinds.values()]
    references, whole = models_json_schema([(model, "validation") for model in models])
    definitions = whole["$defs"]
    config = _taken(definitions, references[top.Config, "validation"])
    for name, kind in kinds.items():
        definition = _taken(definitions, references[kind, "validation"])
        definitions[name] = _entry(name, definition)
    made = {
        "description": "Which evaluators score recorded agent traces, and how",
        "type": "object",
        "properties": _properties(config["properties"]),
        "patternProperties": {"^x-": {"description": "Your own; not read"}},
        "additionalProperties": False,
        "anyOf": [{"required": [key]} for key in top.LISTS],
        "$defs": {"evaluator": _any_of(kinds)} | definitions,
    }
    return {"title": "eval_config.yaml of agentevals", **_without_titles(made)}


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


def _entry(name: str, model: Schema) -> Schema:
    """A builtin is found by `type: builtin` and its name, every evaluator by its type."""
    builtin = name in BUILTINS
    kinds = [BUILTIN, name] if builtin else [name]
    kind = {"type": {"enum": kinds, "description": model.get("description", "")}}
    named = [{"properties": {key: {"const": name}}} for key in ("name", "type")]
    return model | {
        "properties": kind | model["properties"],
        "required": list(dict.fromkeys(("name", "type", *model.get("required", ())))),
        **({"anyOf": named} if builtin else {}),
    }


def _without_titles(schema: Any) -> Any:
    """What pydantic calls a field says no more than its key."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }
