"""The JSON Schema of EVAL files, so that an editor completes and checks them.

Evaluators are those of `eval_config.schema.json`, which lies beside it. A file may have others as
well, such as templates and types of its own, so an evaluator that is unknown is no mistake here.
"""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from agentevals.configs.dialects.agentv.eval_file_keys import (
    IDLE,
    LISTS,
    OF_RUNNING,
    TEMPLATES,
    TESTS,
    Execution,
    Suite,
    Test,
)

Schema = dict[str, Any]

_EVALUATOR = {"$ref": "eval_config.schema.json#/$defs/evaluator"}
_MODELS: dict[str, type[BaseModel]] = {"execution": Execution, "test": Test, "suite": Suite}
_RUNNING = {"description": "A setting for running an agent; it has no effect here"}
_TESTS = [
    {"type": "string"},
    {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/test"}, {"type": "string"}]}},
]


def schema() -> Schema:
    """Return all that an editor can know of a file: its keys, those of a test, and their types."""
    whole = models_json_schema([(model, "validation") for model in _MODELS.values()])[1]
    definitions = _drop_titles(whole["$defs"])
    written = {name: _complete(definitions.pop(model.__name__)) for name, model in _MODELS.items()}
    suite = written.pop("suite")
    for model in (suite, written["test"]):
        model["properties"]["execution"] = {"$ref": "#/$defs/execution"}
        model["patternProperties"] = {"^x-": {"description": "Your own; not read"}}
    rubrics = {"type": "array", "description": "What a judge looks for"}
    written["test"]["properties"]["rubrics"] = rubrics
    tests = {"description": "The tests, or the path of a file that has them", "anyOf": _TESTS}
    suite["properties"] = dict.fromkeys(TESTS, tests) | suite["properties"]
    return {
        "title": "EVAL.yaml of AgentV and AgentEvals",
        **suite,
        "description": "Tests of an agent, and which evaluators judge its recordings",
        "anyOf": [{"required": [key]} for key in (*TESTS, "execution")],  # tests may be in lines
        "$defs": {**written, **definitions},
    }


def _complete(model: Schema) -> Schema:
    """Add what every level of a file may have: evaluators, and how an agent is run."""
    known = {
        key: _allow_one(value) if _is_texts(value) else value
        for key, value in model["properties"].items()
    }
    running = dict.fromkeys(sorted((OF_RUNNING | IDLE) - known.keys()), _RUNNING)
    return {**model, "properties": {**known, **_write_lists(), **running}}


def _write_lists() -> Schema:
    items = {"anyOf": [{"type": "string"}, _EVALUATOR, {"type": "object"}]}
    listed = {"description": "Evaluators", "type": "array", "items": items}
    prompt = {"description": "The prompt of every llm_judge that has none", "type": "string"}
    return dict.fromkeys(LISTS, listed) | dict.fromkeys(TEMPLATES, prompt)


def _is_texts(value: Schema) -> bool:
    return value.get("items") == {"type": "string"}


def _allow_one(value: Schema) -> Schema:
    """A text may stand where a list of texts may."""
    return {"anyOf": [value, {"type": "string"}]}


def _drop_titles(value: Any) -> Any:
    """Pydantic's titles say no more than their keys."""
    if isinstance(value, list):
        return [_drop_titles(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _drop_titles(item)
        for key, item in value.items()
        if key != "title" or not isinstance(item, str)
    }
