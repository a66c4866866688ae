"""Properties that the judge says yes or no to, one by one."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from msgspec.structs import replace
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from agentevals.graders.grader import NO_ANSWER, NO_TURN
from agentevals.graders.llm.questions import Ballot, Panel, adk_verdicts
from agentevals.graders.llm.questions.judge_prompts import (
    TEXT,
    build_enum,
    build_list,
    build_object,
    mark_untrusted,
    write_question,
    write_transcript,
)
from agentevals.graders.llm.questions.rubric_criteria import check_unique
from agentevals.judge import Patience
from agentevals.model.cases import Case, Grade, Rubric, mean
from agentevals.model.errors import EvaluatorError
from agentevals.text.wording import add_reason

ASKED = """\
Decide for each of these properties whether it holds. Say `yes` only if you are shown that it does;
say `no` if it does not, or only in part, or if you cannot tell. Give a short rationale first.
"""

Choose = Callable[[int], Sequence[Rubric]]
Prompt = Callable[[int, Sequence[Rubric]], str]


class RubricText(BaseModel):
    """A property, under a name of its own."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, defer_build=True
    )

    id: str = Field(min_length=1, max_length=200, description="Unique name, used in the report")
    text: str = Field(min_length=1, description="The property, as a statement that can be true")


def _name_rubrics(given: Any) -> Any:
    if not isinstance(given, list | tuple):
        return given
    return [
        {"id": f"rubric_{number}", "text": item} if isinstance(item, str) else item
        for number, item in enumerate(given)
    ]


RubricList = Annotated[
    tuple[RubricText, ...],
    BeforeValidator(_name_rubrics, json_schema_input_type=list[str | RubricText]),
    AfterValidator(check_unique),
]


def select_rubrics(
    own: Iterable[RubricText], case: Case, kind: str, turn: int | None = None
) -> tuple[Rubric, ...]:
    """The evaluator's rubrics, and those of the eval case for this kind of question.

    A turn gets its own and those of the whole case; the conversation as a whole gets all.
    """
    found = dict.fromkeys((rubric.id, rubric.text) for rubric in own)
    for rubric in case.rubrics:
        here = turn is None or rubric.turn in {None, turn}
        if here and rubric.kind.upper() in {"", kind}:
            found[rubric.rubric_id, rubric.text] = None
    ids = [rubric_id for rubric_id, _ in found]
    twice = next((name for name, count in Counter(ids).items() if count > 1), None)
    if twice is not None:
        msg = f"two rubrics have the id {twice!r}; rename the one of the evaluator or of the case"
        raise EvaluatorError(msg)
    return tuple(Rubric(rubric_id=name, text=text) for name, text in found)


def require_rubrics(rubrics: Sequence[Rubric], kind: str) -> Sequence[Rubric]:
    """The rubrics, of which there must be one."""
    if not rubrics:
        msg = "there are no rubrics; give the evaluator 'rubrics', or the eval case some of the "
        raise EvaluatorError(msg + f"type '{kind}'")
    return rubrics


def _list_rubrics(rubrics: Iterable[Rubric]) -> str:
    """The properties as the judge is shown them. They are the user's own words, not material."""
    return "\n".join(f"- {rubric.rubric_id}: {rubric.text}" for rubric in rubrics)


def decide(panel: Panel, prompt: str, rubrics: Sequence[Rubric]) -> tuple[Ballot, ...]:
    """The verdict on each rubric. What a sample leaves out counts as not met in it."""
    as_adk = Patience(reads=lambda text: adk_verdicts.read_verdicts(text, rubrics))
    ids = build_enum(rubric.rubric_id for rubric in rubrics)
    verdicts = build_list(id=ids, rationale=TEXT, verdict=build_enum(("yes", "no")))
    given = panel.ask(prompt, build_object(verdicts=verdicts), as_adk)
    return tuple(_count_votes(rubric.rubric_id, given) for rubric in rubrics)


def ask_about_turn(task: str, case: Case, number: int, rubrics: Sequence[Rubric]) -> str:
    """A question about what happened in one turn, with all that happened before."""
    shown = write_transcript(case.turns[: number + 1])
    return write_question(task, shown, asked=f"{ASKED}\n{_list_rubrics(rubrics)}")


def ask_about_answer(task: str, case: Case, number: int, rubrics: Sequence[Rubric]) -> str:
    """A question about the answer of one turn, with all that led to it."""
    return write_question(
        task,
        write_transcript(case.turns[: number + 1], answered=False),
        mark_untrusted("ANSWER", case.turns[number].response or ""),
        asked=f"{ASKED}\n{_list_rubrics(rubrics)}",
    )


def grade_turns(case: Case, panel: Panel, choose: Choose, prompt: Prompt) -> Grade:
    """Ask about each turn that there are rubrics for. Every verdict counts the same."""
    if not case.turns:
        return Grade.not_evaluated(NO_TURN)
    rows: list[_Row] = []
    per_turn: list[float | None] = []
    for number in range(len(case.turns)):
        rubrics = choose(number)
        ballots = decide(panel, prompt(number, rubrics), rubrics) if rubrics else ()
        where = f"turn {number + 1}: " if len(case.turns) > 1 else ""
        rows += [_Row(where, r, b, number) for r, b in zip(rubrics, ballots, strict=True)]
        per_turn.append(mean(float(ballot.met) for ballot in ballots))
    if not rows:
        return Grade.not_evaluated(NO_ANSWER)
    grade = _build_grade(rows, per_turn)
    gap = {} if case.expected is None else case.turn_gap
    return replace(grade, details=grade.details | _group_scores(case, rows) | gap)


def grade_each_turn(
    own: Sequence[RubricText], kind: str, case: Case, panel: Panel, prompt: Prompt
) -> Grade:
    """Ask about each turn by the evaluator's rubrics and those of the case for this question."""
    require_rubrics(select_rubrics(own, case, kind), kind)
    return grade_turns(case, panel, lambda number: select_rubrics(own, case, kind, number), prompt)


def grade_whole(case: Case, panel: Panel, rubrics: Sequence[Rubric], task: str) -> Grade:
    """Ask about the conversation as a whole; the score is that of the last turn."""
    if not case.turns:
        return Grade.not_evaluated(NO_TURN)
    prompt = write_question(
        task, write_transcript(case.turns), asked=f"{ASKED}\n{_list_rubrics(rubrics)}"
    )
    ballots = decide(panel, prompt, rubrics)
    rows = [_Row("", r, b) for r, b in zip(rubrics, ballots, strict=True)]
    score = mean(float(ballot.met) for ballot in ballots)
    return _build_grade(rows, [*[None] * (len(case.turns) - 1), score])


def grade_answers(case: Case, panel: Panel, rubrics: Sequence[Rubric], task: str) -> Grade:
    """Ask the same about each answer; a turn without one is not judged."""
    return grade_turns(
        case,
        panel,
        lambda number: rubrics if case.turns[number].response else (),
        partial(ask_about_answer, task, case),
    )


class _Row(NamedTuple):
    where: str
    rubric: Rubric
    ballot: Ballot
    turn: int = 0

    @property
    def score(self) -> dict[str, Any]:
        """The verdict as agentevals-cli writes it."""
        score, reasoning = float(self.ballot.met), self.ballot.reasoning
        return {"rubric_id": self.rubric.rubric_id, "score": score, "rationale": reasoning}

    @property
    def details(self) -> dict[str, Any]:
        place = {"where": self.where.rstrip(": ")} if self.where else {}
        return {
            "id": self.rubric.rubric_id,
            "text": self.rubric.text,
            **place,
            "score": float(self.ballot.met),
            "votes": self.ballot.counts,
            "rationale": self.ballot.reasoning,
        }


def _build_grade(rows: Sequence[_Row], per_turn: Sequence[float | None]) -> Grade:
    return Grade(
        score=mean(float(row.ballot.met) for row in rows),
        per_turn=tuple(per_turn),
        hits=tuple(f"{row.where}{row.rubric.text}" for row in rows if row.ballot.met),
        misses=tuple(
            add_reason(f"{row.where}{row.rubric.text}", row.ballot.reasoning)
            for row in rows
            if not row.ballot.met
        ),
        details={"rubrics": [row.details for row in rows]},
    )


def _group_scores(case: Case, rows: Sequence[_Row]) -> dict[str, Any]:
    """The scores of each turn, and of each rubric over all turns, by the keys of agentevals-cli."""
    ids = dict.fromkeys(row.rubric.rubric_id for row in rows)
    scores = {
        name: mean(float(row.ballot.met) for row in rows if row.rubric.rubric_id == name)
        for name in ids
    }
    return {
        "per_invocation": [
            {
                "invocation_id": turn.turn_id,
                "rubric_scores": [row.score for row in rows if row.turn == number],
            }
            for number, turn in enumerate(case.turns)
        ],
        "overall_rubric_scores": [
            {"rubric_id": name, "score": score, "rationale": None} for name, score in scores.items()
        ],
    }


def _count_votes(rubric_id: str, given: Sequence[dict[str, Any]]) -> Ballot:
    votes, reasons = [], []
    for answer in given:
        said = [verdict for verdict in answer["verdicts"] if verdict["id"] == rubric_id]
        against = [verdict for verdict in said if verdict["verdict"] != "yes"]
        votes.append(bool(said) and not against)
        decisive = (against or said)[:1]
        reasons.append(decisive[0]["rationale"] if decisive else "the judge left it out")
    return Ballot.decide(votes, reasons)
