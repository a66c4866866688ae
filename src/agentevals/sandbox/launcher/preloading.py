"""Imports for programs in Python: done once here instead of once in every child.

What a launcher has imported makes each of its children dearer, so that it imports in stages
and goes no further than its programs need.
"""

import gc
import importlib
from contextlib import suppress

# what evaluators in Python are written with
FOR_EVALUATORS = (
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
    "agentevals_evaluator_sdk",
)
STAGES = (
    ("dataclasses", "datetime", "json", "math", "pathlib", "random", "re", "typing"),
    (
        *("argparse", "asyncio", "decimal", "difflib", "logging", "statistics", "subprocess"),
        "traceback",
    ),
    FOR_EVALUATORS,
)
_reached = -1


def import_stages(stage: int) -> None:
    """Import what belongs to the stages up to this one; what children share is not to be moved."""
    global _reached  # noqa: PLW0603 -- the imports of a process are global as well
    if stage <= _reached:
        return
    for names in STAGES[_reached + 1 : stage + 1]:
        for name in names:
            with suppress(ImportError):
                importlib.import_module(name)
    _reached = stage
    gc.collect()
    gc.freeze()
    gc.disable()
