"""`@evaluator`: a function that scores becomes a program that speaks the protocol."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from functools import update_wrapper
from importlib import import_module
from inspect import isawaitable
from traceback import format_exc
from typing import Generic, NoReturn, TextIO, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from agentevals_evaluator_sdk.types import PROTOCOL_VERSION, EvalInput, EvalResult

_BATCH = "AGENTEVALS_BATCH"  # set by a run that sends several inputs, a line each

Answer = TypeVar("Answer", bound="EvalResult | Awaitable[EvalResult]")


class Evaluator(Generic[Answer]):
    """A scoring function: call it in a test, `run` it as a program."""

    def __init__(self, function: Callable[[EvalInput], Answer]) -> None:
        self._function = function
        update_wrapper(self, function)

    def __call__(self, input: EvalInput) -> Answer:  # noqa: A002 -- the name in every example
        return self._function(input)

    def run(self) -> None:
        """Read the input from stdin, write the result to stdout, or exit with 1 and say why.

        If the run sends a batch, each line is an input and becomes a line with its result.
        """
        result_stream = _claim_stdout()
        stdin = getattr(sys.stdin, "buffer", sys.stdin)
        if os.environ.get(_BATCH):
            for line in stdin:
                with redirect_stdout(sys.stderr):
                    text = self._answer_line(line)
                _write_line(result_stream, text)
            return
        try:
            with redirect_stdout(sys.stderr):
                text = _write_result(self._score(_read_input(stdin.read())))
        except _RefusedError as refused:
            sys.stderr.write(f"{refused}\n")
            raise SystemExit(1) from None
        _write_line(result_stream, text)

    def _answer_line(self, line: str | bytes) -> str:
        """Return the result of one case of a batch; its error costs no other case anything."""
        name = json.dumps(json.loads(line)["id"])
        try:
            text = _write_result(self._score(_read_input(line)))
        except _RefusedError as refused:
            return f'{{"id":{name},"error":{json.dumps(str(refused))}}}'
        except Exception:  # noqa: BLE001 -- of the function, which may raise anything
            return f'{{"id":{name},"error":{json.dumps(format_exc())}}}'
        return f'{{"id":{name},{text[1:]}'

    def _score(self, eval_input: EvalInput) -> object:
        try:
            answer = self._function(eval_input)
            # imported only when needed: half of what an evaluator's start costs is imports
            return import_module("asyncio").run(_wait(answer)) if isawaitable(answer) else answer
        except Exception as error:
            sys.stderr.write(f"Evaluator function raised: {error}\n")
            raise


def evaluator(function: Callable[[EvalInput], Answer]) -> Evaluator[Answer]:
    """Make an evaluator of a function, plain or async, from EvalInput to EvalResult."""
    return Evaluator(function)


def _claim_stdout() -> TextIO:
    """Return the stream for the result. Everything else that the program prints goes to stderr.

    What was printed so far still waits in the buffer of `sys.stdout`, and follows the descriptor.
    """
    stream = sys.stdout
    try:
        is_program = stream.fileno() == 1
    except (AttributeError, OSError, ValueError):
        is_program = False
    if not is_program:
        return stream
    result_stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    stream.flush()
    return result_stream


def _write_line(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


def _read_input(text: str | bytes) -> EvalInput:
    if not text.strip():
        _refuse("No input received on stdin")
    try:
        eval_input = EvalInput.model_validate_json(text)
    except ValidationError as error:
        _refuse(f"Failed to parse input: {error}")
    _check_version(eval_input.protocol_version)
    return eval_input


def _check_version(version: str) -> None:
    known = PROTOCOL_VERSION.split(".", maxsplit=1)[0]
    if version.split(".", maxsplit=1)[0] != known:
        sys.stderr.write(
            f"Warning: the input speaks protocol {version}, this SDK knows {known}.x; "
            "upgrade agentevals-evaluator-sdk if the result looks wrong\n"
        )


def _write_result(result: object) -> str:
    if not isinstance(result, EvalResult):
        _refuse(f"Evaluator function must return EvalResult, got {type(result).__name__}")
    try:
        return result.model_dump_json()
    except PydanticSerializationError as error:
        _refuse(f"The result cannot be written as JSON: {error}")


async def _wait(answer: Awaitable[EvalResult]) -> EvalResult:
    return await answer


class _RefusedError(Exception):
    """Why there is no result, for whoever wrote the function or the input."""


def _refuse(message: str) -> NoReturn:
    raise _RefusedError(message) from None
