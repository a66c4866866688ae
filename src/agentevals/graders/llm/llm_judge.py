"""`llm_judge`: a model reads a prompt of the user's and gives a score."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import NO_ANSWER, Services, TextOrFile
from agentevals.graders.llm.questions import TargetedGrader, agentv_questions, prompt_placeholders
from agentevals.graders.llm.questions.rubric_criteria import Criteria
from agentevals.graders.programs import code_judge_payload
from agentevals.graders.programs.judge_program import JudgeProgram
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import isolation
from agentevals.sandbox.isolation import BEST
from agentevals.text.json_text import encode

_STDERR_SHOWN = 500  # characters, of the end

Words = Annotated[tuple[str, ...], Field(min_length=1)]


class PromptProgram(BaseModel):
    """A program that reads all about a case on stdin and prints the prompt for the judge."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    command: str | Words = Field(
        validation_alias=AliasChoices("command", "script"),
        description="The command: a list of words, or a text as in a shell",
    )
    config: dict[str, Any] = Field(default={}, description="Its own settings, handed to it")
    timeout: float = Field(
        default=60, gt=0, allow_inf_nan=False, description="Seconds before it is ended"
    )

    def print_prompt(
        self, case: Case, *, name: str, folder: Path, config: Mapping[str, Any], level: str = BEST
    ) -> str:
        """The prompt for a case, or an EvaluatorError that says why there is none."""
        message = encode(code_judge_payload.build_payload(case, {**config, **self.config}))
        finished = self.build_program(folder, level).run(message, name=name)
        if finished.exit_code != 0:
            said = finished.stderr.strip()[-_STDERR_SHOWN:] or "it said nothing"
            code = f"exited with code {finished.exit_code}"
            msg = f"evaluator {name!r}: the program of its prompt {code}: {said}"
            raise EvaluatorError(msg)
        prompt = finished.stdout.decode(errors="replace").strip()
        if not prompt:
            msg = f"evaluator {name!r}: the program of its prompt printed nothing"
            raise EvaluatorError(msg)
        return prompt

    def build_program(self, folder: Path, level: str = BEST) -> JudgeProgram:
        """Return the program, which runs in the folder of the config."""
        return JudgeProgram(command=self.command, cwd=folder, timeout=self.timeout, level=level)


_FILE_NAME = re.compile(r"(file://)?\S+\.(md|markdown|txt|text|prompt|j2|jinja2?|tmpl)")


class LLMJudge(Assertion, TargetedGrader):
    """The score that a model gives to the answer, with what it found well done and what not."""

    type = "llm_judge"

    prompt: Annotated[str | PromptProgram | None, TextOrFile()] = Field(
        default=None,
        validation_alias=AliasChoices("prompt", "value"),
        description="What the judge is asked: a text, or the file that holds it, or a program "
        "that prints it. `{{answer}}`, `{{question}}`, `{{criteria}}` and others stand for what "
        "is judged; a prompt without any of them is the criteria of the usual one",
    )
    template: Annotated[str | None, TextOrFile()] = Field(
        default=None,
        validation_alias=AliasChoices("template", "evaluatorTemplate", "evaluator_template"),
        description="The prompt where none is given, in place of the usual one",
    )
    rubrics: Criteria = Field(
        default=(), description="Criteria that are judged one by one, as `rubric` does"
    )
    config: dict[str, Any] = Field(
        default={},
        description="What a program that prints the prompt is handed; without one, settings that "
        "may stand here as well as beside it",
    )
    folder: Path = Field(
        default=Path(), exclude=True, description="Where the program that prints the prompt works"
    )

    @classmethod
    def owns_config(cls, settings: Mapping[str, Any]) -> bool:
        """It holds settings unless a program beside it prints the prompt."""
        return isinstance(settings.get("prompt", settings.get("value")), Mapping)

    @field_validator("prompt", "template")
    @classmethod
    def _check_places(cls, given: Any, info: ValidationInfo) -> Any:
        if not isinstance(given, str):
            return given
        if not given.strip():
            msg = f"is empty; give a text, or omit '{info.field_name}' for the usual prompt"
            raise ValueError(msg)
        if _FILE_NAME.fullmatch(given.strip()):
            msg = f"there is no file {given.strip()!r} to read it from"
            raise ValueError(msg)
        return prompt_placeholders.check_names(given)

    @property
    def content(self) -> str:
        return self._program.compute_digest() if self._program else ""

    def prepare(self) -> None:
        if self._program:
            isolation.start()

    def problems(self) -> list[str]:
        return self._program.problems() if self._program else []

    @property
    def _program(self) -> JudgeProgram | None:
        own = self.prompt if isinstance(self.prompt, PromptProgram) else None
        return own.build_program(self.folder) if own else None

    def list_needs(self, case: Case) -> frozenset[Fact]:
        if isinstance(self.prompt, PromptProgram):
            return frozenset({Fact.ANSWER})
        own = self.prompt if self.prompt and prompt_placeholders.list_names(self.prompt) else None
        template = own or self.template or agentv_questions.TEMPLATE
        return prompt_placeholders.list_facts(template, case) or frozenset({Fact.ANSWER})

    @property
    def _inert(self) -> dict[str, Any]:
        return super()._inert if self._program else super()._inert | {"config": self.config}

    def grade(self, case: Case, services: Services) -> Grade:
        if not case.turns:
            return Grade.not_evaluated(NO_ANSWER)
        judge = self.select_judge(services)
        template, case = self._build_prompt(case, services)
        if self.rubrics:
            return self.add_inert(agentv_questions.grade(judge, case, self.rubrics, template))
        prompt = prompt_placeholders.fill(template or agentv_questions.TEMPLATE, case)
        return self.add_inert(agentv_questions.ask_opinion(judge, prompt))

    def _build_prompt(self, case: Case, services: Services) -> tuple[str, Case]:
        """The prompt, or none for the usual one.

        One that shows nothing says what to look for: otherwise no answer would be looked at.
        """
        usual = self.template or ""
        if self.prompt is None:
            return usual, case
        if isinstance(self.prompt, PromptProgram):
            level = services.isolation or BEST
            printed = self.prompt.print_prompt(
                case, name=self.name, folder=self.folder, config=self.config, level=level
            )
            return printed, case
        if prompt_placeholders.list_names(self.prompt):
            return self.prompt, case
        return usual, replace(case, criteria=self.prompt)
