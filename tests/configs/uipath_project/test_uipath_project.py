import pytest

from agentevals.configs.uipath_project import Names, write_kebab_case
from agentevals.model.errors import InputError


@pytest.mark.parametrize(
    ("given", "file", "evaluator", "criteria", "config"),
    [
        ("my-custom-evaluator", "my_custom_evaluator.py", "MyCustomEvaluator",
         "MyCustomEvaluationCriteria", "MyCustomEvaluatorConfig"),
        ("my_thing", "my_thing.py", "MyThingEvaluator", "MyThingEvaluationCriteria",
         "MyThingEvaluatorConfig"),
        ("MyEval", "my_eval.py", "MyEvalEvaluator", "MyEvalEvaluationCriteria",
         "MyEvalEvaluatorConfig"),
        ("x.py", "x.py", "XEvaluator", "XEvaluationCriteria", "XEvaluatorConfig"),
        ("evaluator", "evaluator.py", "Evaluator", "EvaluationCriteria", "EvaluatorConfig"),
    ],
)  # fmt: skip
def test_one_name_makes_a_file_and_three_classes(given, file, evaluator, criteria, config):
    assert Names.make(given) == (file, evaluator, criteria, config)


@pytest.mark.parametrize("given", ["", "2nd", "a b", "a/b", "../a", "é", "a.b", "-", "class Foo:"])
def test_what_can_name_no_class_is_refused(given):
    with pytest.raises(InputError, match="cannot be an evaluator's name"):
        Names.make(given)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("MyCustomEvaluator", "my-custom-evaluator"), ("HTTPServerEval", "h-t-t-p-server-eval")],
)
def test_a_hyphen_stands_before_every_inner_capital(name, expected):
    assert write_kebab_case(name) == expected
