"""`config:` of an evaluator: its settings count like those that stand beside it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentevals.configs.building import list_spellings
from agentevals.files.places import CONFIG, describe
from agentevals.files.validation import Where
from agentevals.graders.grader import Grader

_ONLY_BESIDE = frozenset({"name", "type"})


class Merged(NamedTuple):
    """The settings of an entry, the keys of those `inside` its `config`, and what is wrong."""

    settings: dict[str, Any]
    inside: frozenset[str] = frozenset()
    mistakes: tuple[tuple[str, Where], ...] = ()


def merge_config(kind: type[Grader], entry: Mapping[str, Any]) -> Merged:
    """Return the settings of an entry with those of its `config`.

    A `config` that the type hands to a program is one setting, and stays as it is.
    """
    if CONFIG not in entry or kind.owns_config(entry):
        return Merged(dict(entry))
    beside = {key: value for key, value in entry.items() if key != CONFIG}
    given = entry[CONFIG]
    if given is None:
        return Merged(beside)
    if not isinstance(given, Mapping):
        mistake = f"'config' must be a mapping, not {describe(given)}"
        return Merged(beside, mistakes=((mistake, ()),))
    names = _map_names(kind)
    written = {names.get(key, key): value for key, value in beside.items()}
    inside, mistakes = {}, []
    for key, value in given.items():
        setting = names.get(key, key)
        if key in _ONLY_BESIDE:
            message = f"{key!r} has no meaning in 'config'; write it beside 'config'"
            mistakes.append((message, (key,)))
        elif setting not in written and not key.startswith("x-"):
            inside[key] = value
        elif setting in written and not _is_same(written[setting], value):
            message = f"{key!r} is {describe(value)} here and {describe(written[setting])} beside"
            mistakes.append((f"{message} 'config'; remove one", (key,)))
    return Merged({**beside, **inside}, frozenset(inside), tuple(mistakes))


def _map_names(kind: type[Grader]) -> dict[str, str]:
    """The setting that each key means. An alias wins over a name: `latency` has such a pair."""
    fields = kind.model_fields
    aliases = {
        key: name for name, field in fields.items() for key in list_spellings(name, field)[1:]
    }
    return {name: name for name in fields} | aliases


def _is_same(one: object, other: object) -> bool:
    """`true` is not 1: as a gate they mean different scores."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)
