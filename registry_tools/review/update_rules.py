"""Rules for updates of a published evaluator. Each one has a page of its own."""

from agentevals.model.results import Severity
from registry_tools.manifests.finding import Rule

VERSION = Rule(
    id="update-version",
    severity=Severity.ERROR,
    title="A change has a new version, and versions only rise",
    why="Whoever uses `politeness@^1.2` gets the newest version that fits, and a lock remembers "
    "what it is. So what is published under a version never changes, and a version that was "
    "there is never given again. How much it must rise follows from what changes for those who "
    "use it: their configs, their scores, what the evaluator may do.",
    bad="version: 1.0.0 # politeness.py changed",
    good="version: 1.1.0",
)
OWNER = Rule(
    id="update-owner",
    severity=Severity.ERROR,
    title="Who maintains an evaluator does not change unnoticed",
    why="A popular evaluator runs on many machines. Whoever takes it over is trusted with them, so "
    "somebody who maintained it leaves only with a record in `evaluators/.tombstones.yaml`. The "
    "numbers count: a login can be given up and taken by somebody else.",
    bad="maintainers: # octocat was here\n  - {login: mallory, id: 666}",
    good="transferred:\n  politeness: {to: [666], reason: agreed in issue 5}",
)
REMOVED = Rule(
    id="update-removed",
    severity=Severity.ERROR,
    title="An evaluator that is removed leaves a tombstone",
    why="Configs name it. A tombstone tells their owners why it is gone and what to use instead, "
    "and keeps its name from being taken by somebody else.",
    bad="git rm -r evaluators/politeness",
    good="removed:\n  politeness: {reason: it never worked, replaced_by: kindness}",
)
GROWTH = Rule(
    id="update-growth",
    severity=Severity.WARNING,
    title="What an evaluator may do does not grow unnoticed",
    why="Capabilities open the sandbox, maintainers may change the code, and a licence says what "
    "others may do with it. Who uses an evaluator has agreed to what it was; so whoever accepts "
    "the change has to see it.",
    bad="capabilities:\n  network: [collect.example.com] # new",
    good="capabilities: {}",
)
BEHAVIOUR = Rule(
    id="update-behaviour",
    severity=Severity.WARNING,
    title="What changes for those who use it is shown",
    why="The old program and the new one are run on the fixtures of the old one. A score that is "
    "another one now moves the baselines of others, and a status that flips turns their builds "
    "red.",
    bad="# was 1.0, is 0.5, and nobody knows",
    good="# was 1.0, is 0.5, and the version says so: 2.0.0",
)
GENERATED = Rule(
    id="update-generated",
    severity=Severity.ERROR,
    title="Nobody writes the index by hand",
    why="index.yaml, index.json, head.json and e/ are compiled from the main branch and pushed by "
    "the publishing job. What a pull request says there would be lost, or believed.",
    bad="git add index.yaml",
    good="git checkout origin/main -- index.yaml",
)

UNLISTED = Rule(
    id="update-unlisted",
    severity=Severity.ERROR,
    title="What is proposed can be listed",
    why="An entry whose manifest cannot be read, or whose folder nobody could fetch, would not be "
    "in the index. One that is listed already would stay as it was, and nobody would get the "
    "change.",
    bad="name: [politeness",
    good="name: politeness",
)

ALL = (VERSION, OWNER, REMOVED, GROWTH, BEHAVIOUR, GENERATED, UNLISTED)
