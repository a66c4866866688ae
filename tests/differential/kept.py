"""Cases that were wrong once, made smaller, with what the real system said: `make test` runs them.

They lie in tests/data/differential/SYSTEM/NAME, each as a recording that conformance reads.
"""

import shutil
from pathlib import Path
from typing import Any

from tests.differential.systems import Case, System
from tests.support import DATA

FOLDER = DATA / "differential"


def keep(name: str, system: System, case: Case, result: Any) -> None:
    """Write a case as a test."""
    folder = FOLDER / name / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    system.write(folder, [case], [result])


def list_kept(name: str) -> list[Path]:
    """The folders of what was kept of a system."""
    return sorted((FOLDER / name).iterdir()) if (FOLDER / name).is_dir() else []
