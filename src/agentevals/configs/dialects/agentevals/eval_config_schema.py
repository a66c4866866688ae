"""The JSON Schema of `eval_config.yaml`, so that an editor completes and checks it.

A setting that several evaluators have is written once, in the definition of the class that
declares it, and referred to everywhere else. Only properties refer to it: editors of older drafts
know neither `unevaluatedProperties` nor keywords beside a `$ref`.
"""

from collections.abc import Iterable
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.json_schema import models_json_schema

from agentevals.configs.config_entries import BUILTIN
from agentevals.configs.dialects.agentevals import LISTS, Config
from agentevals.files.document_places import CONFIG
from agentevals.files.pydantic_settings import list_spellings
from agentevals.graders import BUILTINS, GRADERS, find_type
from agentevals.graders.grader import Grader
from agentevals.model.output_formats import OUTPUT_FORMATS
from agentevals.traces.loaders import LOADERS

Schema = dict[str, Any]

_IN_CONFIG = "Settings, here or beside `config`"


def schema() -> Schema:
    """Return all that an editor can know: the types that ship with us, and their settings."""
    kinds = {name: GRADERS[name] for name in GRADERS.ours}
    families = [family for kind in kinds.values() for family in _list_families(kind)]
    models: list[type[BaseModel]] = list(dict.fromkeys((Config, *families, *kinds.values())))
    references, whole = models_json_schema([(model, "validation") for model in models])
    names = {model: references[model, "validation"]["$ref"].split("/")[-1] for model in models}
    definitions = _simplify(whole["$defs"])
    written = {model: definitions.pop(name) for model, name in names.items()}
    sharing = _Sharing(names, written)
    entries = {name: _write_entry(name, kind, sharing.refer(kind)) for name, kind in kinds.items()}
    made = {
        "description": "Which evaluators score recorded agent traces, and how",
        "type": "object",
        "properties": _write_properties(written[Config]["properties"]),
        "patternProperties": {"^x-": {"description": "Your own; not read"}},
        "additionalProperties": False,
        "anyOf": [{"required": [key]} for key in LISTS],
        "$defs": {"evaluator": _allow_any(kinds), **sharing.shared, **definitions, **entries},
    }
    return {"title": "eval_config.yaml of agentevals", **made}


class _Sharing:
    """Replaces settings by references to those of the class that declares them."""

    def __init__(self, names: dict[type[BaseModel], str], written: dict[Any, Schema]) -> None:
        self._names, self._written = names, written
        in_config = {"type": "object", "description": _IN_CONFIG}
        self.shared: Schema = {names[Grader]: {"properties": {CONFIG: in_config}}}

    def refer(self, kind: type[Grader]) -> Schema:
        """Return the schema of a type, and add to `shared` what it refers to."""
        model = self._written[kind]
        properties = {
            key: self._share(kind, key, value) for key, value in model["properties"].items()
        }
        return {**model, "properties": properties}

    def _share(self, kind: type[Grader], key: str, value: Schema) -> Schema:
        for family in _list_families(kind):
            if self._written[family]["properties"].get(key) == value:
                name = self._names[family]
                self.shared.setdefault(name, {"properties": {}})["properties"][key] = value
                return _refer_to(name, key)
        return value


def _list_families(kind: type[Grader]) -> list[type[BaseModel]]:
    """Return the classes that may declare settings of an evaluator, the most general one first."""
    bases = [base for base in kind.__mro__[1:] if issubclass(base, BaseModel)]
    return [base for base in reversed(bases) if base is not BaseModel]


def _refer_to(definition: str, key: str) -> Schema:
    return {"$ref": f"#/$defs/{definition}/properties/{key}"}


def _allow_any(names: Iterable[str]) -> Schema:
    references = [{"$ref": f"#/$defs/{name}"} for name in names]
    return {"anyOf": [*references, {"enum": list(BUILTINS)}]}


def _write_properties(config: Schema) -> Schema:
    listed = {"type": "array", "items": {"$ref": "#/$defs/evaluator"}}
    for key, names in (
        ("trace_format", LOADERS.ours),
        ("output_format", OUTPUT_FORMATS.ours),
        ("output", OUTPUT_FORMATS.ours),
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


def _write_entry(name: str, kind: type[Grader], model: Schema) -> Schema:
    """A builtin is found by `type: builtin` and its name, every evaluator by its type."""
    builtin = name in BUILTINS
    kinds = [BUILTIN, name] if builtin else _offer_types(name)
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
    return _add_spellings(name, kind, entry)


def _offer_types(name: str) -> list[str]:
    """Return the spellings of a type that an editor offers; the documents list the others."""
    plain = name.replace("_", "-")
    judge, newest = plain.removesuffix("-judge"), plain.replace("trajectory-", "trajectory:")
    known = [name, plain, f"not-{plain}", f"{judge}-grader", newest, f"not-{newest}"]
    meant = {spelling: find_type(spelling) for spelling in dict.fromkeys(known)}
    return [spelling for spelling, found in meant.items() if found and found.type == name]


def _add_spellings(name: str, kind: type[Grader], entry: Schema) -> Schema:
    """A setting may stand under each of its names; one that is needed, under any of them."""
    properties, required = dict(entry["properties"]), list(entry["required"])
    needed = []
    for setting, field in kind.model_fields.items():
        spellings = list_spellings(setting, field)
        first = next((key for key in spellings if key in properties), None)
        if first is None or not isinstance(field.validation_alias, AliasChoices):
            continue
        own = properties[first]
        same = own if own.keys() == {"$ref"} else _refer_to(name, first)
        properties |= {key: same for key in spellings if key not in properties}
        if first in required and len(spellings) > 1:
            required.remove(first)
            needed.append([{"required": [key]} for key in spellings])
    if CONFIG not in properties:
        properties[CONFIG] = _refer_to(Grader.__name__, CONFIG)
        moving = [key for key in required if key not in {"name", "type"}]
        required = [key for key in required if key not in moving]
        needed += [[{"required": [key]}] for key in moving]
        needed = [[*either, _look_into_config(either)] for either in needed]
    found = entry | {"properties": properties, "required": required}
    return found | ({"allOf": [{"anyOf": either} for either in needed]} if needed else {})


def _look_into_config(either: list[Schema]) -> Schema:
    inside = either[0] if len(either) == 1 else {"anyOf": either}
    return {"required": [CONFIG], "properties": {CONFIG: inside}}


def _simplify(schema: Any) -> Any:
    """Return a schema without pydantic's titles, which say no more than their keys.

    An evaluator in another one is written like any other.
    """
    if isinstance(schema, list):
        return [_simplify(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("$ref") == f"#/$defs/{Grader.__name__}":
        return {"$ref": "#/$defs/evaluator"}
    return {
        key: _simplify(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }
