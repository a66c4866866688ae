"""Programs of which one start judges several cases, if their author allows it."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Self, TypeVar

from pydantic import Field, StrictBool, model_validator

from agentevals.graders.grader import Services
from agentevals.graders.programs import ThirdPartyGrader, program_grants
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.kept_program_outputs import Attempt
from agentevals.sandbox.program_starts import Question

if TYPE_CHECKING:
    from agentevals.evaluator.evaluator_manifest import Capabilities

_MOST_BYTES = 4 << 20  # of the messages of a batch, beyond its first one

Answer = TypeVar("Answer")


class Exchange(NamedTuple, Generic[Answer]):
    """Holds how a program is told a case, asked, and understood."""

    encode: Callable[[Case], bytes]
    ask: Callable[[Sequence[Question], program_grants.Loan], Sequence[Answer | EvaluatorError]]
    read: Callable[[Answer], Grade]


class BatchGrader(ThirdPartyGrader):
    """A program that reads one case, or the cases of a batch, a line each."""

    batch: StrictBool = Field(
        default=False,
        exclude=True,
        description="Whether one start judges several cases: it reads a request on each line, and "
        "prints an answer on each line",
    )

    @model_validator(mode="after")
    def _check_batch(self) -> Self:
        if self.batch and self.judged:
            msg = (
                "'batch' cannot go with a judge, whose questions are counted for each case; remove "
                "one of them"
            )
            raise ValueError(msg)
        return self

    @property
    def batches(self) -> bool:
        return self.batch

    def exchange_lines(
        self,
        cases: Sequence[Case],
        services: Services,
        exchange: Exchange[Answer],
        asked: "Capabilities | None" = None,
    ) -> list[Grade | EvaluatorError]:
        """Judge cases in as few starts as their sizes allow."""
        kept = services.kept if self.is_repeatable else None
        with program_grants.lend(self, services, name=self.name, asked=asked) as loan:
            known = [_encode(exchange, case, Attempt(kept) if kept else None) for case in cases]
            questions = [one for one in known if isinstance(one, Question)]
            answers = iter(
                [
                    answer
                    for group in _group(questions)
                    for answer in zip(group, exchange.ask(group, loan), strict=True)
                ]
            )
            graded = [
                one if isinstance(one, EvaluatorError) else _read(exchange, *next(answers))
                for one in known
            ]
            for one in graded:
                if isinstance(one, EvaluatorError):
                    program_grants.hide_in_error(self, one)
            return graded


def take_grade(outcomes: Sequence[Grade | EvaluatorError]) -> Grade:
    """Return the grade of the only case of a batch, or raise why there is none."""
    (outcome,) = outcomes
    if isinstance(outcome, EvaluatorError):
        raise outcome
    return outcome


def _encode(
    exchange: Exchange[Answer], case: Case, attempt: Attempt | None
) -> Question | EvaluatorError:
    try:
        return Question(exchange.encode(case), attempt)
    except EvaluatorError as error:
        return error


def _group(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    """Yield questions that are not too large together."""
    group, size = list[Question](), 0
    for question in questions:
        size += len(question.message)
        if group and size > _MOST_BYTES:
            yield group
            group, size = [], len(question.message)
        group.append(question)
    if group:
        yield group


def _read(
    exchange: Exchange[Answer], question: Question, answer: Answer | EvaluatorError
) -> Grade | EvaluatorError:
    """Return the grade, and keep what it was read from."""
    if isinstance(answer, EvaluatorError):
        return answer
    try:
        grade = exchange.read(answer)
    except EvaluatorError as error:
        return error
    if question.attempt:
        question.attempt.keep()
    return grade
