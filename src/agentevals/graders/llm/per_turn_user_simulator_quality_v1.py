"""`per_turn_user_simulator_quality_v1`: whether a simulated user kept to its scenario."""

from typing import Any

from pydantic import Field

from agentevals.graders.grader import NO_TURN, Services
from agentevals.graders.llm.questions import Ballot, JudgedGrader, Panel
from agentevals.graders.llm.questions.judge_prompts import (
    mark_untrusted,
    write_question,
    write_transcript,
)
from agentevals.model.cases import Case, Grade, Scenario, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Turn
from agentevals.text.wording import add_reason

_TASK = """\
A language model played a user who talks with an agent. It had a scenario: a plan of what it wants
in which order, and perhaps a person to be. Decide whether its next message keeps to the scenario.
"""
_ASKED = """\
Reason first, in two or three sentences. The verdict is `valid` if the message takes the next step
of the plan, or answers what the agent just asked, as that person would. It is `invalid` if it
leaves the plan, repeats or skips a step without a reason, reveals that it is a simulation, does
the agent's work, ends the conversation before the plan is done, or goes on after it is done. The
message {stop} says that the conversation is over.
"""


class UserSimulatorQuality(JudgedGrader):
    """The share of the simulated user's messages that keep to the scenario of the eval case.

    The first message has to be the scenario's; of the others the judge decides, and of whether the
    conversation should have ended where it did. If not, the last turn counts as missed.
    """

    type = "per_turn_user_simulator_quality_v1"
    judges_by = frozenset({Fact.QUESTION})

    stop_signal: str = Field(
        default="</finished>", min_length=1, description="What the simulator says to end it"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        if case.scenario is None:
            reason = case.unpaired or "the eval case has a fixed conversation"
            told = f"there is no conversation_scenario to go by: {reason}; write one into the case"
            return Grade.not_evaluated(told)
        if not case.turns:
            return Grade.not_evaluated(NO_TURN)
        ballots = self._collect_ballots(case.turns, case.scenario, self.build_panel(services))
        ending = ballots.pop()
        if float(ending.met) < self.threshold:  # at 0 nothing is missed, as in ADK
            ballots[-1] = ending
        scores = tuple(float(ballot.met) for ballot in ballots)
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(
                add_reason(f"turn {number}: the user leaves the scenario", ballot.reasoning)
                for number, ballot in enumerate(ballots, start=1)
                if not ballot.met
            ),
            details={
                "turns": [_describe_ballot(ballot) for ballot in ballots],
                "ending": _describe_ballot(ending),
            },
        )

    def _collect_ballots(
        self, turns: tuple[Turn, ...], scenario: Scenario, panel: Panel
    ) -> list[Ballot]:
        """One for each message of the user, and one for having stopped after the last."""
        return [
            _judge_opening(turns[0], scenario),
            *(
                self._judge_message(turns[:number], turn.user, scenario, panel)
                for number, turn in enumerate(turns[1:], start=1)
            ),
            self._judge_message(turns, self.stop_signal, scenario, panel),
        ]

    def _judge_message(
        self, before: tuple[Turn, ...], message: str, scenario: Scenario, panel: Panel
    ) -> Ballot:
        persona = [mark_untrusted("PERSON", scenario.persona)] if scenario.persona else []
        prompt = write_question(
            _TASK,
            mark_untrusted("PLAN", scenario.plan),
            *persona,
            write_transcript(before),
            mark_untrusted("NEXT MESSAGE", message),
            asked=_ASKED.format(stop=repr(self.stop_signal)),
        )
        return panel.ask_validity(prompt)


def _judge_opening(turn: Turn, scenario: Scenario) -> Ballot:
    """No opinion is needed on whether two texts are the same."""
    met = turn.user.strip() == scenario.opening.strip()
    return Ballot(met, (met,), "" if met else "the first message is not that of the scenario")


def _describe_ballot(ballot: Ballot) -> dict[str, Any]:
    votes = {"valid": ballot.counts["yes"], "invalid": ballot.counts["no"]}
    return {"valid": ballot.met, "votes": votes, "reasoning": ballot.reasoning}
