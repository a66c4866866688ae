"""What a grammar has to reach of a model of ours: every setting, and every value of a choice."""

from collections.abc import Iterator, Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

Key = tuple[str, str]


def list_keys(model: type[BaseModel], where: str, without: frozenset[str]) -> Iterator[Key]:
    """Everything there is to reach of a model, as `Draw` counts."""
    for name, field in model.model_fields.items():
        if field.exclude or name in without:
            continue
        yield where, name
        for kind in _list_types(field.annotation):
            yield from ((f"{where}.{name}", str(value)) for value in _list_values(kind))
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from list_keys(kind, f"{where}.{name}", without)


def find_keys(model: type[BaseModel], given: Mapping[str, Any], where: str) -> Iterator[Key]:
    """What a written value reaches of it."""
    names = {
        alias: name for name, field in model.model_fields.items() for alias in _spell(name, field)
    }
    for key, value in given.items():
        name = names.get(key)
        if name is None:
            continue
        yield where, name
        kinds = list(_list_types(model.model_fields[name].annotation))
        choices = {str(choice) for kind in kinds for choice in _list_values(kind)}
        if not isinstance(value, dict | list) and str(value) in choices:
            yield f"{where}.{name}", str(value)
        inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        for one in value if isinstance(value, list) else [value]:
            if inner and isinstance(one, dict):
                yield from find_keys(inner[0], one, f"{where}.{name}")


def _spell(name: str, field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        yield from (choice for choice in alias.choices if isinstance(choice, str))
    elif isinstance(alias, str):
        yield alias
    yield name


def _list_types(annotation: Any) -> Iterator[Any]:
    """The types in an annotation, at any depth."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _list_types(get_args(annotation)[0])
    elif origin in {Union, UnionType, tuple, list}:
        for part in get_args(annotation):
            yield from _list_types(part)
    else:
        yield annotation


def _list_values(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind is bool:
        return (True, False)
    return tuple(kind) if isinstance(kind, type) and issubclass(kind, Enum) else ()
