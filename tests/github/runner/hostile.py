"""Text by somebody who wants the runner of GitHub to do something for them."""

import random
from collections.abc import Iterator

from tests.github.runner.grammar import KNOWN

_PIECES = (
    *(f"::{name}::" for name in sorted(KNOWN)),
    *(f"##[{name}]" for name in sorted(KNOWN)),
    "::error file=a.py,line=1,title=x::",
    "##[error file=a.py;]",
    "::stop-commands::token",
    *(
        " ",
        "  ",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\v",
        "\f",
        "\x1c",
        "\x85",
        "\u2028",
        "\u2029",
        "\u3000",
    ),
    *("\xa0", "\u180e", "\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\xad", "\x00", "\ud800"),
    *("\x1b[31m", "\x1b[0m", "\x1b]0;x\x07", "\x1b", "\x9b31m", "\x08", "\x7f"),
    *("%0A", "%0D", "%25", "%3A", "%", ":", "::", "#", "##", "##[", "[", "]", ",", ";", "="),
    *("\u2236", "\uff1a", "\u2a74", "\uff03", "text", "é", "日本", "👍"),
)


def strings(count: int, seed: int) -> Iterator[str]:
    """The same ones every time."""
    chance = random.Random(seed)
    for _ in range(count):
        yield "".join(chance.choices(_PIECES, k=chance.randint(1, 12)))
