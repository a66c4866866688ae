"""Verdicts that a judge wrote in the words that ADK's prompts ask for, read as ours.

A judge that was tuned for those prompts, or a recorded answer of one, is understood as well."""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from agentevals.model.cases import Rubric

Answer = dict[str, Any]

_VALIDITY = re.compile(
    r'"is_the_agent_response_(?P<asked>valid|invalid)":\s*[\["]*\s*(?P<said>[a-z_]+)\s*["\]]*\s*[,}\n]'
)
_REASONING = re.compile(r'"reasoning":\s*("(?:[^"\\]|\\.)*")', re.DOTALL)
_MEANS_VALID = {"valid": True, "true": True} | dict.fromkeys(
    ("invalid", "false", "almost", "partially", "partially_valid"), False
)
_SIMULATOR = re.compile(r'"is_valid":\s*"?(?P<said>true|false)\b')
_FIELD = re.compile(
    r"^\s*(?P<name>ID|Property|Rationale|Verdict):[ \t]*(?P<text>.*)$", re.MULTILINE
)
_LABEL = re.compile(r"^\s*label:[ \t]*(?P<label>\w+)", re.MULTILINE | re.IGNORECASE)
_REASON = re.compile(r"^\s*rationale:[ \t]*(?P<text>.*)$", re.MULTILINE | re.IGNORECASE)
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"}
)
_MARKUP = " *_`#>-\u2022\"'"


def read_validity(text: str) -> Answer | None:
    """Read whether an answer, or a simulated user's message, is valid; None if not stated."""
    found = _VALIDITY.search(text)
    if found:
        valid = _MEANS_VALID.get(found["said"])
        if valid is not None and found["asked"] == "invalid" and found["said"] in {"true", "false"}:
            valid = not valid
    else:
        simulated = _SIMULATOR.search(text)
        valid = simulated["said"] == "true" if simulated else None
    if valid is None:
        return None
    return {"reasoning": _read_reasoning(text), "verdict": "valid" if valid else "invalid"}


def _read_reasoning(text: str) -> str:
    """Return why, as far as it is written as JSON writes a text."""
    found = _REASONING.search(text)
    try:
        return str(json.loads(found[1], strict=False)).strip() if found else ""
    except ValueError:
        return ""


def read_verdicts(text: str, rubrics: Sequence[Rubric]) -> Answer | None:
    """The verdicts on rubrics, block by block; None where the blocks are not whole."""
    blocks = _split_blocks(text)
    if not blocks or any({"Property", "Rationale", "Verdict"} - block.keys() for block in blocks):
        return None
    by_text = {_normalise(rubric.text): rubric.rubric_id for rubric in rubrics}
    known = {rubric.rubric_id for rubric in rubrics}
    found = []
    for block in blocks:
        named = block.get("ID", "").strip()
        rubric_id = named if named in known else by_text.get(_normalise(block["Property"]))
        said = block["Verdict"].lower()
        verdict = next((word for word in ("yes", "no") if word in said), None)
        if rubric_id is not None and verdict is not None:
            rationale = block["Rationale"].strip()
            found.append({"id": rubric_id, "rationale": rationale, "verdict": verdict})
    return {"verdicts": found}


def read_labels(text: str) -> Answer | None:
    """The labels of sentences, in their order; None where there is none."""
    said = [found["label"].lower() for found in _LABEL.finditer(text)]
    reasons: list[str] = [found["text"].strip() for found in _REASON.finditer(text)]
    reasons += [""] * (len(said) - len(reasons))
    rows = [
        {"number": number, "rationale": reason, "label": label}
        for number, (label, reason) in enumerate(zip(said, reasons, strict=False), start=1)
    ]
    return {"sentences": rows} if rows else None


def _split_blocks(text: str) -> list[dict[str, str]]:
    """One for each property: it begins with the id, or with the property where that has none."""
    blocks: list[dict[str, str]] = []
    for found in _FIELD.finditer(text):
        name = found["name"]
        begins = name == "ID" or (name == "Property" and "Property" in (blocks or [{}])[-1])
        if begins or not blocks:
            blocks.append({})
        blocks[-1][name] = found["text"]
    return blocks


def _normalise(text: str) -> str:
    """A property as it is compared: neither markup nor letter case tell two apart."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return " ".join(plain.split()).strip(_MARKUP).lower()
