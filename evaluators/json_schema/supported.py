"""Which schemas can be followed to the letter.

Others are refused, because a word that is passed over would let everything by.
"""

from validation import UNWANTED, Schema, SchemaError, misses
from values import BOUNDS, TYPES

_SELF: Schema = {"$ref": "#"}
_LIST: Schema = {"type": "array", "items": _SELF}
_MAP: Schema = {"type": "object", "additionalProperties": _SELF}
_NUMBER: Schema = {"type": "number"}
_TYPE: Schema = {"enum": list(TYPES)}
META: Schema = {
    "type": ["object", "boolean"],
    "properties": {
        **dict.fromkeys(("$schema", "$id", "$comment", "title", "description", "format"), True),
        **dict.fromkeys(("default", "examples", "deprecated", "readOnly", "writeOnly"), True),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _LIST),
        **dict.fromkeys(("$defs", "definitions", "properties"), _MAP),
        **dict.fromkeys(("not", "items", "contains", "additionalProperties"), _SELF),
        **dict.fromkeys(BOUNDS, _NUMBER),
        "multipleOf": {"type": "number", "exclusiveMinimum": 0},
        "propertyNames": _SELF,
        "patternProperties": {"allOf": [_MAP], "propertyNames": {"format": "regex"}},
        "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE}]},
        "enum": {"type": "array"},
        "const": True,
        "required": {"type": "array", "items": {"type": "string"}},
        "uniqueItems": {"type": "boolean"},
        "pattern": {"type": "string", "format": "regex"},
        "$ref": {"type": "string"},
    },
    "additionalProperties": False,
}


def check(schema: Schema) -> None:
    """Refuse a schema that could not be followed to the letter."""
    for where, what in misses(schema, META):
        known = "is not supported" if what == UNWANTED else what
        msg = f"{where or 'it'} {known}"
        raise SchemaError(msg)
