"""Transcripts: what was said and done in a case. Pages show them, and reports keep none."""

from typing import Any

from agentevals.model.noun import Noun
from agentevals.model.results import CaseReport


class Call(Noun, frozen=True):
    """A tool call: `args` is None if it is not known, and `response` if nothing came back."""

    name: str
    args: Any = None
    response: Any = None
    error: str = ""
    agent: str = ""


class Exchange(Noun, frozen=True):
    """One turn: a question, the calls of the agent, and its answer. None is not known."""

    user: str = ""
    intermediate: tuple[str, ...] = ()
    answer: str | None = None
    calls: tuple[Call, ...] = ()
    tokens: tuple[int | None, int | None] = (None, None)
    milliseconds: float | None = None


class Bar(Noun, frozen=True):
    """A span in the waterfall: its depth, and when it began and how long it took."""

    name: str
    depth: int = 0
    start_ms: float = 0.0
    milliseconds: float = 0.0
    failed: bool = False


class Transcript(Noun, frozen=True):
    """A recorded case beside what is expected of it. `left_out` says what was cut."""

    turns: tuple[Exchange, ...] = ()
    expected: tuple[Exchange, ...] | None = None
    unpaired: str = ""
    spans: tuple[Bar, ...] = ()
    left_out: tuple[str, ...] = ()


class KeptCase(CaseReport, frozen=True):
    """A case with its transcript; once no secret is left in it, that is compressed JSON."""

    transcript: Transcript | bytes = b""


def drop_transcript(case: CaseReport) -> CaseReport:
    """Return the case as reports keep it."""
    if not isinstance(case, KeptCase):
        return case
    members = {name: getattr(case, name) for name in CaseReport.__struct_fields__}
    if case.attempts:
        members["attempts"] = tuple(map(drop_transcript, case.attempts))
    return CaseReport(**members)
