from agentevals.github.payload import Scene
from tests.github.events.reading import CHECKED_OUT, part


def test_what_is_checked_out_is_evaluated():
    scene = Scene(sha=CHECKED_OUT, ref="refs/tags/v1.0.0")

    assert part("other", "release", scene) == {
        "head_sha": CHECKED_OUT,
        "head_ref": None,
        "number": None,
    }
