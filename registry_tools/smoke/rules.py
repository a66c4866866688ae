"""Rules for the runs of an evaluator. Each one has a page of its own, as in `rules/`."""

from agentevals.model.results import Severity
from registry_tools.manifests.finding import Rule

RESULT = Rule(
    id="smoke-result",
    severity=Severity.ERROR,
    title="An evaluator scores what its fixtures expect",
    why="A fixture is what an evaluator promises. One that is not evaluated has proved nothing: a "
    "score of 0 that nobody computed looks like one that somebody did. So NOT_EVALUATED counts "
    "only where a fixture expects it.",
    bad="- name: polite\n  input: {invocations: [{final_response: Good day!}]}\n"
    "  expect: {score: 1.0} # and the program says 0.5",
    good="- name: polite\n  input: {invocations: [{final_response: Good day!}]}\n"
    "  expect: {score: 0.5, tolerance: 0.01}",
)
REPEAT = Rule(
    id="smoke-repeat",
    severity=Severity.ERROR,
    title="The same input gives the same result",
    why="Every fixture is run twice. Whoever compares two runs must know that a change of a score "
    "is a change of the agent. What cannot be the same twice says so: `deterministic: false`.",
    bad="return EvalResult(score=random.random())",
    good="return EvalResult(score=random.Random(0).random())",
)
BATCH = Rule(
    id="smoke-batch",
    severity=Severity.ERROR,
    title="A case in a batch comes to what it comes to alone",
    why="With `batch: true` a manifest promises that one start judges several cases, a line each. "
    "All fixtures are given to one start, and compared with what they came to alone.",
    bad="total += 1  # for all lines\nprint(json.dumps({'id': told['id'], 'score': 1 / total}))",
    good="print(json.dumps({'id': told['id'], 'score': score(told)}))",
)
PROGRAM = Rule(
    id="smoke-program",
    severity=Severity.ERROR,
    title="A program ends by itself, in time, with one result on stdout",
    why="What crashes, hangs or prints anything else has no result, and fails the run of whoever "
    "uses it. The program is given nothing that its capabilities do not name.",
    bad='print("judging…")\nprint(json.dumps({"score": 2}))',
    good='print("judging…", file=sys.stderr)\nprint(json.dumps({"score": 1.0}))',
)
HOSTILE = Rule(
    id="smoke-hostile",
    severity=Severity.ERROR,
    title="Nothing that an agent may have done makes an evaluator fall over",
    why="Agents say nothing, too much, or half of a letter, and whoever writes a config forgets a "
    "value. An evaluator answers that with a score, or with NOT_EVALUATED and a reason.",
    bad="return EvalResult(score=hits / len(input.invocations))",
    good="if not input.invocations:\n    return EvalResult(score=0, status=NOT_EVALUATED)",
)
UNPROVEN = Rule(
    id="smoke-unproven",
    severity=Severity.NOTE,
    title="An evaluator with fixtures is proven, one without only runs",
    why="Without fixtures there is no expected score, so a run proves nothing. Packages without "
    "locked hashes are not installed, so a program that needs them does not run.",
    bad="# fixtures: nothing\n# requirements.txt: torch",
    good="fixtures: fixtures.yaml\nrequirements: requirements.txt # pinned, with hashes",
)
GRANTED = Rule(
    id="smoke-granted",
    severity=Severity.NOTE,
    title="The report names what a program was given beyond its own folder",
    why="A capability opens the sandbox: to the hosts that it names, and no others. Whoever "
    "reviews it should look at what the program sends there.",
    bad="# a program that reaches the network, and nobody is told",
    good="capabilities:\n  network: [api.example.com]",
)
SANDBOX = Rule(
    id="smoke-sandbox",
    severity=Severity.ERROR,
    title="Nothing is run where the sandbox does not hold",
    why="The programs of a registry are other people's. Before the first of them starts, the "
    "sandbox runs one that tries to break every promise; `agentevals sandbox check` shows it.",
    bad="agentevals registry validate --isolation basic",
    good="agentevals registry validate --isolation strict",
)

RULES = (RESULT, REPEAT, BATCH, PROGRAM, HOSTILE, UNPROVEN, GRANTED, SANDBOX)
