"""Programs and judges that frozen runs ask: good ones, and what can go wrong."""

from tests.frozen.inputs import said
from tests.frozen.place import Files

_SDK = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(given: EvalInput) -> EvalResult:
    steps = [turn.intermediate_steps for turn in given.invocations]
    calls = [call.name for step in steps for call in step.tool_calls]
    return EvalResult(score=0.25 * len(calls), details={"calls": calls, "config": given.config})


if __name__ == "__main__":
    judge.run()
"""
PROGRAMS: Files = {
    "sdk.py": _SDK,
    "plain.js": "let text='';process.stdin.on('data',d=>text+=d).on('end',()=>"
    "console.log(JSON.stringify({score:JSON.parse(text).invocations.length/2})))\n",
    "crash.py": "import sys\nsys.stderr.write('it went wrong\\n')\nsys.exit(7)\n",
    "slow.py": "import time\ntime.sleep(20)\n",
    "silent.py": "",
    "babble.py": "print('hello')\n",
    "high.py": "print('{\"score\": 1.5}')\n",
    "judge.py": 'print(\'{"score": 0.5, "hits": ["polite"], "misses": ["short"]}\')\n',
    "programs.yaml": """\
evaluators:
  - {name: sdk, type: code, path: sdk.py, config: {words: [a, b]}}
  - {name: plain, type: code, path: plain.js}
  - {name: crash, type: code, path: crash.py}
  - {name: slow, type: code, path: slow.py, timeout: 0.5}
  - {name: silent, type: code, path: silent.py}
  - {name: babble, type: code, path: babble.py}
  - {name: high, type: code, path: high.py}
  - {name: judge, type: code_judge, command: [python3, judge.py]}
""",
}

# more than are under way at a time, and the first is the last to be judged
MANY: Files = {
    "slow.yaml": "evaluators:\n  - {name: slow, type: code, path: slow.py}\n",
    "slow.py": "import json, sys, time\n\ntext = sys.stdin.read()\n"
    "time.sleep(0.5 * ('first' in text))\nprint(json.dumps({'score': len(text) % 7 / 7}))\n",
    "traces/first.json": said("first", user="the first"),
    "traces/more.jsonl": "".join(said(f"case-{at}", user="?" * at) for at in range(1, 13)),
}

JUDGED: Files = {
    "traces/oslo.json": said("oslo", "geocode", "forecast"),
    "judged.yaml": """\
judge: {model: gpt-5-mini, samples: 3, prices: {input: 1, output: 2}, budget: {max_calls: 40}}
evaluators:
  - {name: final_response_match_v2, type: builtin}
  - {name: hallucinations_v1, type: builtin}
  - {name: safety_v1, type: builtin}
  - {name: response_evaluation_score, type: builtin, threshold: 0.6}
  - name: rubric_based_final_response_quality_v1
    type: builtin
    rubrics: [names the city, {id: short, text: is one sentence}]
  - {name: polite, type: llm_judge, prompt: "Is this polite? {{ answer }}"}
  - {name: usual, type: llm_judge, threshold: 0.9}
  - {name: unfit, type: llm_judge, prompt: "UNFIT: {{ answer }}"}
  - {name: rubric, type: rubric, rubrics: [is short, {id: kind, outcome: is kind, weight: 2}]}
  - name: friendly
    type: openai_eval
    grader:
      type: label_model
      model: gpt-5-mini
      input: [{role: user, content: "Is this friendly? {{ item.actual_response }}"}]
      labels: [friendly, rude]
      passing_labels: [friendly]
""",
    "claude.yaml": """\
eval_set: eval_set.json
judge: {model: claude-haiku-4-5, samples: 1}
evaluators:
  - {name: final_response_match_v2, type: builtin}
  - {name: rubric, type: rubric, rubrics: [is short]}
""",
}
