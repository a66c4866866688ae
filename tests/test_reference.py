from tests import reference


def test_the_reference_page_is_what_the_code_says():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run: make generated"
