"""Python's garbage collector, kept from looking through what is kept to the end anyway."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def idle() -> Iterator[None]:
    """While a registry is read; what was made by then is not looked through later, either."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
