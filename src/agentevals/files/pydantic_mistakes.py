"""Mistakes that pydantic finds, as sentences for the author of the file, with places."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from agentevals.files.document_places import Key, describe, get_at, quote, steps
from agentevals.files.documents import Document
from agentevals.files.pydantic_settings import find_mistaken, list_spellings
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion

Where = tuple[Key, ...]

_CHOICE = re.compile(r"'([^']*)'")
_WANTED = {
    "bool": "true or false",
    "date": "a date",
    "dict": "a mapping",
    "float": "a number",
    "int": "a whole number",
    "int_parsing_size": "a number of a reasonable size",
    "list": "a list",
    "mapping": "a mapping",
    "model": "a mapping",
    "model_attributes": "a mapping",
    "path": "text",
    "string": "text",
    "tuple": "a list",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
    "multiple_of": ("multiple_of", "a multiple of"),
}
_LONGEST_PATH = 300  # of keys; its end is what matters


Model = TypeVar("Model", bound=BaseModel)


def validate(
    model: type[Model],
    value: Mapping[str, Any],
    document: Document,
    where: Where = (),
    *,
    about: str = "",
) -> tuple[Model | None, list[Problem]]:
    """Return the model, or all that keeps the value from being one. The value is at `where`."""
    made, problems = None, []
    try:
        made = model.model_validate(value)
    except ValidationError as error:
        problems += complaints(error, document, model, where, about=about)
    said = {problem.at for problem in problems}
    for location, wanted, given in find_mistaken(model, value):
        way = tuple(steps(location, get_at(document.value, where)))
        message = f"{about}{_join_keys(way or location)} must be {wanted}, not {describe(given)}"
        problem = document.problem(message, (*where, *way))
        problems += [] if problem.at in said else [problem]
    return None if problems else made, problems


def complaints(
    error: ValidationError,
    document: Document,
    model: type[BaseModel],
    where: Where = (),
    *,
    about: str = "",
) -> list[Problem]:
    """Return one problem for each mistake. `where` is the path of the validated value."""
    found = [_Complaint(details, document, model, where) for details in error.errors()]
    shown = _merge_unions([one for one in found if not one.is_shadow_of_any(found)])
    problems = (document.problem(about + c.message(), c.place, key=c.of_key) for c in shown)
    return list(dict.fromkeys(problems))


def _merge_unions(found: Sequence["_Complaint"]) -> list["_Complaint"]:
    """Keep one mistake for a value of which each member of a union wants another kind."""
    first: dict[Where, _Complaint] = {}
    kept = []
    for one in found:
        same = first.setdefault(one.place, one) if one.wanted else one
        if same is one:
            kept.append(one)
        same.wanted.update(one.wanted)
    return kept


class _Complaint:
    """One mistake, with the path in the file that pydantic's location means."""

    def __init__(
        self, details: Any, document: Document, model: type[BaseModel], where: Where
    ) -> None:
        self._details, self._document, self._model = details, document, model
        self._type: str = details["type"]
        self._where = where
        location = details["loc"][:-1] if self._type == "missing" else details["loc"]
        self.place = where + tuple(steps(location, get_at(document.value, where)))
        self.of_key = self._type == "extra_forbidden"
        self.of_type = self._type.endswith("_type")
        kind = self._type
        for mistake in ("_type", "_parsing", "_from_float"):
            kind = kind.removesuffix(mistake)
        self.wanted = {_WANTED[kind]: None} if kind in _WANTED else {}

    def is_shadow_of_any(self, others: Sequence["_Complaint"]) -> bool:
        """Return whether another mistake explains this one: in a union, that of the nearest
        member; and a list whose items are wrong has too few of them only because of that.
        """
        if self._type == "too_short":
            return any(
                len(other.place) > len(self.place) and other.is_below(self) for other in others
            )
        return self.of_type and any(
            other.is_below(self) and (other.place != self.place or not other.of_type)
            for other in others
        )

    def is_below(self, other: "_Complaint") -> bool:
        return self.place[: len(other.place)] == other.place

    def message(self) -> str:
        if special := _SPECIAL.get(self._type):
            return special(self)
        return f"{self._name_place()} {self._describe_rule()}{self._advise_quotes()}"

    def _describe_rule(self) -> str:
        if self._type in _BOUNDS:
            limit, words = _BOUNDS[self._type]
            return f"must be {words} {self._get_context(limit):g}, not {self._describe_input()}"
        if self.wanted:
            return f"must be {' or '.join(self.wanted)}, not {self._describe_input()}"
        if self._type.endswith("too_short"):
            return "must not be empty"
        if self._type in {"literal_error", "enum"}:
            wanted = self._get_context("expected")
            return f"must be {wanted}, not {self._describe_input()}{self._suggest_choice(wanted)}"
        if self._type == "string_pattern_mismatch":
            return f"must match {self._get_context('pattern')}, not {self._describe_input()}"
        text: str = self._details["msg"]
        return f"is not right: {text[0].lower()}{text[1:]}"

    def _suggest_choice(self, wanted: str) -> str:
        given = self._details["input"]
        near = (
            get_close_matches(given, _CHOICE.findall(wanted), n=1) if isinstance(given, str) else []
        )
        return f" (did you mean {near[0]!r}?)" if near else ""

    def _get_context(self, name: str) -> Any:
        return self._details.get("ctx", {}).get(name)

    def _describe_input(self) -> str:
        hidden = self._model.model_config.get("hide_input_in_errors")
        given = self._details["input"]
        return "what is here" if hidden and isinstance(given, str) else describe(given)

    def _advise_quotes(self) -> str:
        """Advise quotes: YAML 1.1 reads `no`, `on`, `012` and the like as something else."""
        raw = self._document.raw(self.place) if "text" in self.wanted else None
        return "" if raw is None else f"; write {quote(raw)} in quotes"

    def _name_place(self, *more: Key) -> str:
        return _join_keys(self.place[len(self._where) :] + more)

    def describe_missing(self) -> str:
        *above, key = self._details["loc"]
        if isinstance(key, int):
            return f"{self._name_place()} must be a list of more items, not of {key}"
        known = set(list_keys(self._model, above, spelt=True))
        strangers = [name for name in self._details["input"] if name not in known]
        near = get_close_matches(key, strangers, n=1)
        remedy = f"; write it instead of {quote(near[0])}" if near else ""
        return f"{self._name_place(key)} is missing{remedy}"

    def describe_unknown(self) -> str:
        above, key = self._details["loc"][:-1], str(self.place[-1])
        near = get_close_matches(key, [*list_keys(self._model, above, spelt=True)], n=1)
        told = suggestion(key, near or [*list_keys(self._model, above)])
        return f"unknown key {self._name_place()}{told}"

    def describe_refusal(self) -> str:
        text = str(self._get_context("error"))
        return f"{self._name_place()}: {text}" if self.place != self._where else text

    def describe_tag(self) -> str:
        subject = self._name_place(str(self._get_context("discriminator")).strip("'"))
        if self._type == "union_tag_not_found":
            return f"{subject} is missing"
        known, tag = self._get_context("expected_tags"), self._get_context("tag")
        return f"{subject} must be one of {known}, not {tag!r}"


