"""`evaluator.yaml`: what an evaluator says about itself, for those who list, fetch and run it.

This is the one definition. The registry's checks and the published JSON Schema are made from it.
"""

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from agentevals.files import yaml_reader
from agentevals.files.document_places import Node
from agentevals.model.noun import Noun

FILE = "evaluator.yaml"
LANGUAGES = {"python": (".py",), "javascript": (".js",), "typescript": (".ts",)}
COMPLETE = ("version", "license", "maintainers", "config_schema", "fixtures")

# `(?!\n)`, because Python's `$` also stands before a line break at the end
NAME = r"^[a-z][a-z0-9]*([_-][a-z0-9]+)*$(?!\n)"
VERSION = (
    r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
    r"(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?$(?!\n)"
)
_PART = r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*"
PATH = rf"^{_PART}(/{_PART})*$(?!\n)"
LICENSE = r"^[A-Za-z0-9.+() -]+$(?!\n)"
LOGIN = r"^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$(?!\n)"
CONSTRAINT = (
    r"^(>=|<=|>|<|==|!=|~=)?[0-9]+(\.[0-9]+){0,2}"
    r"(, *(>=|<=|>|<|==|!=|~=)?[0-9]+(\.[0-9]+){0,2})*$(?!\n)"
)
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
HOST = rf"^(\*\.)?{_LABEL}(\.{_LABEL})*(:[0-9]{{1,5}})?$(?!\n)"
VARIABLE = r"^[A-Z_][A-Z0-9_]*$(?!\n)"
READABLE = r"^/?[^\u0000-\u001f\u007f\\/]+(/[^\u0000-\u001f\u007f\\/]+)*$(?!\n)"
TAG = r"^[a-z0-9]+([.+_-][a-z0-9]+)*$(?!\n)"
# what a registry may have called an evaluator before it came under our rules
PUBLISHED = r"^\w[\w.+-]*$(?!\n)"
# neither controls nor what reverses the direction of writing or cannot be seen
LINE = r"^[^\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$(?!\n)"
TEXT = r"^([^\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\n|\t)*$"

WORDS = {
    NAME: "lower-case letters and digits, joined by '_' or '-', beginning with a letter",
    PUBLISHED: "letters and digits, joined by '_', '-', '.' or '+'",
    VERSION: "three numbers as semver has them, such as 1.0.0",
    PATH: "a path below this folder of letters, digits, '.', '_' and '-', such as lib/main.py",
    LICENSE: "an SPDX licence, such as Apache-2.0",
    LOGIN: "a login of GitHub: letters, digits and '-'",
    CONSTRAINT: "versions, such as '>=3.11' or '>=3.11, <4'",
    HOST: "a host without scheme and path, such as api.example.com",
    VARIABLE: "the name of a variable, such as API_KEY",
    READABLE: "a path, such as /usr/share/dict",
    TAG: "lower-case letters and digits, joined by '-', '_', '.' or '+'",
    LINE: "one line, without control or invisible characters",
    TEXT: "text without control or invisible characters",
}

Name = Annotated[str, Meta(pattern=NAME, min_length=2, max_length=64)]
Path = Annotated[str, Meta(pattern=PATH, min_length=1, max_length=200)]
Line = Annotated[str, Meta(pattern=LINE, min_length=1, max_length=300)]
Constraint = Annotated[str, Meta(pattern=CONSTRAINT, max_length=100)]
FactName = Literal[
    "question", "answer", "tool_calls", "arguments", "tool_answers", "tokens", "cost", "time"
]  # those of agentevals.model.completeness, written out for the schema

_TOP = ("generatedAt", "commit")
_TEXTS = (
    "name", "description", "language", "entrypoint", "path", "author", "lastUpdated", "version",
    "license",
)  # fmt: skip


class _Written(Noun, frozen=True, forbid_unknown_fields=True):
    """A part that people write. Unknown keys are mistakes, but `x-` begins keys of their own."""


class Maintainer(_Written, frozen=True):
    """Who answers for an evaluator. The number stays when the login changes hands."""

    login: Annotated[str, Meta(pattern=LOGIN)]
    id: Annotated[int, Meta(ge=1, le=2**53 - 1, description="gh api users/LOGIN --jq .id")]


class Runtime(_Written, frozen=True):
    """Which interpreters run it."""

    python: Constraint = ""
    node: Constraint = ""


class Capabilities(_Written, frozen=True):
    """What a sandbox must allow; nothing, unless it is said here."""

    network: Annotated[
        tuple[Annotated[str, Meta(pattern=HOST, max_length=255)], ...],
        Meta(max_length=20, description="hosts that it connects to"),
    ] = ()
    environment: Annotated[
        tuple[Annotated[str, Meta(pattern=VARIABLE, max_length=100)], ...],
        Meta(max_length=20, description="names of variables that it reads"),
    ] = ()
    files: Annotated[
        tuple[Annotated[str, Meta(pattern=READABLE, max_length=300)], ...],
        Meta(max_length=20, description="paths outside of its folder that it reads"),
    ] = ()
    subprocess: Annotated[bool, Meta(description="it starts programs")] = False
    judge: Annotated[bool, Meta(description="it asks the configured judge")] = False


