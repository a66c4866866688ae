import json

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_class import UipathClass
from tests.support import agentevals, case


def test_a_new_class_registers_and_judges_as_it_was_written(tmp_path):
    added = agentevals("evaluator", "add", "my-custom-evaluator", cwd=tmp_path)
    registered = agentevals("evaluator", "register", "my_custom_evaluator.py", cwd=tmp_path)

    folder = tmp_path / "evals" / "evaluators"
    written = json.loads((folder / "my-custom-evaluator.json").read_text())
    grader = UipathClass(
        name=written["id"],
        path=folder / "custom" / "my_custom_evaluator.py",
        config=written["evaluatorConfig"],
        criteria={"expectedWords": ["Paris", "Rome"]},
    )
    assert added.stdout == (
        "wrote evals/evaluators/custom/my_custom_evaluator.py\n\n"
        "register it:  agentevals evaluator register my_custom_evaluator.py\n"
    )
    assert registered.stdout == (
        "wrote evals/evaluators/custom/types/my-custom-evaluator-types.json\n"
        "wrote evals/evaluators/my-custom-evaluator.json\n"
    )
    assert grader.grade(case("It is paris."), Services()).score == 0.5


def test_what_cannot_be_registered_is_a_mistake_of_the_user(tmp_path):
    refused = agentevals("evaluator", "register", "nosuch", cwd=tmp_path)

    assert refused.returncode == 2
    assert refused.stderr == (
        "agentevals: Could not find 'nosuch.py' in evals/evaluators/custom folder; "
        "write one with `agentevals evaluator add`\n"
    )