_SPECIAL: dict[str, Callable[[_Complaint], str]] = {
    "missing": _Complaint.describe_missing,
    "extra_forbidden": _Complaint.describe_unknown,
    "value_error": _Complaint.describe_refusal,
    "assertion_error": _Complaint.describe_refusal,
    "union_tag_not_found": _Complaint.describe_tag,
    "union_tag_invalid": _Complaint.describe_tag,
}


def _join_keys(way: Sequence[Key]) -> str:
    name = ""
    for step in way:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return quote(name, _LONGEST_PATH) if name else "the value"


def list_keys(
    model: type[BaseModel], location: Sequence[Key], *, spelt: bool = False
) -> Iterator[str]:
    """Yield the keys at a location, or all their spellings; without those that only we set."""
    models = [model]
    for step in location:
        fields = [item for one in models for item in one.model_fields.items()]
        inner = [field for name, field in fields if step in list_spellings(name, field)]
        if inner:
            models = [found for field in inner for found in _find_models(field.annotation)]
        models = [one for one in models if _is_called(one, step)] or models
    for one in models:
        for name, field in one.model_fields.items():
            if not field.exclude:
                yield from list_spellings(name, field) if spelt else (name.removesuffix("_"),)


def _is_called(model: type[BaseModel], tag: Key) -> bool:
    """Return whether a tag names this member of a union: by its name, or its discriminator."""
    said = (get_args(field.annotation) for field in model.model_fields.values())
    return model.__name__ == tag or any(tag in values for values in said)


def _find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _find_models(part)
