"""The prompt that a judge must have been asked, told as its recording tells it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.conformance.agentv_model import normalize

_SECTION = re.compile(r"^\[\[ ## (\w+) ## \]\]\n", re.MULTILINE)
_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_SECTIONS = ("criteria", "question", "reference_answer", "answer")
_RAW = "evaluatorRawRequest"
_OMITTED = "omitted>"

Recorded = dict[str, Any]


def tell(recorded: Any, prompt: str) -> Any:
    """A prompt of ours in the shape of a recorded one."""
    if not isinstance(recorded, str):
        _, *parts = _SECTION.split(prompt)
        found = [{"name": n, "body": b} for n, b in zip(parts[::2], parts[1::2], strict=True)]
        for ours, theirs in zip(found, recorded["sections"], strict=False):
            if theirs["body"].endswith(_OMITTED):  # a recording leaves out how they were listed
                ours["body"] = theirs["body"]
        return {"sections": found}
    return _find_results(prompt) or prompt


def expect(entry: Any, case: Recorded, files: Mapping[str, str], recorded: Any) -> tuple[Any, str]:
    """The prompt by the decisions, in the same shape, and the decision where there is one."""
    if not isinstance(recorded, str):
        template = entry.get("evaluatorTemplate") if isinstance(entry, dict) else None
        return (
            (_fill(template, case), "3.15")
            if template
            else ({"sections": recorded["sections"]}, "")
        )
    if results := _find_results(recorded):
        return results, ""
    given = entry.get("prompt") if normalize(entry["type"]) == "llm_judge" else None
    if given is None or recorded.endswith(_OMITTED):
        return None, ""
    if (file := given.removeprefix("file://")) in files:
        return _fill(files[file], case), "" if given == file else "1.1"
    if not _PLACE.search(given):  # it would show the judge nothing: it is what to look for
        texts = _list_texts(case) | {"criteria": given}
        return {"sections": [_build_section(name, texts[name]) for name in _SECTIONS]}, "1.1"
    return recorded, ""


def _build_section(name: str, text: str) -> Recorded:
    return {"name": name, "body": text + ("" if name == _SECTIONS[-1] else "\n\n")}


def _find_results(prompt: str) -> Recorded | None:
    """The results in the prompt of an aggregator."""
    if not prompt.startswith("Results: "):
        return None
    found = json.loads(prompt.removeprefix("Results: "))
    return {name: {k: v for k, v in one.items() if k != _RAW} for name, one in found.items()}


def _fill(template: str, case: Recorded) -> str:
    texts = _list_texts(case)
    return _PLACE.sub(lambda place: texts[place[1]], template)


def _list_texts(case: Recorded) -> dict[str, str]:
    test, output = case["test"], case["agent"]["output"]
    wanted = test.get("expected_output", "")
    return {
        "question": test["input"],
        "criteria": test.get("criteria", ""),
        "answer": output[-1]["content"],
        "reference_answer": wanted,
        "input": json.dumps([{"type": "text", "value": test["input"]}], indent=2),
        "output": json.dumps(output, indent=2),
        "expected_output": json.dumps([{"role": "assistant", "content": wanted}], indent=2),
    }
