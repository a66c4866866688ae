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


def test_run_and_validate_refuse_the_same_class_with_the_same_words_and_exit_code(tmp_path):
    agentevals("evaluator", "add", "own", cwd=tmp_path)
    agentevals("evaluator", "register", "own.py", cwd=tmp_path)
    file = tmp_path / "evals/evaluators/own-evaluator.json"
    written = json.loads(file.read_text())
    file.write_text(json.dumps(written, indent=1).replace("own.py:", "own.py:Mistyped"))
    sets = tmp_path / "evals/eval_sets"
    sets.mkdir()
    item = {"id": "a", "name": "a", "inputs": {}, "evaluationCriterias": {written["id"]: {}}}
    eval_set = {"version": "1.0", "id": "s", "name": "s", "evaluations": [item]}
    (sets / "s.json").write_text(json.dumps({**eval_set, "evaluatorRefs": [written["id"]]}))
    (tmp_path / "r.jsonl").write_text(
        json.dumps({"test_id": "a", "input": [], "answer": "x", "output": []})
    )

    validated = agentevals("validate", "evals/eval_sets/s.json", cwd=tmp_path)
    run = agentevals("run", "r.jsonl", "-c", "evals/eval_sets/s.json", cwd=tmp_path)

    told = validated.stdout.splitlines()[0]
    assert told.startswith("evals/evaluators/own-evaluator.json:")
    assert "Class 'Mistyped" in told
    assert run.stderr.strip().removeprefix("agentevals: ") == told
    assert (validated.returncode, run.returncode) == (2, 2)