class Manifest(_Written, frozen=True):
    """One evaluator, as its `evaluator.yaml` describes it."""

    name: Annotated[Name, Meta(description="the name of its folder")]
    description: Annotated[
        str,
        Meta(pattern=TEXT, min_length=1, max_length=1000, description="what a score of 1 means"),
    ]
    language: Literal["python", "javascript", "typescript"]
    entrypoint: Annotated[Path, Meta(description="the program, in this folder")]
    tags: Annotated[
        tuple[Annotated[str, Meta(pattern=TAG, min_length=1, max_length=40)], ...],
        Meta(max_length=20),
    ] = ()
    author: Annotated[str, Meta(pattern=LINE, max_length=200)] = ""
    version: Annotated[str, Meta(pattern=VERSION, max_length=100, description="semver")] = ""
    license: Annotated[str, Meta(pattern=LICENSE, max_length=200, description="SPDX")] = ""
    maintainers: Annotated[tuple[Maintainer, ...], Meta(max_length=20)] = ()
    runtime: Runtime = Runtime()
    requirements: Annotated[Path, Meta(description="requirements with hashes, all pinned")] = ""
    # a pattern beside a mapping breaks the memory of msgspec 0.22: `__post_init__` has it instead
    config_schema: Annotated[
        dict[str, Any] | Annotated[str, Meta(min_length=1, max_length=200)],
        Meta(description="the JSON Schema of its config, or the path of one"),
    ] = {}
    capabilities: Capabilities = Capabilities()
    needs: Annotated[
        tuple[FactName, ...],
        Meta(max_length=20, description="facts without which it is not asked to judge"),
    ] = ()
    fixtures: Annotated[Path, Meta(description="inputs with what is expected of them")] = ""
    batch: Annotated[
        bool, Meta(description="one start judges several cases, if a config asks for it")
    ] = False
    deterministic: Annotated[bool, Meta(description="the same input gives the same score")] = True
    deprecated: Annotated[Line, Meta(description="why it should not be used any more")] = ""
    yanked: Annotated[Line, Meta(description="why it must not be used any more")] = ""
    replaced_by: Annotated[Name, Meta(description="which evaluator to use instead")] = ""
    aliases: Annotated[
        tuple[Name, ...], Meta(max_length=20, description="names that it had before")
    ] = ()

    def __post_init__(self) -> None:
        if isinstance(self.config_schema, str) and not re.match(PATH, self.config_schema):
            msg = f"`config_schema` must be a mapping, or {WORDS[PATH]}"
            raise ValueError(msg)


Level = Literal["legacy", "complete"]


def convert(value: object) -> Manifest:
    """Convert a parsed document to a manifest, or raise msgspec.ValidationError."""
    return msgspec.convert(drop_own_keys(value), Manifest)


def drop_own_keys(value: object) -> object:
    """Return the value without keys that begin with `x-`, except inside of a `config_schema`."""
    if not isinstance(value, dict):
        return value
    own = [key for key in value if key.startswith("x-")]
    kept = {key: value[key] for key in value if key not in own} if own else value
    for key in ("runtime", "capabilities"):
        if key in kept:
            kept = {**kept, key: drop_own_keys(kept[key])}
    people = kept.get("maintainers")
    if isinstance(people, list):
        kept = {**kept, "maintainers": [drop_own_keys(one) for one in people]}
    return kept


def list_missing(manifest: Manifest) -> tuple[str, ...]:
    """Return the keys of a complete manifest that this one lacks."""
    return tuple(key for key in COMPLETE if not getattr(manifest, key))


def rate_level(manifest: Manifest) -> Level:
    """Return `complete` for a manifest with all keys that we ask for, else `legacy`."""
    return "legacy" if list_missing(manifest) else "complete"


def build_schema() -> dict[str, Any]:
    """Build the JSON Schema of the definition here; `editor_schema` adds what rules know."""
    described = msgspec.json.schema(Manifest)
    for definition in described["$defs"].values():
        definition["patternProperties"] = {"^x-": True}
        for property_ in definition["properties"].values():
            if property_.get("default") in ("", [], {}):
                del property_["default"]
    said = described["$defs"]["Manifest"]["properties"]["config_schema"]
    next(kind for kind in said["anyOf"] if kind["type"] == "string")["pattern"] = PATH
    return {"title": "The manifest of an evaluator", **described}


def parse_document(content: bytes) -> Any:
    """Parse an index, or raise ValueError with the first problem."""
    value, node = _scan(content)
    if not isinstance(value, dict) or not isinstance(value.get("evaluators"), list):
        return value
    top = {key: _restore_text(value[key], node.find((key,))) for key in _TOP if key in value}
    entries = [
        _restore_texts(entry, node.find(("evaluators", at))) if isinstance(entry, dict) else entry
        for at, entry in enumerate(value["evaluators"])
    ]
    return {**value, **top, "evaluators": entries}


def parse_manifest(content: bytes) -> dict[str, Any]:
    """Parse the manifest of one evaluator, or raise ValueError."""
    value, node = _scan(content)
    if not isinstance(value, dict):
        msg = "it must be a mapping with name, language and entrypoint"
        raise ValueError(msg)  # noqa: TRY004 -- of the text, like the others
    return _restore_texts(value, node)


def _scan(content: bytes) -> tuple[Any, Node]:
    try:
        value, node, problems = yaml_reader.scan(content.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeError:
        msg = "it is not UTF-8 text"
        raise ValueError(msg) from None
    if problems:
        first = problems[0]
        msg = f"line {first.line}, column {first.column}: {first.message}"
        raise ValueError(msg)
    return value, node


def _restore_texts(entry: dict[str, Any], node: Node) -> dict[str, Any]:
    """Restore texts: YAML takes `yes` for a truth and `2024` for a number."""
    texts = {key: _restore_text(entry[key], node.find((key,))) for key in _TEXTS if key in entry}
    tags = entry.get("tags")
    if isinstance(tags, list):
        texts["tags"] = [_restore_text(tag, node.find(("tags", at))) for at, tag in enumerate(tags)]
    return {**entry, **texts}


def _restore_text(value: Any, node: Node) -> Any:
    if value is None or isinstance(value, (dict, list)):
        return value
    return node.raw if node.raw is not None else value
