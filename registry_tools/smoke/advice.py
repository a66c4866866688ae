"""What to do about a program that failed, where its last words tell."""

import re

_ADVICE = {
    # the SDK of the predecessor's first days
    r"No module named 'agentevals_grader_sdk'": (
        "import evaluator, EvalInput and EvalResult of agentevals_evaluator_sdk"
    ),
    r"No module named '|Cannot find (?:package|module) '": (
        "add the module to this folder, or its package to requirements.txt, pinned and with hashes"
    ),
    r"KeyError: '[A-Z][A-Z0-9_]*'": (
        "name the variable in capabilities.environment, and answer NOT_EVALUATED where it is not "
        "set"
    ),
    r"name resolution|EAI_AGAIN|urlopen error|fetch failed|ConnectionError|ConnectError": (
        "name the host in capabilities.network"
    ),
    r"(?:FileNotFoundError|PermissionError): .*|ENOENT|EACCES": (
        "put the file into this folder and open it by the program's own path, or name it in "
        "capabilities.files"
    ),
}


def advise(failed: str) -> str:
    """Return what to do; empty where nobody can tell."""
    return next((fix for words, fix in _ADVICE.items() if re.search(words, failed)), "")
