"""`final_response_match_v2`: the share of answers that the judge finds as good as expected."""

from typing import Any

from pydantic import Field

from agentevals.graders.grader import NO_RESPONSE, Services
from agentevals.graders.llm.questions import Ballot, JudgedGrader, Panel
from agentevals.graders.llm.questions.judge_prompts import mark_untrusted, write_question
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Turn
from agentevals.text.wording import add_reason

_TASK = """\
A user asked something, an agent answered, and a reference shows a right answer. Decide whether the
agent's answer is valid: whether it gives the user what the reference gives, in whatever words.
"""
_ASKED = """\
Reason first, in two or three sentences. Differences in wording, length, order, format or rounding
do not matter, and further correct information does no harm. The verdict is `invalid` if anything
that the reference states and the user needs is missing, wrong or contradicted, or if the agent
does not answer.
"""


class FinalResponseMatch(JudgedGrader):
    """1 for each turn whose answer is valid by majority, 0 for the others; the score is the mean.

    A tie is not valid. A turn for which the eval set states no answer is not judged.
    """

    type = "final_response_match_v2"
    judges_by = frozenset({Fact.ANSWER})
    needs_expectation = True

    include_intermediate_responses_in_final: bool = Field(
        default=False, description="Whether texts before the answer belong to the answer"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        panel = self.build_panel(services)
        ballots = [self._ask_validity(panel, turn, expected) for turn, expected in case.pairs]
        if not any(ballots):
            return Grade.not_evaluated(case.unpaired or NO_RESPONSE)
        scores = tuple(None if ballot is None else float(ballot.met) for ballot in ballots)
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(
                add_reason(f"turn {number}: not the expected answer", ballot.reasoning)
                for number, ballot in enumerate(ballots, start=1)
                if ballot is not None and not ballot.met
            ),
            details={
                "judgements": [
                    _describe_ballot(turn, ballot)
                    for (turn, _), ballot in zip(case.pairs, ballots, strict=True)
                ],
                **case.turn_gap,
            },
        )

    def _ask_validity(self, panel: Panel, turn: Turn, expected: Turn) -> Ballot | None:
        if expected.response is None:
            return None
        everything = self.include_intermediate_responses_in_final
        return panel.ask_validity(
            write_question(
                _TASK,
                mark_untrusted("USER", expected.user or turn.user),
                mark_untrusted("AGENT ANSWER", turn.answer(on_the_way=everything)),
                mark_untrusted("REFERENCE ANSWER", expected.answer(on_the_way=everything)),
                asked=_ASKED,
            )
        )


def _describe_ballot(turn: Turn, ballot: Ballot | None) -> dict[str, Any]:
    if ballot is None:
        return {"invocation_id": turn.turn_id, "valid": None}
    votes = {"valid": ballot.counts["yes"], "invalid": ballot.counts["no"]}
    return {
        "invocation_id": turn.turn_id,
        "valid": ballot.met,
        "votes": votes,
        "reasoning": ballot.reasoning,
    }
