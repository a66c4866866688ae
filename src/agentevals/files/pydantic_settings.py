"""The settings of a model: how they are spelt, and what pydantic would take for something else."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agentevals.files.document_places import Key

_NUMBERS = frozenset({int, float})
_LISTS = (list, tuple, Sequence)


class Mistaken(NamedTuple):
    """A value, the way to it, and what is wanted there."""

    way: tuple[Key, ...]
    wanted: str
    given: object


def list_spellings(name: str, field: FieldInfo) -> tuple[str, ...]:
    """Return every key under which a setting may be written."""
    choices = getattr(field.validation_alias, "choices", [field.validation_alias])
    return tuple(dict.fromkeys((name, *(key for key in choices if isinstance(key, str)))))


def find_mistaken(kind: Any, given: object, way: tuple[Key, ...] = ()) -> Iterator[Mistaken]:
    """Yield truth values in place of numbers, numbers in quotes, and the like, however deep."""
    members = {one for one in _list_members(kind) if one is not NoneType}
    if wanted := _find_wanted(members, given):
        yield Mistaken(way, wanted, given)
    for step, inner in _list_parts(given):
        kinds = [found for one in members if (found := _find_inner(one, step)) is not None]
        if len(kinds) == 1:
            yield from find_mistaken(kinds[0], inner, (*way, step))


def _list_members(kind: Any) -> Iterator[Any]:
    """Yield the types of a union, and those that a validator makes them of."""
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *more = get_args(kind)
        yield from _list_members(inner)
        for how in more:
            yield from _list_members(getattr(how, "json_schema_input_type", None) or NoneType)
    elif origin in {Union, UnionType}:
        for one in get_args(kind):
            yield from _list_members(one)
    else:
        yield kind


def _find_wanted(members: set[Any], given: object) -> str:
    numbers = members & _NUMBERS
    if isinstance(given, bool):
        return "a number" if numbers and bool not in members else ""
    if bool in members and not members & {*_NUMBERS, str}:
        return "true or false" if isinstance(given, int | float | str) else ""
    if numbers and not members - {*_NUMBERS, bool} and _is_quoted_number(given):
        return "a number" if float in numbers else "a whole number"
    return ""


def _is_quoted_number(given: object) -> bool:
    try:
        return isinstance(given, str) and float(given) is not None
    except ValueError:
        return False


def _list_parts(given: object) -> Iterator[tuple[Key, object]]:
    if isinstance(given, Mapping):
        yield from given.items()
    elif isinstance(given, list):
        yield from enumerate(given)


def _find_inner(kind: Any, step: Key) -> Any:
    """Return the type of a member of a list, a mapping or a model; None if it has none."""
    origin, args = get_origin(kind), get_args(kind)
    if isinstance(step, int):
        each = args[:1] if origin is not tuple or ... in args else args[step : step + 1]
        return each[0] if each and origin in _LISTS else None
    if origin is None:
        return _list_kinds(kind).get(step) if _is_model(kind) else None
    is_mapping = isinstance(origin, type) and issubclass(origin, Mapping)
    return args[1] if is_mapping and args else None


@cache
def _list_kinds(model: type[BaseModel]) -> dict[str, Any]:
    """Return the types of a model's settings that are numbers or truth values, or have some."""
    return {
        key: Annotated[field.annotation, *field.metadata, None]
        for name, field in model.model_fields.items()
        if _has_numbers(field.annotation, frozenset({model}))
        for key in list_spellings(name, field)
    }


def _has_numbers(kind: Any, seen: frozenset[Any]) -> bool:
    if any(kind is one for one in (int, float, bool)):
        return True
    if _is_model(kind):
        inner = (field.annotation for field in kind.model_fields.values())
        return kind not in seen and any(_has_numbers(one, seen | {kind}) for one in inner)
    return any(_has_numbers(one, seen) for one in get_args(kind))


def _is_model(kind: Any) -> bool:
    """Return whether a type has settings. What is recorded or expected has none."""
    return (
        isinstance(kind, type)
        and issubclass(kind, BaseModel)
        and not getattr(kind, "is_data", False)
    )
