"""Rules for the runs of an evaluator. Each one has a page of its own, as in `rules/`."""

from agentevals.model.results import Severity
from registry_tools.manifests.registry_finding import Rule

RESULT = Rule(
    id="smoke-result",
    severity=Severity.ERROR,
    title="An evaluator gives the scores that its fixtures expect",
    why=(
        "Users rely on the scores in the fixtures. A fixture that is not "
        "evaluated proves nothing, because its score of 0 looks like a real "
        "score. So `NOT_EVALUATED` is accepted only if the fixture expects it."
    ),
    bad="- name: polite\n  input: {invocations: [{final_response: Good day!}]}\n"
    "  expect: {score: 1.0} # and the program says 0.5",
    good="- name: polite\n  input: {invocations: [{final_response: Good day!}]}\n"
    "  expect: {score: 0.5, tolerance: 0.01}",
)
REPEAT = Rule(
    id="smoke-repeat",
    severity=Severity.ERROR,
    title="The same input gives the same result",
    why=(
        "We run every fixture twice. A user who compares two runs must know that "
        "a changed score is a change of the agent. If two runs of your evaluator "
        "can differ, write `deterministic: false`."
    ),
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
    why=(
        "A program that crashes, hangs or prints other text has no result, and "
        "fails the run of its user. A program gets only the rights in its "
        "capabilities."
    ),
    bad='print("judging…")\nprint(json.dumps({"score": 2}))',
    good='print("judging…", file=sys.stderr)\nprint(json.dumps({"score": 1.0}))',
)
HOSTILE = Rule(
    id="smoke-hostile",
    severity=Severity.ERROR,
    title="An evaluator does not crash on unusual input",
    why=(
        "Agents give empty, very long or broken answers, and configs lack values."
        " An evaluator must answer with a score, or with `NOT_EVALUATED` and a "
        "reason."
    ),
    bad="return EvalResult(score=hits / len(input.invocations))",
    good="if not input.invocations:\n    return EvalResult(score=0, status=NOT_EVALUATED)",
)
UNPROVEN = Rule(
    id="smoke-unproven",
    severity=Severity.NOTE,
    title="An evaluator has fixtures that can run",
    why="Without fixtures there is no expected score, so a run proves nothing. Packages without "
    "locked hashes are not installed, so a program that needs them does not run.",
    bad="# fixtures: nothing\n# requirements.txt: torch",
    good="fixtures: fixtures.yaml\nrequirements: requirements.txt # pinned, with hashes",
)
GRANTED = Rule(
    id="smoke-granted",
    severity=Severity.NOTE,
    title="The report names the capabilities of a program",
    why=(
        "A capability opens the sandbox for the named hosts. As a reviewer, check"
        " what the program sends to them."
    ),
    bad="# a program that reaches the network, and nobody is told",
    good="capabilities:\n  network: [api.example.com]",
)
SANDBOX = Rule(
    id="smoke-sandbox",
    severity=Severity.ERROR,
    title="Nothing runs if the sandbox does not work",
    why=(
        "The programs of a registry are third-party code. Before the first one "
        "starts, the sandbox runs a program that tries to break every promise; "
        "`agentevals sandbox check` shows the results."
    ),
    bad="agentevals registry validate --isolation basic",
    good="agentevals registry validate --isolation strict",
)

RULES = (RESULT, REPEAT, BATCH, PROGRAM, HOSTILE, UNPROVEN, GRANTED, SANDBOX)
