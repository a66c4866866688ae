"""The texts of inputs in the environment, however a name is spelt, and their types."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, ValidationError

from agentevals.model.plugins import suggestion
from agentevals.model.shards import Shard
from agentevals.text.terminal import plain

_PREFIX = "INPUT_"

TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NUMBER = re.compile(r"[0-9]{1,9}")
_KEY = re.compile(r"[\w .,:/()+@=-]{1,100}")
LONGEST_SHOWN = 60  # characters of a wrong value
_LONGEST_MATRIX = 200  # characters of the name of a matrix job


class Given(NamedTuple):
    """The inputs, named as in `action.yml`, in lower case with hyphens."""

    texts: dict[str, str]
    conflicting: tuple[str, ...]
    unknown: tuple[str, ...]


def read(
    environ: Mapping[str, str], defaults: Mapping[str, str], computed: Collection[str]
) -> Given:
    """Read every input that is not empty.

    The runner keeps hyphens (`INPUT_FAIL-ON`), and always sends the default of an input that
    was not given. So an input under its snake spelling wins over a default; for the inputs
    whose default is `computed` by an expression it always wins, as nobody can tell them apart.
    """
    texts: dict[str, str] = {}
    conflicting: list[str] = []
    unknown: list[str] = []
    for name, (kebab, snake) in _group_spellings(environ):
        if name not in defaults:
            unknown.append(name)
            continue
        was_chosen = name not in computed and kebab not in {"", defaults[name]}
        if snake and was_chosen and snake != kebab:
            conflicting.append(name)
        texts[name] = snake or kebab
    return Given(texts, tuple(conflicting), tuple(unknown))


def _group_spellings(environ: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each input once, with its text under each of the two spellings."""
    found: dict[str, dict[bool, str]] = {}
    for variable, text in environ.items():
        if variable.startswith(_PREFIX) and text.strip():
            given = variable.removeprefix(_PREFIX).lower()
            found.setdefault(given.replace("_", "-"), {})["_" in given] = text.strip()
    for name, texts in found.items():
        yield name, (texts.get(False, ""), texts.get(True, ""))


def _read_list(given: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in re.split(r"[\n,]", given) if item.strip())


def _read_lines(given: str) -> tuple[str, ...]:
    """Read one item per line: unlike the names of files, secrets may hold commas."""
    return tuple(item.strip() for item in given.splitlines() if item.strip())


def _read_truth(given: str) -> bool:
    if given not in TRUTH:
        msg = "must be true or false"
        raise ValueError(msg)
    return TRUTH[given]


def _read_switch(given: str) -> str:
    """Accept YAML's words for a truth value, because people write `check: true`."""
    if given not in TRUTH:
        return given
    return "on" if TRUTH[given] else "off"


def _read_count(given: str) -> int:
    if not _NUMBER.fullmatch(given) or not int(given):
        msg = "must be a whole number, at least 1"
        raise ValueError(msg)
    return int(given)


def _read_key(given: str) -> str:
    if not _KEY.fullmatch(given):
        msg = "must be 1 to 100 letters, digits, spaces or any of . , : / ( ) + @ = - _"
        raise ValueError(msg)
    return given


def describe_choices(known: Sequence[str], given: str) -> str:
    """Describe a word that is not a choice of an input."""
    # never a part of it: a secret in the wrong place could not be recognised any more
    shown = f"'{plain(given)}'" if len(given) <= LONGEST_SHOWN else "this text"
    return f"{shown} is not allowed{suggestion(given, list(known))}"


def describe_errors(error: ValidationError) -> Iterator[str]:
    """Yield a sentence for each mistake that pydantic found."""
    for details in error.errors(include_url=False, include_input=False):
        message = details["msg"].removeprefix("Value error, ")
        yield f"'{details['loc'][0]}': {message}"


def read_matrix(given: str) -> str:
    """Return the values of a matrix job as one line: `3.12, ubuntu`; empty without a matrix."""
    try:
        values = (json.loads(given or "null") or {}).values()
    except (ValueError, RecursionError, AttributeError):
        msg = "must be a JSON object; remove it and use the default"
        raise ValueError(msg) from None
    texts = (value if isinstance(value, str) else json.dumps(value) for value in values)
    return plain(", ".join(texts), _LONGEST_MATRIX)


def _validate_text(read: Callable[[str], Any]) -> BeforeValidator:
    """Convert text. Another value was made by a program and stays as it is."""
    return BeforeValidator(lambda given: read(given) if isinstance(given, str) else given)


Listed = Annotated[tuple[str, ...], _validate_text(_read_list)]
Lines = Annotated[tuple[str, ...], _validate_text(_read_lines)]
Truth = Annotated[bool, _validate_text(_read_truth)]
Switch = Annotated[Literal["on", "off"], _validate_text(_read_switch)]
AutoSwitch = Annotated[Literal["auto", "on", "off"], _validate_text(_read_switch)]
Counted = Annotated[int, _validate_text(_read_count)]
Part = Annotated[Shard, _validate_text(Shard.parse)]
Key = Annotated[str, _validate_text(_read_key)]
Matrix = Annotated[str, _validate_text(read_matrix)]
