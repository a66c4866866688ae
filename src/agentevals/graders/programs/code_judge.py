"""`code_judge`: a program of AgentV's kind judges, told all about a case on stdin."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, ConfigDict, Field, field_validator, model_validator

from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.programs import code_judge_answers, code_judge_payload, program_grants
from agentevals.graders.programs.grader_batches import BatchGrader, Exchange, take_grade
from agentevals.graders.programs.judge_program import JudgeProgram
from agentevals.graders.programs.program_grants import Loan, Target
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.isolation import BEST, Finished
from agentevals.sandbox.program_batches import Outcome
from agentevals.sandbox.program_starts import Question
from agentevals.text.json_text import encode

_NEAR = 0.85  # as alike as a word and the same word with a letter wrong, be it a short one

Words = Annotated[tuple[str, ...], Field(min_length=1)]


def _allow_both_names(schema: dict[str, Any]) -> None:
    """Either name of the command will do, and other keys are the judge's own settings."""
    schema["properties"]["script"] = schema["properties"]["command"] | {"deprecated": True}
    schema["required"] = [key for key in schema["required"] if key != "command"]
    named = [{"required": ["command"]}, {"required": ["script"]}]
    in_config = {"required": ["config"], "properties": {"config": {"anyOf": named}}}
    schema["anyOf"] = [*named, in_config]
    schema["additionalProperties"] = True


class CodeJudge(Assertion, BatchGrader):
    """A program that reads a payload and prints `{score, hits, misses, reasoning}`."""

    model_config = ConfigDict(json_schema_extra=_allow_both_names)

    type: ClassVar[str] = "code_judge"

    command: str | Words = Field(
        validation_alias=AliasChoices("command", "script"),
        description="The command: a list of words, or a text as in a shell",
    )
    cwd: Path = Field(default=Path(), description="The folder that it works in")
    beside: Path = Field(
        default=Path(),
        exclude=True,
        description="The folder for paths of the command that are not in `cwd`",
    )
    timeout: Annotated[float, Field(strict=True)] = Field(
        default=120, gt=0, allow_inf_nan=False, description="Seconds before it is ended"
    )
    config: dict[str, Any] = Field(default={}, description="Its own settings, handed to it")
    target: bool | Target = Field(
        default=False, description="Whether it may ask the judge model of the run, over HTTP"
    )

    @field_validator("command")
    @classmethod
    def _check_command(cls, given: str | tuple[str, ...]) -> str | tuple[str, ...]:
        first = given if isinstance(given, str) else given[0]
        if not first.strip() or any("\0" in word for word in given):
            msg = "must name a program that can be started, and not be empty"
            raise ValueError(msg)
        return given

    @model_validator(mode="before")
    @classmethod
    def _gather_settings(cls, given: Any) -> Any:
        """`script` is an old name of `command`, and what is no setting is its own."""
        if not isinstance(given, dict):
            return given
        fields = {k: v for k, v in given.items() if v is not None or k not in _COMMANDS}
        if fields.keys() >= _COMMANDS:
            msg = "'command' and 'script' are the same; give one of them"
            raise ValueError(msg)
        own = fields.get("config", {})
        unknown = [key for key in fields if key not in {*cls.model_fields, *_COMMANDS}]
        if not unknown or not isinstance(own, dict):
            return fields
        _refuse_misspelt(unknown, [*cls.model_fields, *_COMMANDS])
        return {key: value for key, value in fields.items() if key not in unknown} | {
            "config": {key: fields[key] for key in unknown} | own
        }

    @classmethod
    def owns_config(cls, settings: Mapping[str, Any]) -> bool:
        """It holds settings only where it names the program, and nothing beside it does."""
        config = settings.get("config")
        named = isinstance(config, Mapping) and not config.keys().isdisjoint(_COMMANDS)
        return not named or not settings.keys().isdisjoint(_COMMANDS)

    @property
    def content(self) -> str:
        return self._build_program(BEST).compute_digest()

    @property
    def asks_judge(self) -> Target | None:
        given = self.target or self.judge
        return given if isinstance(given, Target) else Target() if given else None

    @property
    def judged(self) -> bool:
        return self.asks_judge is not None

    def prepare(self) -> None:
        self._build_program(BEST).prepare()

    def problems(self) -> list[str]:
        return self._build_program(BEST).problems()

    def grade(self, case: Case, services: Services) -> Grade:
        if self.batch:
            return take_grade(self.grade_batch((case,), services))
        program = self._build_program(self.level(services))
        with program_grants.lend(self, services, name=self.name) as loan:
            finished = program.run(self._encode(case), name=self.name, loan=loan)
            loan.check(self.name)
            return loan.settle(self._read(finished), self.name)

    def grade_batch(
        self, cases: Sequence[Case], services: Services
    ) -> list[Grade | EvaluatorError]:
        program = self._build_program(self.level(services))

        def ask(questions: Sequence[Question], loan: Loan) -> list[Outcome]:
            return program.run_batch(questions, name=self.name, loan=loan)

        return self.exchange_lines(cases, services, Exchange(self._encode, ask, self._read))

    def _encode(self, case: Case) -> bytes:
        return encode(code_judge_payload.build_payload(case, self.config))

    def _read(self, finished: Finished) -> Grade:
        return code_judge_answers.read_grade(finished, name=self.name)

    def _build_program(self, level: str) -> JudgeProgram:
        return JudgeProgram(
            command=self.command,
            cwd=self.cwd,
            beside=self.beside if "beside" in self.model_fields_set else None,
            timeout=self.timeout,
            memory_mb=self.memory_mb,
            level=level,
        )


_COMMANDS = {"command", "script"}


def _refuse_misspelt(unknown: list[str], known: list[str]) -> None:
    for key in unknown:
        near = get_close_matches(str(key), known, n=1, cutoff=_NEAR)
        if near:
            msg = f"{key!r} is no setting (did you mean {near[0]!r}?); one of the judge's own "
            raise ValueError(msg + "belongs under 'config:'")
