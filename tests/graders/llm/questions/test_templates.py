import pytest

from agentevals.graders.llm.questions.templates import check_places, fill, find_places

KNOWN = ("item.actual_response", "item.expected_response")


@pytest.mark.parametrize(
    "written",
    ["{{item.actual_response}}", "{{ item.actual_response }}", "{{\n item.actual_response\t}}"],
)
def test_white_space_does_not_matter(written):
    assert find_places(written) == ["item.actual_response"]
    assert fill(f"a {written} b", str.upper) == "a ITEM.ACTUAL_RESPONSE b"


def test_a_known_place_is_fine():
    assert check_places("{{ item.actual_response }}", KNOWN) == "{{ item.actual_response }}"


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("{{ item.actual_respones }}", "did you mean 'item.actual_response'"),
        ("{{ sample.output_text }}", "known: item.actual_response, item.expected_response"),
        ("{{ }}", "known: item.actual_response"),
    ],
)
def test_an_unknown_place_is_named_with_what_is_known(template, hint):
    with pytest.raises(ValueError, match=hint):
        check_places(template, KNOWN)


def test_what_is_filled_in_is_not_a_template():
    assert fill("{{ a }}", lambda _: "{{ b }} \\1") == "{{ b }} \\1"
