from tests import rule_pages


def test_every_rule_has_its_page_and_says_there_what_the_code_says():
    written = {path.name: path.read_text(encoding="utf-8") for path in rule_pages.FOLDER.iterdir()}

    assert written == rule_pages.pages(), "run: make docs"
