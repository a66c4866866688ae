from tests import reference


def test_the_reference_page_is_what_the_code_says():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run: make docs"


def test_it_has_every_command_also_those_of_groups_and_of_the_registry_tools():
    names = {command.command_path.removeprefix("agentevals ") for command in reference.commands()}

    assert {"run", "evaluator add", "evaluator register", "registry new"} <= names
