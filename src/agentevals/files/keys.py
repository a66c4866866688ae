"""The keys that people may write, by the pydantic model of the value."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from agentevals.files.places import Key


def list_keys(
    model: type[BaseModel], location: Sequence[Key], *, spelt: bool = False
) -> Iterator[str]:
    """Yield the keys at a location, or all their spellings; without those that only we set."""
    models = [model]
    for step in location:
        inner = [m for one in models if (m := one.model_fields.get(str(step)))]
        if inner:
            models = [found for field in inner for found in _find_models(field.annotation)]
        models = [one for one in models if _is_called(one, step)] or models
    for one in models:
        for name, field in one.model_fields.items():
            if not field.exclude:
                yield name
                yield from _list_aliases(field) if spelt else ()


def _list_aliases(field: FieldInfo) -> Iterator[str]:
    given = field.validation_alias
    choices = given.choices if isinstance(given, AliasChoices) else [given]
    yield from (name for name in choices if isinstance(name, str))


def _is_called(model: type[BaseModel], tag: Key) -> bool:
    """Return whether a tag names this member of a union: by its name, or its discriminator."""
    said = (get_args(field.annotation) for field in model.model_fields.values())
    return model.__name__ == tag or any(tag in values for values in said)


def _find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _find_models(part)
