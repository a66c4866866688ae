"""Which members of a report its JSON Schemas require."""

from collections.abc import Iterator

import msgspec
import pytest

from agentevals.model.noun import Noun
from agentevals.report.outputs import report, review


def kinds(base: type[Noun] = Noun) -> Iterator[tuple[str, type[Noun]]]:
    """Every noun, by the name that it has in a schema."""
    for kind in base.__subclasses__():
        yield kind.__name__, kind
        yield from kinds(kind)


@pytest.mark.parametrize("output", [report, review], ids=["report", "review"])
def test_a_member_that_is_written_only_where_it_applies_is_not_required(output):
    definitions = output.schema()["$defs"]
    known = [(name, kind) for name, kind in kinds() if name in definitions]

    absent = [
        (name, field.name)
        for name, kind in known
        for field in msgspec.structs.fields(kind)
        if field.default is msgspec.UNSET and field.name in definitions[name]["required"]
    ]

    assert known
    assert absent == [], "list them in agentevals.report.members, with what their absence means"
