import pytest

from agentevals.model.errors import ConfigError
from registry_tools.index import tombstones

WHOLE = b"""\
removed:
  old_name: {reason: it never worked, replaced_by: new_name}
transferred:
  politeness: {to: [7, 8], reason: agreed}
yanked:
  politeness: {"1.0.0": it crashed}
"""


def test_without_a_file_nothing_was_decided():
    assert tombstones.read(None) == tombstones.Tombstones()
    assert tombstones.read(b"# removed:\n\n") == tombstones.Tombstones()


def test_all_of_it_is_read():
    found = tombstones.read(WHOLE)

    assert found.list_removed()["old_name"].replaced_by == "new_name"
    assert found.yanked == {"politeness": {"1.0.0": "it crashed"}}


@pytest.mark.parametrize(
    ("ids", "allowed"), [({7}, True), ({7, 8}, True), ({7, 9}, False), (set(), False)]
)
def test_a_transfer_names_everybody_who_may_be_left(ids, allowed):
    found = tombstones.read(WHOLE)

    assert found.allows("politeness", frozenset(ids)) is allowed
    assert not found.allows("another", frozenset(ids))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"removed:\n  old: {}\n", "missing required field `reason`"),
        (b"remove:\n  old: {reason: wrong}\n", "unknown field `remove`"),
        (b"removed: [x]\n", "Expected `object`"),
        (b"removed:\n  X Y: {reason: wrong}\n", "matching regex"),
        (b"removed:\n  a: {reason: x}\n  a: {reason: y}\n", "tombstones.yaml:3:3: 'a' is here"),
        (b"a: &x 1\n", "tombstones.yaml:1:4: "),
        (b"a: [", "not valid YAML"),
        (b"\xff", "this is not UTF-8"),
        (b"a: " + b"[" * 60_000, "nested deeper"),
        (b'yanked:\n  old: {"1": wrong}\n', "matching regex"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(content, said):
    with pytest.raises(ConfigError) as error:
        tombstones.read(content)

    assert said in str(error.value)
    assert "evaluators/.tombstones.yaml" in str(error.value)
