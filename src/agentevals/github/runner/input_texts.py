"""The text of every input in the environment, whichever way its name is spelt."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

_PREFIX = "INPUT_"


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
