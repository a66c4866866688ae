"""The answer is well-formed XML and nothing else."""

import re
from xml.parsers import expat

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[\w-]*\n(?P<inside>.*?)\n?(?P=fence)", re.DOTALL)


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    root: str | None = None
    fenced: bool = False


@evaluator
def well_formed_xml(given: EvalInput) -> EvalResult:
    """The share of answers that every XML parser reads."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    answers = [turn.final_response for turn in given.invocations]
    found = [None if answer is None else find_mistake(answer, settings) for answer in answers]
    scores = [None if mistake is None else float(not mistake) for mistake in found]
    issues = [f"turn {at}: {mistake}" for at, mistake in enumerate(found, start=1) if mistake]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated("there is no answer")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def unwrap(answer: str, settings: Settings) -> str:
    """Return what is in the only block of code, where that is accepted."""
    fenced = FENCED.fullmatch(answer.strip()) if settings.fenced else None
    return fenced["inside"] if fenced else answer


class RefusedError(Exception):
    """Well-formed, but not what is wanted."""


def find_mistake(answer: str, settings: Settings) -> str:
    """Return what is wrong with an answer; "" for nothing."""
    parser = expat.ParserCreate(namespace_separator="}")
    names: list[str] = []

    def start(name: str, _: object) -> None:
        names.append(name.rpartition("}")[2])
        parser.StartElementHandler = None

    def refuse(*_: object) -> None:
        msg = "it declares entities"
        raise RefusedError(msg)

    parser.StartElementHandler = start
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(unwrap(answer, settings).strip().encode(errors="replace"), True)
    except expat.ExpatError as error:
        return f"line {error.lineno}, column {error.offset + 1}: {expat.ErrorString(error.code)}"
    except RefusedError as error:
        return str(error)
    if settings.root and names[0] != settings.root:
        return f"the root is <{names[0]}>, not <{settings.root}>"
    return ""


def not_evaluated(reason: str) -> EvalResult:
    """Nothing was judged, and why."""
    status = EvalStatus.NOT_EVALUATED
    return EvalResult(score=0.0, status=status, details={"reason": reason})


def complaint(error: ValidationError) -> str:
    """Everything that is wrong with the config, in one line."""
    return "; ".join(
        ".".join(["config", *map(str, each["loc"])])
        + f": {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()
    )


if __name__ == "__main__":
    well_formed_xml.run()
