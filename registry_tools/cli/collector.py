"""Python's garbage collector, kept from looking through what is kept to the end anyway."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause() -> Iterator[None]:
    """Pause the garbage collector while a registry is read, and freeze what was read."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
