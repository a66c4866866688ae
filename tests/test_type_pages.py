from agentevals.graders import GRADERS
from tests import type_pages
from tests.type_pages import FAMILIES, FOLDER


def test_the_pages_are_what_the_code_says():
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}

    assert written == type_pages.write_pages(), "run: make docs"


def test_every_type_is_in_one_family_of_the_index():
    assert {type_pages.find_family(GRADERS[name]) for name in GRADERS.ours} == FAMILIES.keys()
    index = type_pages.write_index()
    assert [name for name in GRADERS.ours if index.count(f"]({name}.md)") != 1] == []


def test_a_page_says_which_evidence_and_which_eval_set_it_takes():
    page = type_pages.write_page("response_match_score")

    assert "does it need? | `answer` |" in page
    assert "| yes |" in page
    assert "(../graders.md#response_match_score)" in page


def test_a_type_without_settings_says_so():
    assert "It has no settings of its own." in type_pages.write_page("is_json")
