"""The base of every noun.

They are msgspec structs: a run makes tens of thousands of them, and a report is encoded from
them as they stand. What people write (configs) is validated by pydantic instead.
"""

import msgspec


class Noun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Base of everything that travels between the stages: immutable, cheap, serialisable.

    None of it is ever a part of a cycle, so that nobody has to look for one in millions of them.
    """
