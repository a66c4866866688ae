"""The outputs of the step, and its part of the job's summary."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from agentevals.model.plugins import suggestion

OUTPUTS = {
    "verdict": (
        "`passed`, `failed`, `not-evaluated`, `not-affected` (nothing relevant "
        "changed), or `error` (an error, or the run was cancelled)"
    ),
    "score": "The mean score over all cases, from 0 to 1",
    "passed": "The number of cases that passed",
    "failed": "The number of cases that failed, or lack evidence",
    "errors": ("The number of cases without a verdict, because an evaluator ended in an error"),
    "regressed": "The number of cases that passed in the baseline and fail now",
    "improved": "The number of cases that failed in the baseline and pass now",
    "report": ("The path of the folder with report.json and the other files, in the workspace"),
    "artifact-url": "The address of these files as an artifact, if they were uploaded",
    "comment-url": "The address of the comment, if there is one",
    "check-url": "The address of the check run, if there is one",
    "json": "The result as JSON, with as many details as an output can hold",
}
MOST_OUTPUT = 1_000_000  # bytes of all outputs of a job; GitHub counts them as UTF-16
MOST_SUMMARY = 1_048_576  # bytes of a step's summary; a larger one is not shown at all

_JSON = "json"


def set_outputs(
    environ: Mapping[str, str], values: Mapping[str, str], *, details: Sequence[str] = ()
) -> list[str]:
    """Write the outputs. `details` are candidates for `json`, from the fullest to the smallest.

    Return a sentence for each output that was shortened, skipped or not written.
    """
    path = environ.get("GITHUB_OUTPUT")
    if not path:
        return []
    known = {_check_name(name): _clean(text) for name, text in values.items()}
    room = MOST_OUTPUT - sum(_measure(name, text) for name, text in known.items())
    if room < 0:
        return [f"the outputs are not set: together they exceed {MOST_OUTPUT} bytes"]
    chosen = next((text for text in map(_clean, details) if _measure(_JSON, text) <= room), None)
    notes = _describe_details(details, chosen)
    written = known if chosen is None else {**known, _JSON: chosen}
    pieces = (_format_output(name, text) for name, text in written.items())
    return notes + _append(path, "".join(pieces), "outputs")


def _describe_details(details: Sequence[str], chosen: str | None) -> list[str]:
    if not details or chosen == _clean(details[0]):
        return []
    what = "omitted" if chosen is None else "shortened"
    return [f"the output 'json' was {what}: GitHub takes {MOST_OUTPUT} bytes; read report.json"]


def append_summary(environ: Mapping[str, str], candidates: Iterable[str]) -> list[str]:
    """Append the first candidate for which there is room in the job's summary; no other is made.

    Return a sentence for each problem, as above.
    """
    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return []
    try:
        begun = Path(path).read_bytes() if Path(path).exists() else b""
    except OSError as error:
        return [_describe_failure("summary", error)]
    gap = "" if begun.endswith(b"\n") or not begun else "\n"
    room = MOST_SUMMARY - len(begun)
    for at, candidate in enumerate(candidates):
        text = f"{gap}{_clean(candidate).rstrip()}\n"
        if len(text.encode()) <= room:
            shortened = ["the summary was shortened to GitHub's limit"] if at else []
            return shortened + _append(path, text, "summary")
    return [f"the summary was omitted: GitHub takes {MOST_SUMMARY} bytes of a step"]


def _check_name(name: str) -> str:
    if name not in OUTPUTS:
        msg = f"no output {name!r}{suggestion(name, list(OUTPUTS))}"
        raise ValueError(msg)
    return name


def _clean(text: str) -> str:
    """Replace halves of surrogate pairs, which have no UTF-8, and NUL, which ends a text."""
    return text.encode("utf-8", "replace").decode().replace("\0", "␀")


def _measure(name: str, text: str) -> int:
    return len((name + text).encode("utf-16-le"))


def _format_output(name: str, text: str) -> str:
    delimiter = f"end_{secrets.token_hex(16)}"
    while delimiter in text:
        delimiter = f"end_{secrets.token_hex(16)}"
    return f"{name}<<{delimiter}\n{text}\n{delimiter}\n"


def _append(path: str, text: str, what: str) -> list[str]:
    try:
        with Path(path).open("a", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        return [_describe_failure(what, error)]
    return []


def _describe_failure(what: str, error: OSError) -> str:
    return f"the {what} cannot be written: {(error.strerror or str(error)).lower()}"
