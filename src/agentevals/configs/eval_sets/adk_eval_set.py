"""ADK's EvalSet as it is written to files, in snake case or camel case."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentevals.configs.eval_sets.adk_contents import (
    Content,
    FunctionCall,
    FunctionResponse,
    Part,
    Written,
    collect_texts,
    pair_responses,
)
from agentevals.configs.plan import Expectation
from agentevals.model.cases import Rubric, Scenario
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import Turn

# the key of a case that lists, for each turn, the facts that its recording did not show
NOT_RECORDED = "x-not-recorded"


class _Event(Written):
    model_config = ConfigDict(extra="allow")

    author: str
    content: Content | None = None


class _IntermediateData(Written):
    tool_uses: list[FunctionCall] | None = None
    tool_responses: list[FunctionResponse] | None = None
    intermediate_responses: list[tuple[str, list[Part]]] | None = None
    invocation_events: list[_Event] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if "invocation_events" in self.model_fields_set and len(self.model_fields_set) > 1:
            msg = "'invocation_events' stands alone; remove it or the other keys beside it"
            raise ValueError(msg)
        return self

    @property
    def parts(self) -> Iterator[Part]:
        """Return what the agent said before its answer, in order."""
        yield from self._parts_of_events
        for _, parts in self.intermediate_responses or ():
            yield from parts

    @property
    def calls(self) -> list[FunctionCall]:
        """Return the calls: beside `tool_uses`, responses on the way are only texts."""
        inner = (part.function_call for part in self._parts_of_events if part.function_call)
        return [*(self.tool_uses or ()), *inner]

    @property
    def responses(self) -> list[FunctionResponse]:
        inner = (part.function_response for part in self._parts_of_events if part.function_response)
        return [*(self.tool_responses or ()), *inner]

    @property
    def _parts_of_events(self) -> Iterator[Part]:
        for event in self.invocation_events or ():
            yield from (event.content and event.content.parts) or ()


class _RubricContent(Written):
    text_property: str


class _Rubric(Written):
    rubric_id: str
    rubric_content: _RubricContent
    description: str | None = None
    type: str | None = None

    def rubric(self, turn: int | None) -> Rubric:
        text = self.rubric_content.text_property
        return Rubric(rubric_id=self.rubric_id, text=text, kind=self.type or "", turn=turn)


class _Invocation(Written):
    invocation_id: str = ""
    user_content: Content
    final_response: Content | None = None
    intermediate_data: _IntermediateData | None = None
    rubrics: list[_Rubric] | None = None
    creation_timestamp: float = 0.0
    app_details: Any = None
    duration: Any = None
    model_duration: Any = None
    tool_duration: Any = None

    def turn(self, not_recorded: Collection[Fact] = ()) -> Turn:
        data = self.intermediate_data or _IntermediateData()
        absent = {
            Fact.ANSWER: self.final_response is None,
            Fact.TOOL_CALLS: self.intermediate_data is None,
        }
        return Turn(
            turn_id=self.invocation_id,
            user=self.user_content.text,
            response=None if self.final_response is None else self.final_response.text,
            tool_calls=tuple(pair_responses(data.calls, data.responses)[0]),
            intermediate=tuple(collect_texts(data.parts)),
            invocation=self.model_dump(exclude_unset=True, exclude_none=True),
            gaps=tuple(_build_gap(fact) for fact in not_recorded if absent.get(fact)),
        )

    @property
    def stray_answers(self) -> list[str]:
        """Return the tools whose expected answers belong to no call, which nobody judges."""
        data = self.intermediate_data
        left = pair_responses(data.calls, data.responses)[1] if data else ()
        return [response.name or response.id or "" for response in left]


def _build_gap(fact: Fact) -> Gap:
    return Gap(
        fact=fact,
        presence=Presence.UNKNOWN,
        evidence="the eval case does not state it",
        remedy="Record it and run 'agentevals bless --update', or write it into the case",
    )


class _Scenario(Written):
    starting_prompt: str
    conversation_plan: str
    user_persona: Literal["EXPERT", "NOVICE", "EVALUATOR"] | dict[str, Any] | None = None

    def scenario(self) -> Scenario:
        who = self.user_persona or ""
        persona = who if isinstance(who, str) else who.get("description") or who.get("id") or ""
        return Scenario(
            opening=self.starting_prompt,
            plan=self.conversation_plan,
            persona=str(persona),
            written=self.model_dump(exclude_unset=True, exclude_none=True),
        )


class _SessionInput(Written):
    app_name: str
    user_id: str
    session_id: str | None = None
    state: dict[str, Any] = {}


class EvalCase(Written):
    """One expected conversation, or the scenario of a simulated user."""

    model_config = ConfigDict(extra="allow")

    eval_id: str
    conversation: list[_Invocation] | None = None
    conversation_scenario: _Scenario | None = None
    session_input: _SessionInput | None = None
    rubrics: list[_Rubric] | None = None
    final_session_state: dict[str, Any] | None = None
    creation_timestamp: float = 0.0
    not_recorded: dict[str, list[Fact]] = Field(default={}, alias=NOT_RECORDED)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.conversation is None) == (self.conversation_scenario is None):
            both = "not both" if self.conversation is not None else "and this has neither"
            msg = f"a case has either 'conversation' or 'conversation_scenario', {both}"
            raise ValueError(msg)
        return self

    def expectation(self) -> Expectation:
        """Return the case as the rest of the program knows it."""
        conversation = self.conversation or ()
        turns = tuple(
            invocation.turn(self.not_recorded.get(invocation.invocation_id, ()))
            for invocation in conversation
        )
        scenario = self.conversation_scenario and self.conversation_scenario.scenario()
        opening = turns[0].user if turns else scenario.opening if scenario else ""
        return Expectation(
            case_id=self.eval_id,
            turns=None if self.conversation is None else turns,
            opening=opening,
            rubrics=tuple(_collect_rubrics(self.rubrics, conversation)),
            scenario=scenario or None,
            labels=self._labels,
        )

    def list_stray_answers(self) -> Iterator[tuple[int, str]]:
        """Yield the position of the turn, and the tool, of each answer without a call."""
        for at, invocation in enumerate(self.conversation or ()):
            for name in invocation.stray_answers:
                yield at, name

    @property
    def _labels(self) -> dict[str, Any]:
        told = {"session_input": self.session_input.model_dump()} if self.session_input else {}
        return {**(self.model_extra or {}), **told}


class EvalSet(BaseModel):
    """A named list of cases. Its own keys exist in snake case only."""

    model_config = ConfigDict(extra="allow", loc_by_alias=False, defer_build=True)
    is_data: ClassVar[bool] = True

    eval_set_id: str
    eval_cases: list[EvalCase]
    name: str | None = None
    description: str | None = None
    creation_timestamp: float = 0.0


def _collect_rubrics(whole: list[_Rubric] | None, turns: Sequence[_Invocation]) -> Iterator[Rubric]:
    for rubric in whole or ():
        yield rubric.rubric(None)
    for number, turn in enumerate(turns):
        for rubric in turn.rubrics or ():
            yield rubric.rubric(number)
