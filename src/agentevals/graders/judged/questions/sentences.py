"""Cutting an answer into sentences, so that each of them can be held against what was known."""

import re

_FENCE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
_MARKER = re.compile(r"^[ \t]*(?:[-*+\u2022]|#{1,6}|\d{1,3}[.)])[ \t]+", re.MULTILINE)
# Latin full stops count before white space only, so that 3.5 stays whole; East Asian ones always
_END = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


def split_sentences(text: str) -> list[str]:
    """Sentences and lines that say something; a block of code is one."""
    found: list[str] = []
    for part in _FENCE.split(text):
        found += [part] if part.startswith("```") else _END.split(_MARKER.sub("", part))
    return [piece.strip() for piece in found if any(c.isalnum() for c in piece)]
