"""A program that prints the prompt for a model, told about a case as a code judge is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from agentevals.graders.programs.judges import payload
from agentevals.graders.programs.judges.running import JudgeProgram
from agentevals.model.cases import Case
from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.isolation import BEST
from agentevals.text.json_ import encode

_STDERR_SHOWN = 500  # characters, of the end

Words = Annotated[tuple[str, ...], Field(min_length=1)]


class PromptProgram(BaseModel):
    """A program that reads all about a case on stdin and prints the prompt for the judge."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    command: str | Words = Field(
        validation_alias=AliasChoices("command", "script"),
        description="What is started: a list of words, or a text as in a shell",
    )
    config: dict[str, Any] = Field(default={}, description="Its own settings, handed to it")
    timeout: float = Field(
        default=60, gt=0, allow_inf_nan=False, description="Seconds before it is ended"
    )

    def print_prompt(
        self, case: Case, *, name: str, folder: Path, config: Mapping[str, Any], level: str = BEST
    ) -> str:
        """The prompt for a case, or an EvaluatorError that says why there is none."""
        message = encode(payload.build_payload(case, {**config, **self.config}))
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
        """What is run, in the folder of the config."""
        return JudgeProgram(command=self.command, cwd=folder, timeout=self.timeout, level=level)
