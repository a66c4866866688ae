"""Words that a manifest takes from a list: licences of SPDX, and tags."""

from pathlib import Path

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
