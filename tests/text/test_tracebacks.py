"""What one line tells of a crash."""

import pytest

from agentevals.text.tracebacks import is_crash, shorten_error

PYTHON = """\
evaluator 'mine' exited with code 1: Evaluator function raised: 'final_response'
Traceback (most recent call last):
  File "/repo/evals/mine.py", line 11, in <module>
    mine.run()
  File "/opt/site/agentevals_evaluator_sdk/program.py", line 40, in _score
    answer = self._function(eval_input)
  File "/repo/evals/mine.py", line 7, in mine
    return answer["final_response"]
           ~~~~~~^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    raise KeyError(key)
KeyError: 'final_response'"""
JAVASCRIPT = """\
evaluator 'first' exited with code 1: file:///repo/evals/first.js:3
  throw new Error("no forecast");
  ^

Error: no forecast
    at grade (file:///repo/evals/first.js:3:9)
    at ModuleJob.run (node:internal/modules/esm/module_job:345:25)

Node.js v22.18.0"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PYTHON, "KeyError: 'final_response' (mine.py:7)"),
        (JAVASCRIPT, "Error: no forecast (first.js:3)"),
        (
            "exited with code 2\nZeroDivisionError: division by zero",
            "ZeroDivisionError: division by zero",
        ),
        ("exited with code 7: it went wrong", "exited with code 7: it went wrong"),
        ("took longer than 30 s and was ended\nsee the log", "took longer than 30 s and was ended"),
        ("", ""),
        ("\n \n", ""),
    ],
)
def test_the_line_that_tells_most(text, line):
    assert shorten_error(text) == line


def test_a_traceback_without_a_file_of_the_author_names_none():
    text = 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nKeyError: 1'

    assert shorten_error(text) == "KeyError: 1"


def test_a_line_is_cut_where_nobody_reads_on():
    line = shorten_error(f"Traceback (most recent call last):\nValueError: {'x' * 1_000}")

    assert line.startswith("ValueError: x")
    assert len(line) == 160


@pytest.mark.parametrize(
    ("text", "crash"),
    [
        (PYTHON, True),
        (JAVASCRIPT, True),
        ("exited with code 7: it went wrong", True),
        ("took longer than 30 s and was ended", False),
        ("gave the score 1.5; it must be from 0 to 1", False),
    ],
)
def test_a_crash_is_told_from_a_wrong_answer(text, crash):
    assert is_crash(text) is crash
