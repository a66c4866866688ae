import pytest

from registry_tools.manifests import registry_tombstones

WHOLE = b"""\
removed:
  old_name: {reason: it never worked, replaced_by: new_name}
transferred:
  politeness: {to: [7, 8], reason: agreed}
yanked:
  politeness: {"1.0.0": it crashed}
"""


def test_without_a_file_nothing_was_decided():
    assert registry_tombstones.read(None) == (registry_tombstones.Tombstones(), ())
    assert registry_tombstones.read(b"# removed:\n\n") == (registry_tombstones.Tombstones(), ())


def test_all_of_it_is_read():
    found, problems = registry_tombstones.read(WHOLE)

    assert problems == ()
    assert found.list_removed()["old_name"].replaced_by == "new_name"
    assert found.yanked == {"politeness": {"1.0.0": "it crashed"}}


@pytest.mark.parametrize(
    ("ids", "allowed"), [({7}, True), ({7, 8}, True), ({7, 9}, False), (set(), False)]
)
def test_a_transfer_names_everybody_who_may_be_left(ids, allowed):
    found = registry_tombstones.read(WHOLE).decisions

    assert found.allows("politeness", frozenset(ids)) is allowed
    assert not found.allows("another", frozenset(ids))


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        (b"removed:\n  old: {}\n", (2, 8), "'removed.old.reason' is missing"),
        (b"remove:\n  old: {reason: x}\n", (1, 1), "unknown key 'remove'; did you mean 'removed'?"),
        (b"removed: [x]\n", (1, 10), "'removed' must be a mapping, not a list"),
        (b"removed:\n  X Y: {reason: wrong}\n", (2, 3), "must be letters and digits"),
        (b"removed:\n  aa: {reason: x}\n  aa: {reason: y}\n", (3, 3), "'aa' is here twice"),
        (b"a: &x 1\n", (1, 4), "the anchor &x is for repeating"),
        (b"a: [", (1, 5), "not valid YAML"),
        (b"\xff", (1, 1), "this is not UTF-8"),
        (b"a: " + b"[" * 60_000, (1, 35), "nested deeper"),
        (b'yanked:\n  old: {"1": wrong}\n', (2, 9), "three numbers as semver has them"),
        (b'yanked:\n  old: {"1.0.0": n}\n', (2, 18), "write \"n\""),
        (b'yanked:\n  old: {"1.0.0": {}}\n', (2, 18), "must be text, not a mapping"),
        (b"transferred:\n  old: {to: [], reason: x}\n", (2, 13), "must not be empty"),
        (b"transferred:\n  old: {to: [0], reason: x}\n", (2, 14), "must be 1 or more, not 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(content, place, said):
    [problem, *_] = registry_tombstones.read(content).problems

    assert said in problem.advice
    assert (problem.line, problem.column) == place


def test_a_decision_that_cannot_be_read_costs_only_itself():
    content = WHOLE + b'  kindness: {"1.0.0": [], "1.1.0": it lied}\nremovd: {}\n'
    found, problems = registry_tombstones.read(content)

    assert len(problems) == 2
    assert found.yanked["kindness"] == {"1.1.0": "it lied"}
    assert found.yanked["politeness"] == {"1.0.0": "it crashed"}
    assert found.removed.keys() == {"old_name"}


def test_keys_of_ones_own_are_passed():
    content = b"x-notes: ours\nremoved:\n  old: {reason: wrong, x-issue: 5}\n"
    found, problems = registry_tombstones.read(content)

    assert problems == ()
    assert found.removed["old"].reason == "wrong"
