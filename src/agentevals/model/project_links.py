"""The repository of this project, and its pages that help with a message.

`make owner OWNER=name` writes the owner here and wherever else the address is.
"""

REPOSITORY = "https://github.com/OWNER/agentevals-action"
NAME = REPOSITORY.partition("github.com/")[2]
PLACEHOLDER = "OWNER"  # of an owner that nobody has decided

_TROUBLE = "docs/troubleshooting.md"
# the headings that explain what a finding of a rule means, and what to do
HELP = {
    "agent-file-missing": f"{_TROUBLE}#agent-matches-no-file",
    "empty-trace": f"{_TROUBLE}#no-recording-arrived",
    "foreign-trace": f"{_TROUBLE}#nothing-of-an-agent-is-in-the-traces",
    "missing-evidence": f"{_TROUBLE}#cases-lack-evidence",
    "missing-recording": f"{_TROUBLE}#no-recording-arrived",
    "no-judge": f"{_TROUBLE}#a-judge-is-in-error",
    "no-trace-file": f"{_TROUBLE}#no-recording-arrived",
    "nothing-answered": f"{_TROUBLE}#a-case-was-not-recorded",
    "nothing-arrived": f"{_TROUBLE}#record-got-no-traces",
    "nothing-recorded": f"{_TROUBLE}#nothing-of-an-agent-is-in-the-traces",
    "stale-recording": f"{_TROUBLE}#a-recording-is-stale",
    "unpaired": f"{_TROUBLE}#a-case-was-not-recorded",
}


def find_help(rule: str) -> str:
    """Return the address of what explains a finding of that rule; empty if nothing does."""
    heading = HELP.get(rule)
    return find_page(heading) if heading else ""


def find_page(heading: str) -> str:
    """Return the address of a page, or of a heading on it."""
    return f"{REPOSITORY}/blob/main/{heading}"
