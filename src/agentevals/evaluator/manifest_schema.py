"""The JSON Schema of a manifest as editors read it, with all that rules can say in a schema.

It has the words that a manifest takes from a list: licences of SPDX, and tags. It is published
under its `$id`: `docs/schemas/` of this repository has every version.
"""

from pathlib import Path
from typing import Any

from agentevals.evaluator import evaluator_manifest, evaluator_names
from agentevals.evaluator.evaluator_manifest import LANGUAGES
from agentevals.model.project_links import NAME

VERSION = "1.3"
FILE = f"docs/schemas/evaluator-{VERSION}.json"
ID = f"https://raw.githubusercontent.com/{NAME}/main/{FILE}"
COMMENT = f"# yaml-language-server: $schema={ID}"
# several licences, or "or later" of an older one
_EXPRESSION = r"^(?=.*[ )](AND|OR|WITH)[ (])[A-Za-z0-9.+() -]+$|^[A-Za-z0-9.-]+\+$"
# what SPDX knows, knew, and knows as exceptions; a test holds it against another list
LICENSES, OUTDATED, EXCEPTIONS = (
    frozenset(part.split())
    for part in Path(__file__).with_name("spdx.txt").read_text(encoding="utf-8").split("\n\n")
)
TAGS = (
    "accuracy", "answer", "budget", "citations", "classification", "code", "conversation", "cost",
    "coverage", "deterministic", "efficiency", "example", "extraction", "format", "grounding",
    "hallucination", "instructions", "json", "judge", "language", "latency", "length", "math",
    "nlp", "performance", "pii", "privacy", "quality", "readability", "refusal", "regex",
    "relevance", "response", "retrieval", "safety", "schema", "security", "semantic", "similarity",
    "sql", "steps", "string", "style", "summarization", "text", "time", "tokens", "tool-use",
    "tools", "toxicity", "trajectory", "translation", "validation",
)  # fmt: skip


def build() -> dict[str, Any]:
    """Build the schema."""
    described = evaluator_manifest.build_schema()
    said = described["$defs"]["Manifest"]["properties"]
    _suggest(said["license"], sorted(LICENSES), {"pattern": _EXPRESSION})
    tag = said["tags"]["items"]
    _suggest(tag, list(TAGS), {"pattern": tag["pattern"]})
    said["name"]["not"] = {"enum": sorted(evaluator_names.RESERVED)}
    said["version"]["examples"] = ["1.0.0"]
    for runtime, example in (("python", ">=3.11"), ("node", ">=22.18")):
        described["$defs"]["Runtime"]["properties"][runtime]["examples"] = [example]
    described["$defs"]["Manifest"]["allOf"] = [
        _bind_program(language, ending) for language, (ending, *_) in LANGUAGES.items()
    ]
    return {**described, "$id": ID}


def _suggest(schema: dict[str, Any], known: list[str], otherwise: dict[str, Any]) -> None:
    """Let editors complete known words; others must fit as well as before."""
    schema["anyOf"] = [{"enum": known}, otherwise]


def _bind_program(language: str, ending: str) -> dict[str, Any]:
    """Return that a program of a language ends as its programs do."""
    program = {"properties": {"entrypoint": {"pattern": rf"\{ending}$"}}}
    condition = {"properties": {"language": {"const": language}}, "required": ["language"]}
    return {"if": condition, "then": program}
