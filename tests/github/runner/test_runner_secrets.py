"""The secrets that a step holds by design, and those that its input `mask` names."""

import pytest

from agentevals.github.runner.runner_secrets import collect_secrets, find_short_masks


def test_the_secrets_that_we_hold_are_known_by_their_variables():
    environ = {"ACTIONS_RUNTIME_TOKEN": "runtime", "KEY": "judge-key", "HOME": "/root", "T": "a"}

    assert collect_secrets(environ, "token", ["KEY", "T", "MISSING"]) == (
        "token",
        "runtime",
        "judge-key",
    )


def test_a_line_of_mask_is_the_name_of_a_variable_or_a_text_itself():
    environ = {
        "INPUT_MASK": "\n CUSTOMER \n\nprices, first\nEMPTY\nNOT_SET\n",
        "CUSTOMER": "Acme Corp",
        "EMPTY": "",
    }

    assert collect_secrets(environ) == ("Acme Corp", "prices, first", "NOT_SET")


@pytest.mark.parametrize("mask", ["Acme Corp", "EMPTY", "", "HOME", "1234"])
def test_an_empty_variable_and_four_characters_are_no_mistake(mask):
    environ = {"INPUT_MASK": mask, "EMPTY": "", "HOME": "/root"}

    assert list(find_short_masks(environ)) == []


@pytest.mark.parametrize("mask", ["fine enough\nabc", "fine enough\nPIN"])
def test_a_text_that_is_part_of_too_many_words_is_a_mistake_that_does_not_show_it(mask):
    (found,) = find_short_masks({"INPUT_MASK": mask, "PIN": "123"})

    assert "entry 2" in found
    assert "abc" not in found
    assert "123" not in found
