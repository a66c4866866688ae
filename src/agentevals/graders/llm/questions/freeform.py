"""A score from 0 to 1 with reasons, as AgentV asks a model for it: one prompt, one answer."""

from collections.abc import Iterable, Mapping
from typing import Any

from agentevals.graders.llm.questions.prompts import TEXT, build_object
from agentevals.judge import Judge, Patience
from agentevals.model.cases import Grade
from agentevals_evaluator_sdk.judge import RULES

# a recorded answer is cut to as many of each
_MOST = 4

_FORM = """
Answer with one JSON object:
- `hits`: at most four short sentences on what was achieved
- `misses`: at most four short sentences on what was not
- `reasoning`: one or two sentences on what decided
- `score`: a number from 0 (nothing was achieved) to 1 (all of it was)
"""
SYSTEM = RULES + _FORM

TEMPLATE = """\
Judge how far the answer does what the criteria ask for, as an answer to the question. A reference
answer, where there is one, shows how a very good answer reads: the same content in other words is
as good. Keep what you say short, and let it be about this answer.

[[ ## criteria ## ]]
{{criteria}}

[[ ## question ## ]]
{{question}}

[[ ## reference_answer ## ]]
{{reference_answer}}

[[ ## answer ## ]]
{{answer}}"""

_TEXTS = {"type": "array", "items": TEXT}
_SCHEMA = build_object(hits=_TEXTS, misses=_TEXTS, reasoning=TEXT, score={"type": "number"})
_PROPERTIES = _SCHEMA["properties"] | {"score": {"type": "number", "minimum": 0, "maximum": 1}}
# the form of later releases has `assertions` in place of hits and misses
_ACCEPTED = {"type": "object", "properties": _PROPERTIES, "required": ["score"]}
_PATIENCE = Patience(tries=3, accepts=_ACCEPTED)


def ask_opinion(judge: Judge, prompt: str) -> Grade:
    """Ask the judge for a score with reasons; an error if it gives no usable answer."""
    said = judge.ask(prompt, schema=_SCHEMA, system=SYSTEM, patience=_PATIENCE)
    stated = "hits" in said or "misses" in said
    hits, misses = (
        (said.get("hits", ()), said.get("misses", ())) if stated else _read_assertions(said)
    )
    return Grade(
        score=float(said["score"]),
        hits=_limit(hits),
        misses=_limit(misses),
        reasoning=said.get("reasoning", ""),
    )


def _read_assertions(said: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    given = said.get("assertions")
    read: dict[Any, list[str]] = {True: [], False: []}
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict) and isinstance(one.get("text"), str):
            passed = one.get("passed")
            if isinstance(passed, bool):
                read[passed].append(one["text"])
    return read[True], read[False]


def _limit(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if text.strip())[:_MOST]
