"""What people ask, what they would type into the search, and the page that answers it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    asked: str
    typed: str
    page: str  # below docs
    anchor: str = ""


QUESTIONS = (
    Question("What is it?", "score agents traces", "index.md"),
    Question("How do I see it work?", "first pull request", "tutorials/first-pull-request.md"),
    Question("How do I install the action?", "action workflow", "action.md"),
    Question("How do I install the command?", "install", "index.md", "install"),
    Question(
        "What does my first pull request look like, from an empty folder?",
        "first pull request",
        "tutorials/first-pull-request.md",
    ),
    Question("How do I record in CI, and then score?", "recording in CI", "ci.md"),
    Question(
        "My agent sends no traces. Why?",
        "record got no traces",
        "troubleshooting.md",
        "record-got-no-traces",
    ),
    Question("My trace is not recognised", "trace formats", "traces.md"),
    Question(
        "It is recognised, but has no turn",
        "nothing of an agent",
        "troubleshooting.md",
        "nothing-of-an-agent-is-in-the-traces",
    ),
    Question("Can a run skip what was not changed?", "keep results", "how-to/cache.md"),
    Question("How do I split a run over jobs?", "split a run", "how-to/matrix.md"),
    Question("Which evaluator do I need?", "which evaluator", "choosing.md"),
    Question("Which threshold?", "which threshold", "choosing.md", "which-threshold"),
    Question("What is a case score, and when does a case pass?", "case", "understand/case.md"),
    Question("Why is it NOT_EVALUATED?", "evidence", "understand/evidence.md"),
    Question(
        "How do I accept a known failure?",
        "accept known failure",
        "how-to/accept-a-known-failure.md",
    ),
    Question("How do I limit regressions only?", "regressions", "how-to/only-regressions.md"),
    Question("How do I make it a required check?", "required check", "how-to/required-check.md"),
    Question("What about forks and Dependabot?", "forks", "how-to/forks.md"),
    Question(
        "Why is there no comment?",
        "no comment",
        "troubleshooting.md",
        "there-is-no-comment",
    ),
    Question(
        "Does it update the comment or write a new one?", "comment", "action.md", "the-comment"
    ),
    Question("Which baseline is taken, and why none?", "baseline", "understand/baseline.md"),
    Question(
        "How do I fix the baseline in a file?",
        "baseline file",
        "comparison.md",
        "a-baseline-in-a-file",
    ),
    Question("What does inconclusive mean?", "inconclusive", "statistics.md"),
    Question("My agent is flaky", "flaky", "how-to/flaky-agents.md"),
    Question(
        "Which judges are there, and where does the key go?", "use a judge", "how-to/judges.md"
    ),
    Question("What does a judge cost?", "judge cost", "how-to/judges.md", "what-it-costs"),
    Question("What does the judge see?", "judge sees", "how-to/judges.md", "what-the-judge-sees"),
    Question("What leaves my repository?", "private", "how-to/keep-conversations-private.md"),
    Question("Is code of others safe here?", "sandbox", "isolation.md"),
    Question("How do I write an evaluator?", "write evaluator", "tutorials/evaluator-author.md"),
    Question("… with a dependency?", "dependency", "how-to/evaluator-with-a-dependency.md"),
    Question("… with the network?", "network", "how-to/evaluator-with-the-network.md"),
    Question("… with a secret?", "evaluator key", "how-to/evaluator-with-a-key.md"),
    Question("How do I use one of the community?", "remote", "remote-evaluators.md", "type-remote"),
    Question("How do I pin it?", "lock", "remote-evaluators.md", "pin-it-agentevalslock"),
    Question("How do I contribute one?", "contribute evaluator", "registry.md"),
    Question("How do I publish a registry?", "set up registry", "tutorials/registry-maintainer.md"),
    Question("I come from AgentV", "AgentV", "how-to/from-agentv.md"),
    Question("I come from UiPath", "from UiPath", "how-to/from-uipath.md"),
    Question("I come from ADK", "ADK", "how-to/from-adk.md"),
    Question("I come from agentevals-cli", "agentevals-cli", "how-to/from-agentevals-cli.md"),
    Question("I have several agents in one repository", "several agents", "how-to/monorepo.md"),
    Question("I use GitLab or Jenkins", "GitLab Jenkins", "how-to/other-ci.md"),
    Question("Where is the changelog, and how do I upgrade?", "upgrade", "how-to/upgrade.md"),
    Question("How do I remove it again?", "remove", "how-to/remove.md"),
    Question("Can code from a fork read my keys?", "secrets pull request fork", "how-to/forks.md"),
    Question("How often should I run each case?", "how many attempts", "statistics.md"),
    Question("How do I show results in GitLab?", "GitLab JUnit", "how-to/other-ci.md"),
    Question("How do I compare two reports?", "compare two reports", "output.md"),
    Question("How do I turn off the comment?", "turn off comment", "action.md"),
    Question(
        "What does a judge cost, and what does it see?", "judge cost privacy", "how-to/judges.md"
    ),
    Question(
        "How do I keep the version of an evaluator?",
        "lock evaluator version",
        "remote-evaluators.md",
    ),
    Question("How do I record LangGraph?", "LangGraph", "frameworks.md"),
    Question("What do the exit codes mean?", "exit code", "reference.md"),
    Question("How do I run some cases only?", "run only one case", "reference.md"),
    Question("How do I withdraw a version?", "withdraw version", "registry-maintainers.md"),
    Question("What is missing in my recording?", "what is missing recording", "doctor.md"),
    Question("How do I write an eval set by hand?", "eval set format", "eval-sets.md"),
    Question("Does it work in a merge queue?", "merge queue", "how-to/merge-queue.md"),
    Question("How do I evaluate a fork by hand?", "evaluate by comment", "how-to/eval-comment.md"),
    Question("How do I hide a text of mine?", "mask secrets", "secrets.md", "hide-more-with-mask"),
    Question("Why does my pull request need approval?", "rule approval", "changed-rules.md"),
    Question("Does it run on Windows?", "Windows", "install.md", "which-system-runs-what"),
    Question("Can I write an evaluator in Go?", "protocol language", "protocol.md"),
    Question("How do I add a trace format?", "plug-in trace format", "plug-ins.md"),
    Question("Can my evaluator ask the judge?", "ask the judge", "evaluators.md", "ask-the-judge"),
    Question("Which files can my evaluator read?", "evaluator files grant", "isolation.md"),
    Question("How do I sign my index?", "sign index", "registry-maintainers.md", "sign-the-index"),
    Question("My main branch is protected", "protected branch index", "protected-main.md"),
    Question("Who may hand over an evaluator?", "transfer maintainers", "registry-maintainers.md"),
    Question("What does each level promise?", "isolation level promise", "security.md"),
    Question("How does the sandbox start programs?", "sandbox launcher", "sandbox.md"),
    Question("Where can a judge's key go?", "judge key host", "secrets.md"),
    Question("What is in the artifact?", "report files", "report-files.md"),
    Question("How long do a million traces take?", "million traces", "scale.md"),
    Question("Can traces be in a bucket?", "traces s3 bucket", "cluster.md"),
    Question("Does it run on Ray or Spark?", "Spark", "cluster.md", "ray-and-spark"),
    Question("Who wrote this trace?", "committed recorded traces", "trace-origin.md"),
)
