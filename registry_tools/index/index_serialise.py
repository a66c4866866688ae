"""An index as files, written so that every reader reads the same; and read back before that.

Every text is written in double quotes, with everything escaped that some reader could take for
something else. So the YAML needs no emitter: its lists and mappings are JSON, which is YAML.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import yaml

from agentevals.evaluator import index_tree, published_index
from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.evaluator_manifest import FILE as MANIFEST
from agentevals.evaluator.index_tree import Node
from agentevals.evaluator.registry_catalogue import REQUIREMENTS
from agentevals.evaluator.registry_head import hash_bytes
from agentevals.evaluator.registry_index import SCHEMA, Index
from agentevals.files import yaml_strict
from agentevals.model.errors import AgentEvalsError, UnavailableError

JSON, YAML, FOLDER = "index.json", "index.yaml", published_index.EACH
_HEADER = "# Written by `agentevals registry index`; what is changed here is lost.\n\n"
# line ends of YAML, what is invisible, and what YAML does not allow
_ESCAPED = re.compile(
    "[\x7f-\xa0\xad\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufffe\uffff]"
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9.]+e[-+][0-9]+')
_LARGEST = 1 << 40  # for our own text, which may be as long as it has to be
# in this order in the predecessor's index, and always there
_FIRST = {"name": "", "description": "", "language": "", "path": "", "tags": [], "author": "",
          "lastUpdated": ""}  # fmt: skip


# what lists show of an entry
_SHOWN = (
    "name", "description", "language", "path", "tags", "author", "lastUpdated", "version",
    "license", "sha256", "capabilities", "deterministic", "deprecated", "yanked", "replaced_by",
    "aliases",
)  # fmt: skip


_BESIDE = ("LICENSE", "evidence.json", "examples.yaml", "fixtures.yaml", "held_out.yaml")


class UnwritableError(AgentEvalsError):
    """An index that some reader would not read as it is meant."""


@dataclass(frozen=True)
class Written:
    """The published files of an index, without `head.json`."""

    json: bytes
    yaml: bytes
    search: bytes
    entries: Mapping[str, bytes]
    nodes: Mapping[str, bytes]

    def files(self) -> dict[str, bytes]:
        """Return the files by their paths, relative to the registry's root."""
        each = {f"{FOLDER}/{name}.json": content for name, content in self.entries.items()}
        whole = {YAML: self.yaml, JSON: self.json, published_index.SEARCH: self.search}
        return {**whole, **each, **self.nodes}


def serialise(index: Index, *, thorough: bool = False) -> Written:
    """Write an index as files. `thorough` also asks PyYAML, which takes a hundred times longer."""
    said = {entry.name: {**_FIRST, **msgspec.to_builtins(entry)} for entry in index.evaluators}
    entries = {name: msgspec.json.encode(entry) for name, entry in said.items()}
    each = {name: _wrap_entry(content) for name, content in entries.items()}
    found = Written(
        json=_write_json(index, entries.values()),
        yaml=_write_yaml(index, filter(runs_alone, said.values())),
        search=_write_json(index, map(_encode_shown, said.values())),
        entries=each,
        nodes=_plant_tree(index, each),
    )
    if why := _find_difference(index, found, thorough=thorough):
        raise UnwritableError(why)
    return found


def runs_alone(entry: Mapping[str, Any]) -> bool:
    """Return whether the predecessor's client can run an entry.

    It fetches the program and a `requirements.txt` beside it. It has no judge and no TypeScript.
    """
    program, requirements = entry.get("entrypoint", ""), entry.get("requirements", "")
    known = {program, requirements, entry.get("fixtures", ""), MANIFEST, *_BESIDE}
    others = [name for name in entry.get("files", ()) if name not in known]
    alone = all(name.endswith(".md") for name in others)
    fetched = requirements in {"", f"{program.rpartition('/')[0]}/{REQUIREMENTS}".lstrip("/")}
    judged = entry.get("capabilities", {}).get("judge", False)
    return alone and fetched and not judged and entry.get("language", "") != "typescript"


def _encode_shown(entry: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({key: entry[key] for key in _SHOWN if entry.get(key, "") != ""})


def _plant_tree(index: Index, entries: Mapping[str, bytes]) -> dict[str, bytes]:
    """Write the tree of all names that somebody may ask for."""
    leaves = {name: Node(removed={name: why}) for name, why in index.removed.items()}
    for entry in index.evaluators:
        leaves |= {alias: Node(aliases={alias: entry.name}) for alias in entry.aliases}
    for name, content in entries.items():
        leaves[name] = Node(entries={name: hash_bytes(content)})
    return index_tree.plant(leaves)


def _write_json(index: Index, entries: Iterable[bytes]) -> bytes:
    """Write one entry on each line, so that a diff of two indexes can be read."""
    head = {"generatedAt": index.generated, "schema": SCHEMA, "commit": index.commit}
    lines = b",\n".join(entries)
    begin = msgspec.json.encode(head)[:-1]
    removed = msgspec.json.encode(index.removed)
    return begin + b',"evaluators":[\n' + lines + b'\n],"removed":' + removed + b"}\n"


def _wrap_entry(entry: bytes) -> bytes:
    return b'{"schema":%d,"evaluator":%b}\n' % (SCHEMA, entry)


def _write_yaml(index: Index, entries: Iterable[dict[str, Any]]) -> bytes:
    """Write the predecessor's shape: its keys first, in its order."""
    text = "".join(_write_lines(index, entries))
    return _ESCAPED.sub(_escape, text).encode()


def _write_lines(index: Index, entries: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield f"{_HEADER}generatedAt: {_write_value(index.generated)}\nschema: {SCHEMA}\n"
    yield f"commit: {_write_value(index.commit)}\n\n"
    listed = list(entries)
    yield "evaluators:\n" if listed else "evaluators: []\n"
    for entry in listed:
        sign = "-"
        for key, value in entry.items():
            yield f"  {sign} {key}: {_write_value(value)}\n"
            sign = " "
    if index.removed:
        yield f"\nremoved: {_write_value(msgspec.to_builtins(index.removed))}\n"


def _write_value(value: Any) -> str:
    text = _encode(value)
    return _TOKEN.sub(_fix_number, text) if "e-" in text or "e+" in text else text


def _fix_number(found: "re.Match[str]") -> str:
    """Write an exponent with a point before it, as YAML 1.1 needs it."""
    text = found[0]
    return text if text[0] == '"' or "." in text else text.replace("e", ".0e")


def _escape(found: "re.Match[str]") -> str:
    return f"\\u{ord(found[0]):04x}"


def _find_difference(index: Index, found: Written, *, thorough: bool) -> str:
    """Return what some reader would read differently; empty where all agree."""
    try:
        read = indexes.parse(found.json, where=JSON)
    except UnavailableError as error:
        return str(error)
    if read != index:
        return f"{JSON} does not say what was meant"
    meant = json.loads(found.json)
    if not meant["removed"]:
        del meant["removed"]
    said = yaml_strict.read(found.yaml, _LARGEST)
    if said.problems:
        return f"{YAML}: {said.problems[0].message}"
    meant["evaluators"] = list(filter(runs_alone, meant["evaluators"]))
    if said.value != meant:
        return f"{YAML} does not say what was meant"
    if thorough and yaml.load(found.yaml, Loader=_LOADER) != meant:  # noqa: S506 -- a safe loader
        return f"{YAML}: PyYAML reads something else"
    return ""


_encode = json.JSONEncoder(ensure_ascii=False).encode
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
