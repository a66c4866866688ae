from tests.github.events.reading import CHECKED_OUT, part


def test_a_payload_without_a_repository_is_enough():
    assert part("schedule", "schedule") == {
        "head_sha": CHECKED_OUT,
        "head_ref": "main",
        "base_ref": "main",
        "is_base_run": True,
    }
