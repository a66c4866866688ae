import re

from tests import action_tables


def test_the_tables_of_the_page_are_what_the_code_says():
    assert action_tables.PAGE.read_text(encoding="utf-8") == action_tables.page(), "run: make docs"


def test_every_table_is_on_the_page():
    shown = re.findall(r"<!-- generated: ([a-z ]+) -->", action_tables.PAGE.read_text())

    assert shown == list(action_tables.TABLES)
