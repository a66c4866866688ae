"""A review: all outcomes of a pull request, and where they were made. Data only."""

from enum import StrEnum

import msgspec

from agentevals.model.noun import Noun
from agentevals.model.outcome import Counts, Outcome
from agentevals.model.results import Finding, Verdict
from agentevals.model.rule_changes import Rules

SCHEMA_VERSION = "1.0"


class State(StrEnum):
    """The progress of a review."""

    RUNNING = "running"
    DONE = "done"
    UNCHANGED = "unchanged"  # nothing that is evaluated was changed, so nothing was evaluated
    UNAFFECTED = "unaffected"  # neither the agent was changed nor anything that judges it
    BROKEN = "broken"  # a config, an input or something outside kept us from judging
    CANCELLED = "cancelled"  # the sections hold what was known by then


class Scene(Noun, frozen=True, omit_defaults=False):
    """The place and the event that a review was made for."""

    server_url: str = ""
    repository: str = ""
    event: str = ""
    number: int | None = None
    head_sha: str = ""
    head_ref: str = ""
    base_sha: str = ""
    base_ref: str = ""
    run_id: int = 0
    run_number: int = 0
    run_attempt: int = 1
    run_url: str = ""
    workflow: str = ""
    job: str = ""
    leg: str = ""
    fork: bool = False
    secondhand: bool = False  # told by another run, which anybody may have made say anything
    made_at: str = ""
    artifact_url: str | msgspec.UnsetType = msgspec.UNSET  # of the report folder, once it is kept

    @property
    def order(self) -> tuple[int, int]:
        """Later runs are greater; what is older must not replace what is newer."""
        return self.run_number, self.run_attempt


class Review(Noun, frozen=True, omit_defaults=False):
    """Everything that is published at once. The one source of verdict, words and exit code.

    There is no verdict where nothing was evaluated.
    """

    scene: Scene
    verdict: Verdict | None
    exit_code: int
    state: State = State.DONE
    sections: tuple[Outcome, ...] = ()
    notes: tuple[Finding, ...] = ()
    key: str = ""
    version: str = ""
    image: str = ""
    rules: Rules | msgspec.UnsetType = msgspec.UNSET
    schema_version: str = SCHEMA_VERSION

    @property
    def counts(self) -> Counts:
        """The counts of all sections together."""
        names = Counts.__struct_fields__
        return Counts(**{n: sum(getattr(s.counts, n) for s in self.sections) for n in names})
