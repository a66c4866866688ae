import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.model.errors import InputError
from registry_tools.cli import decision_writing
from registry_tools.manifests import registry_tombstones

WHOLE = """\
# decisions of 2026

removed:  # the lot
  # it was the first
  old_name: {reason: it never worked, replaced_by: new_name}   # issue 3

yanked:
  politeness:
    "1.0.0": it crashed
    "1.1.0": it lied  # issue 4
  kindness: {"1.0.0": it crashed}
# the end
"""


def test_a_version_is_added_behind_the_others_of_its_name():
    text = decision_writing.put(WHOLE, ("yanked", "politeness", "1.2.0"), "slow: #1 {x}")

    line = '    "1.2.0": "slow: #1 {x}"\n'
    assert text == WHOLE.replace("  # issue 4\n", f"  # issue 4\n{line}")


def test_a_version_is_added_within_braces():
    text = decision_writing.put(WHOLE, ("yanked", "kindness", "1.2.0"), "slow")

    assert text == WHOLE.replace("it crashed}", 'it crashed, "1.2.0": "slow"}')


def test_a_name_is_added_at_the_end_of_its_section():
    text = decision_writing.put(WHOLE, ("removed", "rude"), {"reason": "mine"})

    line = '  rude: {reason: "mine"}\n'
    assert text == WHOLE.replace("  # issue 3\n", f"  # issue 3\n{line}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'removed:\n  rude: {reason: "mine"}\n'),
        ("# nothing yet", '# nothing yet\nremoved:\n  rude: {reason: "mine"}\n'),
        ("{}\n", '{removed: {rude: {reason: "mine"}}}\n'),
        ("removed:\n", 'removed:\n  rude: {reason: "mine"}\n'),
        ("removed: {}  # none\n", 'removed: {rude: {reason: "mine"}}  # none\n'),
        ("removed:\n  aa: {reason: x}", 'removed:\n  aa: {reason: x}\n  rude: {reason: "mine"}\n'),
        (
            "removed:\n    aa:\n        reason: x\n\n# end\n",
            'removed:\n    aa:\n        reason: x\n    rude: {reason: "mine"}\n\n# end\n',
        ),
    ],
)
def test_a_section_is_made_where_there_is_none(before, after):
    assert decision_writing.put(before, ("removed", "rude"), {"reason": "mine"}) == after


def test_a_decision_is_taken_away_with_its_line_alone():
    text = decision_writing.drop(WHOLE, ("yanked", "politeness", "1.0.0"))

    assert text == WHOLE.replace('    "1.0.0": it crashed\n', "")


def test_what_is_empty_then_goes_as_well():
    text = decision_writing.drop(WHOLE, ("removed", "old_name"))

    assert "removed" not in text
    assert "# it was the first" in text
    assert text.endswith("# the end\n")


@pytest.mark.parametrize(("version", "left"), [("1.0.0", '"2.0.0": b'), ("2.0.0", '"1.0.0": a')])
def test_an_item_within_braces_goes_with_its_comma(version, left):
    text = 'yanked: {kind: {"1.0.0": a, "2.0.0": b}}\n'

    assert (
        decision_writing.drop(text, ("yanked", "kind", version))
        == f"yanked: {{kind: {{{left}}}}}\n"
    )


def test_what_cannot_be_changed_without_loss_is_left_as_it_is():
    text = 'yanked: {kind: {"1.0.0": bad # why\n}}\n'
    with pytest.raises(InputError, match="change its lines yourself"):
        decision_writing.put(text, ("yanked", "kind", "2.0.0"), "worse")


@pytest.mark.parametrize("name", ["no", "on", "yes"])
def test_a_name_that_readers_disagree_on_is_quoted(name):
    text = decision_writing.put("", ("removed", name), {"reason": "x"})

    assert f'"{name}"' in text
    assert list(registry_tombstones.read(text.encode()).decisions.removed) == [name]


NAMES = st.from_regex(r"[a-z][a-z0-9]{1,5}([_-][a-z0-9]{1,3}){0,2}", fullmatch=True)
REASONS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=40
)


@given(st.lists(st.tuples(NAMES, REASONS), min_size=1, max_size=6, unique_by=lambda one: one[0]))
def test_what_was_put_is_read_and_dropped_again(decided):
    text = WHOLE
    for name, reason in decided:
        text = decision_writing.put(text, ("removed", name), {"reason": reason})
    found = registry_tombstones.read(text.encode()).decisions.removed

    assert {name: found[name].reason for name, _ in decided} == dict(decided)

    for name, _ in decided:
        text = decision_writing.drop(text, ("removed", name))

    assert text == WHOLE
