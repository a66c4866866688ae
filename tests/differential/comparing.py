"""A round: cases are run by the real system, and ours is compared with what came of them."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conformance.__main__ import SYSTEMS as COMPARISONS
from tests.conformance.rows import Difference, Row
from tests.differential.systems import Case, System
from tests.frameworks.installing import Installed


def compare(name: str, system: System, cases: Sequence[Case], installed: Installed) -> list[Row]:
    """The comparison of each case, in their order; a case without a row has one that says so."""
    results = system.run(cases, installed)
    with tempfile.TemporaryDirectory() as folder:
        system.write(Path(folder), cases, results)
        found = {row.name.rpartition("/")[2]: row for row in COMPARISONS[name].rows(Path(folder))}
    return [found.get(case.name) or _miss(case) for case in cases]


def _miss(case: Case) -> Row:
    return Row(case.name, unexplained=(Difference("row", "a comparison", "none was made"),))


def check_driver(system: System, cases: Sequence[Case], installed: Installed) -> Iterator[str]:
    """Whether the command that people type says the same as the library that we drive."""
    for case in cases:
        [driven] = system.run([case], installed)
        typed = system.run_command(case, installed)
        if driven != typed:
            yield f"{case.name}: the library gave {driven!r}, the command {typed!r}"
