"""A baseline in one line of text, which the check run of a commit carries."""

import base64
import zlib
from collections.abc import Iterator
from typing import Any

import msgspec

from agentevals.compare.baselines import Baseline
from agentevals.model.errors import InputError

DIGEST = "agentevals-baseline:1:"  # begins a packed baseline; the number is that of its format

_UNPACKED = 16 * 2**20  # bytes a packed baseline may grow to
# what is dropped until it fits: what nobody decides by comes first
_LESS: tuple[dict[str, Any], ...] = (
    {"calls": ()},
    {"earlier": ""},
    {"recording": ""},
    {"outcomes": {}, "amounts": {}},
    {"family": ""},
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
    trend = msgspec.structs.replace(baseline.trend, strips={})
    baseline = msgspec.structs.replace(baseline, trend=trend)
    yield baseline
    cases = baseline.cases
    for members in _LESS:
        cases = tuple(msgspec.structs.replace(case, **members) for case in cases)
        yield msgspec.structs.replace(baseline, cases=cases)
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
