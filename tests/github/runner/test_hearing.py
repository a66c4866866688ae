"""What our modules log while a step runs."""

import logging
from io import StringIO

from agentevals.github.runner.hearing import heard
from agentevals.github.runner.secrets import Redactor
from agentevals.github.runner.workflow_log import Log
from tests.github.runner.grammar import commands

SECRET = "correct horse"


def test_it_is_a_line_of_the_log_that_is_not_obeyed_and_holds_no_secret():
    log = Log(StringIO(), obeyed=True, redact=Redactor([SECRET]))
    with heard(log):
        logging.getLogger("agentevals.somewhere").warning("%s\n::error::x", f"a {SECRET} ##[error]")
    said = log.stream.getvalue()

    assert said.startswith("warning: a *** ")
    assert list(commands(said)) == []
    assert SECRET not in said


def test_afterwards_nobody_listens():
    log = Log(StringIO(), obeyed=True)
    with heard(log):
        pass
    logging.getLogger("agentevals.somewhere").warning("too late")

    assert not log.stream.getvalue()
