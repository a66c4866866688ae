import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from registry_tools.rules.config_schema import find_misfits


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "additionalProperties": False},
        {"properties": {"a": {"type": ["string", "null"], "pattern": "^x"}}, "required": ["a"]},
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "x-order": [1]},
        {"$defs": {"n": {"minimum": 0}}, "properties": {"n": {"$ref": "#/$defs/n"}}},
        {"properties": {"type": {"const": 1}, "enum": True}},
    ],
)
def test_a_schema_is_one(schema):
    Draft202012Validator.check_schema(schema)

    assert list(find_misfits(schema)) == []


@pytest.mark.parametrize(
    ("schema", "where", "fix"),
    [
        ({"propertys": {}}, ("propertys",), "did you mean 'properties'?"),
        ({"zzz": {}}, ("zzz",), "begin it with 'x-'"),
        ({"dependentRequired": ["a"]}, ("dependentRequired",), ""),
        ({"dependentRequired": {"a": "b"}}, ("dependentRequired",), ""),
        ({"properties": {"a": {"type": "text"}}}, ("properties", "a", "type"), "'string'"),
        ({"properties": {"a": {"type": "int"}}}, ("properties", "a", "type"), "'integer'"),
        ({"type": "array"}, ("type",), "write 'type: object'"),
        ({"properties": []}, ("properties",), ""),
        ({"properties": {"a": 1}}, ("properties", "a"), ""),
        ({"anyOf": {}}, ("anyOf",), ""),
        ({"required": "a"}, ("required",), ""),
        ({"properties": {"a": {"pattern": "("}}}, ("properties", "a", "pattern"), ""),
        ({"properties": {"a": {"minLength": -1}}}, ("properties", "a", "minLength"), ""),
        ({"properties": {"a": {"minimum": True}}}, ("properties", "a", "minimum"), ""),
        ({"$ref": "https://example.com/x"}, ("$ref",), "$defs"),
    ],
)
def test_what_checks_nothing_is_found_where_it_stands(schema, where, fix):
    found = list(find_misfits(schema))

    assert [one.where for one in found] == [where]
    assert fix in found[0].fix


@pytest.mark.parametrize("keyword", ["properties", "required", "anyOf", "type", "minLength"])
@pytest.mark.parametrize("value", [None, 1.5, "x", {"a": 1}, [[]]])
def test_whatever_the_standard_refuses_is_refused(keyword, value):
    schema = {"properties": {"a": {keyword: value}}}
    with pytest.raises(SchemaError):
        Draft202012Validator.check_schema(schema)

    assert list(find_misfits(schema)) != []
