"""What a run is compared with: an earlier run, in as much detail as its place of storage allows."""

import base64
import zlib
from collections.abc import Iterator

import msgspec

from agentevals.compare.summaries import BaseCase, summarise_all
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.model.results import Evaluation, Identity, Report
from agentevals.model.review import Figure, Origin, Outcome, Point, Review

DIGEST = "agentevals-baseline:1:"  # begins a packed baseline; the number is that of its format
HISTORY = 30  # earlier runs that a trend shows
_UNPACKED = 16 * 2**20  # bytes a packed baseline may grow to


class Baseline(Noun, frozen=True):
    """An earlier run. Without `cases` only its figures are known, and nothing can be paired.

    `unjudged` are evaluators that were not asked, because asking them costs money.
    """

    identity: Identity
    origin: Origin = Origin()
    cases: tuple[BaseCase, ...] = ()
    figures: dict[str, Figure] = {}
    history: tuple[Point, ...] = ()
    unjudged: tuple[str, ...] = ()


class NoBaseline(Noun, frozen=True):
    """There is nothing to compare with, and why."""

    reason: str


def make_baseline(
    run: Evaluation | Report, origin: Origin, *, figures: dict[str, Figure] | None = None
) -> Baseline:
    """A run as one that later runs are compared with."""
    return Baseline(
        identity=run.identity,
        origin=origin,
        cases=tuple(summary.kept for summary in summarise_all(run.cases)),
        figures=figures or {},
    )


def find_outcome(review: Review, config: str, leg: str, origin: Origin) -> Baseline | NoBaseline:
    """The section of the same config, as the same leg of a matrix made it."""
    named = [section for section in review.sections if section.config == config]
    found = next((s for s in named if s.leg == leg), named[0] if len(named) == 1 else None)
    known = make_from_outcome(found, review, origin) if found else None
    if known is None:
        return NoBaseline(reason=f"the report of that run says nothing about {config}")
    return known


def make_from_outcome(section: Outcome, review: Review, origin: Origin) -> Baseline | None:
    """With what that run knew of earlier ones. None where the run is not told in full."""
    if section.report is None:
        return None
    scene = review.scene
    known = msgspec.structs.replace(
        origin, commit=origin.commit or scene.head_sha, made_at=origin.made_at or scene.made_at
    )
    figures = {gate.figure: gate.head for gate in section.gates if gate.head is not None}
    made = make_baseline(section.report, known, figures=figures)
    point = _point(section, figures, known)
    return msgspec.structs.replace(made, history=(*section.trend, point)[-HISTORY:])


def _point(section: Outcome, figures: dict[str, Figure], origin: Origin) -> Point:
    rate, cost = figures.get("pass_rate"), figures.get("cost")
    return Point(
        commit=origin.commit,
        made_at=origin.made_at,
        pass_rate=rate.value if rate else None,
        score=section.score,
        cost=cost.value if cost else None,
    )


def pack(baseline: Baseline, limit: int) -> str | None:
    """A text of at most that many characters, with less detail where that is needed."""
    for reduced in _reduce(baseline):
        compressed = zlib.compress(msgspec.json.encode(reduced), 9)
        text = DIGEST + base64.b64encode(compressed).decode()
        if len(text) <= limit:
            return text
    return None


def _reduce(baseline: Baseline) -> Iterator[Baseline]:
    yield baseline
    without_calls = tuple(msgspec.structs.replace(c, calls=()) for c in baseline.cases)
    yield msgspec.structs.replace(baseline, cases=without_calls)
    bare = tuple(msgspec.structs.replace(c, outcomes={}, amounts={}) for c in without_calls)
    yield msgspec.structs.replace(baseline, cases=bare)
    alone = msgspec.structs.replace(baseline.identity, cases={})
    yield msgspec.structs.replace(baseline, cases=(), identity=alone)


def unpack(text: str) -> Baseline:
    """The packed baseline in a text, or an InputError that says what is wrong with it."""
    start = text.find(DIGEST)
    if start < 0:
        msg = "there is no baseline in it"
        raise InputError(msg)
    words = text[start + len(DIGEST) :].split(maxsplit=1)
    try:
        compressed = base64.b64decode(words[0] if words else "", validate=True)
        expander = zlib.decompressobj()
        document = expander.decompress(compressed, _UNPACKED)
        if not expander.eof:
            msg = "the baseline in it is cut off, or larger than one can be"
            raise InputError(msg)
        return msgspec.json.decode(document, type=Baseline)
    except (ValueError, zlib.error, msgspec.DecodeError) as error:
        msg = f"the baseline in it cannot be read: {error}"
        raise InputError(msg) from None
