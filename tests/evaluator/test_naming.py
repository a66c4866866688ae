import pytest

from agentevals.evaluator import naming


@pytest.mark.parametrize("name", ["tool_use", "tool-use", "tooluse", "ToolUse", "tool.use"])
def test_case_and_separators_do_not_tell_names_apart(name):
    assert naming.fold(name) == "tooluse"


@pytest.mark.parametrize("name", ["ok", "politeness", "tool-order", "f1_score", "a" * 64])
def test_nothing_is_said_against_a_name_that_can_be_published(name):
    assert naming.find_objection(name) == ""


@pytest.mark.parametrize("name", ["a", "2nd", "Polite", "a__b", "a_", "é", "a" * 65, "", "ok\n"])
def test_a_name_that_does_not_fit_is_refused_with_what_would(name):
    assert "lower-case letters and digits" in naming.find_objection(name)


@pytest.mark.parametrize("name", ["class", "con", "com1", "built-in", "response_match_score"])
def test_a_name_that_means_something_is_reserved(name):
    assert naming.find_objection(name) == "it is reserved"
