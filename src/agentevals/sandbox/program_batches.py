"""Several inputs for one start of a program: a request on each line, an answer on each line.

Every answer has the `id` of its request, and the answers come in the order of the requests. So
an answer that is wrong, missing or given twice never becomes that of another case.
"""

import codecs
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import msgspec

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.sandboxed_program import Finished, LateError
from agentevals.sandbox.wire_protocol import quote

VARIABLE = "AGENTEVALS_BATCH"  # tells a program that it gets lines
_ADVICE = "print one line of JSON for each request, with its 'id', and all else to stderr"
_SHOWN = 200  # bytes of a line

Outcome = Finished | EvaluatorError
_Answered = bytes | EvaluatorError


class _CaseError(EvaluatorError):
    """Tells what a program gave for one case in place of an answer."""


def ask_batch(
    messages: Sequence[bytes], timeout: float, run: Callable[[bytes, float], Finished]
) -> list[Outcome]:
    """Run a program once; return for each message what it printed, as if it had run alone.

    A program that ends badly has judged the cases that it has answered.
    """
    if not messages:
        return []
    batch, failure = _Batch(messages), ""
    try:
        finished = run(batch.write(), timeout * len(messages))
    except LateError as error:
        finished, failure = error.finished, str(error)
    else:
        if finished.exit_code != 0:
            failure = finished.describe_end(f"exited with code {finished.exit_code}")
    answers = batch.read(finished.stdout, failure)
    return [_build_outcome(finished, answer) for answer in answers]


def _build_outcome(finished: Finished, answer: _Answered) -> Outcome:
    if isinstance(answer, _CaseError):
        told = replace(finished, stderr=str(answer))
        return EvaluatorError(told.describe_end("could not judge this case"))
    if isinstance(answer, EvaluatorError):
        return answer
    return replace(finished, stdout=answer, stderr="", exit_code=0)


class _Batch:
    """Messages, each a JSON object, and the answers to them."""

    def __init__(self, messages: Sequence[bytes]) -> None:
        self._messages = messages
        self._places = {_make_id(at, message): at for at, message in enumerate(messages)}

    def write(self) -> bytes:
        """Return the requests: each message on a line, with its id."""
        named = zip(self._places, self._messages, strict=True)
        return b"".join(b'{"id":"%s",%s\n' % (name.encode(), said[1:]) for name, said in named)

    def read(self, printed: bytes, failure: str) -> list[_Answered]:
        """Return the answer to each message without its id, or why there is none."""
        *lines, cut = printed.removeprefix(codecs.BOM_UTF8).split(b"\n")
        try:
            found = self._find_answers(lines if failure else [*lines, cut])
        except EvaluatorError as stray:
            return [stray] * len(self._messages)
        count = len(self._messages)
        if failure and len(found) == count:  # nothing else was left to be done
            found[count - 1] = EvaluatorError(_insert(failure, "after its answer"))
        missing = self._explain_missing(len(found), failure)
        return [found.get(at, missing) for at in range(count)]

    def _find_answers(self, lines: Sequence[bytes]) -> dict[int, _Answered]:
        """Return the answers by their places, or raise what makes all of them doubtful."""
        found: dict[int, _Answered] = {}
        for line in filter(bytes.strip, lines):
            answer = _parse(line)
            at = self._places.get(answer["id"]) if answer else None
            if answer is None or at is None:
                raise EvaluatorError(_describe_stray(line, has_id=answer is not None))
            if at in found:
                found[at] = EvaluatorError(f"answered this case twice; {_ADVICE}")
            elif found and max(found) > at:
                found[at] = EvaluatorError(f"answered a later case before this one; {_ADVICE}")
            else:
                found[at] = _read_answer(line, answer)
        return found

    def _explain_missing(self, count: int, failure: str) -> EvaluatorError:
        share = f"{count} of the {len(self._messages)} cases of its batch"
        if failure:
            return EvaluatorError(_insert(failure, f"after it had answered {share}, not this one"))
        return EvaluatorError(f"answered {share}, not this one; {_ADVICE}")


def _make_id(at: int, message: bytes) -> str:
    """Return an id that nobody finds by counting."""
    return f"{at + 1}-{blake2b(message, digest_size=4).hexdigest()}"


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return an object with an id. One with NaN in it is left to whoever reads the answer."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) and isinstance(answer.get("id"), str) else None


def _read_answer(line: bytes, answer: dict[str, Any]) -> _Answered:
    if isinstance(answer.get("error"), str):
        return _CaseError(answer["error"])
    try:
        parts = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return line
    return msgspec.json.encode({key: part for key, part in parts.items() if key != "id"})


def _describe_stray(line: bytes, *, has_id: bool) -> str:
    shown = quote(line[:_SHOWN].decode(errors="replace").strip())
    what = "which answers none of its requests" if has_id else "which has no 'id'"
    return f"printed {shown}, {what}, so no answer of its batch can be trusted; {_ADVICE}"


def _insert(failure: str, words: str) -> str:
    """Put words behind what a program ended with, and before the reason."""
    head, colon, reason = failure.partition(":")
    return f"{head} {words}{colon}{reason}"
