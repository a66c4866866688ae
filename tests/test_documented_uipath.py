"""Every snippet of docs/uipath.md is what the page says it is."""

import json
import re
import shlex

import pytest

from agentevals.configs.dialects import compile_plan
from tests.support import DOCS, agentevals

PAGE = (DOCS / "uipath.md").read_text(encoding="utf-8")
EVALUATOR = {
    "version": "1.0",
    "id": "Answer",
    "evaluatorTypeId": "uipath-exact-match",
    "evaluatorConfig": {"name": "Answer"},
}
EVAL_SET = {
    "version": "1.0",
    "id": "warmth",
    "name": "warmth",
    "evaluatorRefs": ["Answer"],
    "evaluations": [
        {
            "id": "warm",
            "name": "warm",
            "inputs": {"query": "How warm?"},
            "evaluationCriterias": {"Answer": {"expectedOutput": "21"}},
        }
    ],
}


@pytest.mark.parametrize(
    "text",
    re.findall(
        r"^```yaml\n(# eval_config.yaml\nevaluators:\n.*?)^```", PAGE, re.DOTALL | re.MULTILINE
    ),
)
def test_the_evaluators_are_accepted(tmp_path, text):
    (tmp_path / "eval_config.yaml").write_text(text)

    assert len(compile_plan(tmp_path / "eval_config.yaml").graders) == 1


def test_the_command_judges_a_recording(tmp_path):
    (command,) = [
        text
        for text in re.findall(r"^```bash\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
        if "agentevals run" in text
    ]
    sets, evaluators = tmp_path / "evals/eval_sets", tmp_path / "evals/evaluators"
    for folder in (sets, evaluators, tmp_path / "traces"):
        folder.mkdir(parents=True)
    (evaluators / "answer.json").write_text(json.dumps(EVALUATOR))
    (sets / "my_set.json").write_text(json.dumps(EVAL_SET))
    said = [{"role": "user", "content": "How warm?"}, {"role": "assistant", "content": "21"}]
    (tmp_path / "traces/t.json").write_text(json.dumps({"messages": said}))

    done = agentevals(*shlex.split(command)[1:], cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
