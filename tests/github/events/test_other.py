from agentevals.github.payload import Environment
from tests.github.events.reading import CHECKED_OUT, part


def test_what_is_checked_out_is_evaluated():
    environment = Environment(sha=CHECKED_OUT, ref="refs/tags/v1.0.0")

    assert part("other", "release", environment) == {
        "head_sha": CHECKED_OUT,
        "head_ref": None,
        "number": None,
    }
