"""`hallucinations_v1`: the share of sentences that what the agent knew supports."""

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from pydantic import Field

from agentevals.graders.grader import NO_ANSWER, Services
from agentevals.graders.llm.questions import Ballot, JudgedGrader, Panel, adk_verdicts
from agentevals.graders.llm.questions.judge_prompts import (
    TEXT,
    build_enum,
    build_list,
    build_object,
    mark_untrusted,
    write_question,
    write_transcript,
)
from agentevals.judge import Patience
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Turn
from agentevals.model.errors import EvaluatorError

_LABELS = ("supported", "not_applicable", "unsupported", "contradictory", "disputed")
_FINE = frozenset({"supported", "not_applicable"})
_MOST = 200  # sentences of one turn
_LONGEST = 2_000  # characters of one sentence
_TASK = """\
An agent answered a user. Decide for each numbered sentence of its answer whether it is grounded in
the conversation: in what users said and in what tools returned. What you know yourself counts for
nothing, and neither does what the agent said without evidence.
"""
_ASKED = """\
Give every sentence, by its number, a short rationale and one label: `supported` if the conversation
says so or it follows from it; `not_applicable` if it claims nothing (a greeting, a question, an
opinion, an offer); `unsupported` if nothing in the conversation bears it out; `contradictory` if
the conversation says otherwise; `disputed` if one part of the conversation supports it and another
contradicts it.
"""
_SCHEMA = build_object(
    sentences=build_list(number={"type": "integer"}, rationale=TEXT, label=build_enum(_LABELS))
)


class Hallucinations(JudgedGrader):
    """The mean over turns of the share of sentences that are supported or claim nothing.

    Each turn is asked about once. A sentence that the judge leaves out counts as unsupported.
    """

    type = "hallucinations_v1"
    judges_by = frozenset({Fact.QUESTION, Fact.ANSWER, Fact.TOOL_CALLS, Fact.TOOL_ANSWERS})

    evaluate_intermediate_nl_responses: bool = Field(
        default=False, description="Whether what the agent said on the way is judged as well"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        panel = Panel(self.build_panel(services).judge, self.num_samples or 1)
        judged = [self._judge_turn(panel, case, number) for number in range(len(case.turns))]
        if not any(judged):
            return Grade.not_evaluated(NO_ANSWER)
        scores = tuple(mean(float(row["supported"]) for row in rows) for rows in judged)
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(
                f"turn {number}: {row['label']}: {row['sentence']}"
                for number, rows in enumerate(judged, start=1)
                for row in rows
                if not row["supported"]
            ),
            details={"sentences": judged, **({} if case.expected is None else case.turn_gap)},
        )

    def _judge_turn(self, panel: Panel, case: Case, place: int) -> list[dict[str, Any]]:
        said = self._list_sentences(case.turns[place])
        if not said:
            return []
        numbered = tuple(enumerate(said, start=1))
        shown = "\n".join(json.dumps(row, ensure_ascii=False) for row in numbered)
        prompt = write_question(
            _TASK,
            write_transcript(_list_evidence(case, place), answered=False),
            mark_untrusted("SENTENCES", shown, len(shown)),
            asked=_ASKED,
        )
        given = panel.ask(prompt, _SCHEMA, Patience(reads=adk_verdicts.read_labels))
        return [
            {"sentence": sentence, **_choose_label(number, given)} for number, sentence in numbered
        ]

    def _list_sentences(self, turn: Turn) -> list[str]:
        on_the_way = turn.intermediate if self.evaluate_intermediate_nl_responses else ()
        texts = (*on_the_way, turn.response or "")
        found = [sentence[:_LONGEST] for text in texts for sentence in split_sentences(text)]
        if len(found) > _MOST:
            msg = f"a turn has {len(found)} sentences; at most {_MOST} can be judged"
            raise EvaluatorError(msg)
        return found


def _list_evidence(case: Case, number: int) -> tuple[Turn, ...]:
    """List the turns up to the answer. What the agent said on the way is no evidence."""
    *before, turn = case.turns[: number + 1]
    return (*before, replace(turn, intermediate=()))


def _choose_label(number: int, given: Sequence[dict[str, Any]]) -> dict[str, Any]:
    said = [_find_worst(number, answer["sentences"]) for answer in given]
    ballot = Ballot.decide([label in _FINE for label, _ in said], [why for _, why in said])
    label = next(label for label, _ in said if (label in _FINE) == ballot.met)
    return {"label": label, "supported": ballot.met, "rationale": ballot.reasoning}


def _find_worst(number: int, rows: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """The least favourable label in one answer, in case there are several."""
    labels = [(row["label"], row["rationale"]) for row in rows if row["number"] == number]
    worst_first = sorted(labels, key=lambda found: found[0] in _FINE)
    return worst_first[0] if worst_first else ("unsupported", "the judge left it out")


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
