"""`remote`: a program out of a registry judges, once it has been fetched."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace
from pydantic import AfterValidator, Field

from agentevals.evaluator import evaluator_lock, evaluator_names
from agentevals.evaluator.evaluator_lock import RemoteEvaluatorDef
from agentevals.evaluator.evaluator_manifest import (
    FILE,
    Capabilities,
    drop_own_keys,
    parse_manifest,
)
from agentevals.evaluator.publication_age import Age
from agentevals.evaluator.resolver import Fetched, get_default_resolver
from agentevals.graders.grader import Services
from agentevals.graders.programs.code import Program
from agentevals.graders.programs.grader_batches import take_grade
from agentevals.graders.programs.program_grants import note
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.errors import EvaluatorError


def _check_source(source: str) -> str:
    if source == "builtin":
        msg = "builtins are not fetched; use their name with type: builtin"
        raise ValueError(msg)
    return source


def _check_age(text: str) -> str:
    return Age.parse(text).text


class Remote(Program):
    """A program of a registry that speaks the protocol."""

    type: ClassVar[str] = "remote"

    source: Annotated[str, AfterValidator(_check_source)] = Field(
        default="github", description="The registry that has it"
    )
    ref: Annotated[str, AfterValidator(evaluator_names.check)] = Field(
        description="Its path there, such as evaluators/contains/contains.py, or its name, such as "
        "contains or contains@^1.2"
    )
    min_age: Annotated[str, AfterValidator(_check_age)] = Field(
        default="",
        description="How long ago its version must have been published, such as 12h, 7d or 2w",
    )
    lock: Path = Field(
        default=Path(evaluator_lock.FILE),
        exclude=True,
        description="The lock file, if there is one",
    )

    @property
    def content(self) -> str:
        pin = get_default_resolver().find_known(self.definition)
        return pin.sha256 if pin else ""

    @property
    def is_known(self) -> bool:
        return bool(self.content)

    @property
    def definition(self) -> RemoteEvaluatorDef:
        """The definition of what is fetched."""
        return RemoteEvaluatorDef(
            name=self.name,
            source=self.source,
            ref=self.ref,
            lock=self.lock.absolute(),
            age=Age(self.min_age) if self.min_age else None,
        )

    def list_needs(self, case: Case) -> frozenset[Fact]:
        """Return the facts that the config names, else those of the manifest that was fetched."""
        if "needs" in self.model_fields_set:
            return self.needs
        fetched = get_default_resolver().obtain(self.definition)
        return _read_manifest(_find_manifest(fetched)).needs

    def problems(self) -> list[str]:
        return [*get_default_resolver().problems(self.definition), *self.find_problems(None)]

    def grade(self, case: Case, services: Services) -> Grade:
        if self.batch:
            return take_grade(self.grade_batch((case,), services))
        fetched = get_default_resolver().obtain(self.definition)
        manifest = _read_manifest(_find_manifest(fetched))
        return _sign(self.run_program(fetched.path, case, services, manifest.asked), fetched)

    def grade_batch(
        self, cases: Sequence[Case], services: Services
    ) -> list[Grade | EvaluatorError]:
        fetched = get_default_resolver().obtain(self.definition)
        manifest = _read_manifest(_find_manifest(fetched))
        if not manifest.batch:
            note(services, self.name, "`batch: true` has no effect: its manifest does not allow it")
            alone = self.model_copy(update={"batch": False})
            return [_try(alone, case, services) for case in cases]
        graded = self.run_lines(fetched.path, cases, services, manifest.asked)
        return [one if isinstance(one, EvaluatorError) else _sign(one, fetched) for one in graded]


class _Manifest(NamedTuple):
    """The facts that a manifest needs, the rights that it asks for, and whether it reads lines."""

    needs: frozenset[Fact] = frozenset()
    asked: Capabilities | None = None
    batch: bool = False


def _find_manifest(fetched: Fetched) -> Path:
    return fetched.path.parents[fetched.pin.entrypoint.count("/")] / FILE


@cache
def _read_manifest(path: Path) -> _Manifest:
    """Read what matters here. A fact that nobody knows is none; nor is a request that is wrong."""
    try:
        content = path.read_bytes()
        matters = any(key in content for key in (b"needs", b"capabilities", b"batch"))
        said = parse_manifest(content) if matters else {}
    except (OSError, ValueError):
        return _Manifest()
    needs = said.get("needs")
    named = needs if isinstance(needs, list) else []
    facts = frozenset(fact for fact in Fact if fact.value in named)
    asked = _read_request(said) if "capabilities" in said else None
    return _Manifest(facts, asked, batch=said.get("batch") is True)


def _read_request(said: dict[str, Any]) -> Capabilities:
    try:
        return msgspec.convert(drop_own_keys(said)["capabilities"], Capabilities)  # type: ignore[index]
    except msgspec.ValidationError:
        return Capabilities()


def _try(grader: Remote, case: Case, services: Services) -> Grade | EvaluatorError:
    try:
        return grader.grade(case, services)
    except EvaluatorError as error:
        return error


def _sign(grade: Grade, fetched: Fetched) -> Grade:
    return replace(grade, details={**grade.details, "evaluator": _describe_source(fetched)})


def _describe_source(fetched: Fetched) -> dict[str, Any]:
    """Describe what judged, for the report; an evaluator cannot say it of itself."""
    pin = fetched.pin
    known = {"version": pin.version, "commit": pin.commit, "sha256": pin.sha256}
    return {
        "source": pin.source,
        "repository": pin.repository,
        "path": pin.path,
        **{name: value for name, value in known.items() if value},
        "pinned_by": fetched.pinned_by or None,
    }
