import io
import logging
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.github.runner.workflow_log import (
    LONGEST_MESSAGE,
    PER_KIND,
    Kind,
    Log,
    LogMessage,
    forward_warnings,
)
from agentevals.text.redaction import Redactor
from tests.github.runner import hostile
from tests.github.runner.grammar import Command, commands

ANYTHING = st.text(alphabet=st.characters(codec=None, categories=None), max_size=80)
OBEYED_BY_TERMINALS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def written(write, *, obeyed=True):
    stream = io.StringIO()
    write(Log(stream, obeyed=obeyed))
    return stream.getvalue()


def annotation(kind=Kind.ERROR, message="it is wrong", **fields):
    return LogMessage(kind=kind, message=message, **fields)


@pytest.mark.parametrize("kind", Kind)
def test_a_message_is_a_command_of_its_kind(kind):
    log = written(lambda log: getattr(log, kind)("50% done\nnext, more: x"))

    assert log == f"::{kind}::50%25 done%0Anext, more: x\n"


def test_a_place_and_a_title_are_properties():
    at = annotation(title="a, b: 1%", file="src/a,b.py", line=3, end_line=5, column=2)

    log = written(lambda log: log.annotate(at))

    assert log == ("::error file=src/a%2Cb.py,line=3,endLine=5,title=a%2C b%3A 1%25::it is wrong\n")


@pytest.mark.parametrize(
    ("fields", "properties"),
    [
        (
            {"file": "a", "line": 3, "column": 2},
            {"file": "a", "line": "3", "endLine": "3", "col": "2"},
        ),
        ({"file": "a", "line": 3, "end_line": 1}, {"file": "a", "line": "3", "endLine": "3"}),
        ({"file": "a", "line": 0}, {"file": "a"}),
        ({"file": "a", "column": 2}, {"file": "a"}),
        ({"line": 3}, {}),
    ],
)
def test_only_places_that_the_runner_can_use_are_told(fields, properties):
    log = written(lambda log: log.annotate(annotation(**fields)))

    assert commands(log) == [Command("error", properties, "it is wrong")]


def test_lines_of_a_message_keep_their_indentation():
    (command,) = commands(written(lambda log: log.warning("add:\npermissions:\n  checks: write")))

    assert command.data == "add:\npermissions:\n  checks: write"


def test_a_long_message_is_cut_to_what_is_kept():
    (command,) = commands(written(lambda log: log.error("👍" * 5000)))

    assert len(command.data.encode("utf-16-le")) // 2 <= LONGEST_MESSAGE
    assert command.data.endswith("…")


def test_what_the_runner_would_drop_is_a_line_and_is_counted():
    stream = io.StringIO()
    log = Log(stream, obeyed=True)
    for number in range(PER_KIND + 2):
        log.annotate(annotation(message=f"error {number}", file="a.yaml", line=1))
    log.warning("one warning")

    kept = commands(stream.getvalue())

    assert [command.name for command in kept] == ["error"] * PER_KIND + ["warning"]
    assert "error: a.yaml:1: error 11\n" in stream.getvalue()
    assert log.describe_overflow().startswith("2 more errors in the log only")


def test_nothing_is_said_about_what_was_not_left_out():
    log = Log(io.StringIO(), obeyed=True)
    log.error("x")

    assert log.describe_overflow() == ""


def _failing_inside(log):
    with log.group("traces ::error::"):
        log.log("inside")
        raise ZeroDivisionError


def test_a_group_is_ended_whatever_happens():
    stream = io.StringIO()
    with pytest.raises(ZeroDivisionError):
        _failing_inside(Log(stream, obeyed=True))

    assert stream.getvalue() == "::group::traces ::error::\ninside\n::endgroup::\n"


def test_every_line_of_a_secret_is_masked():
    log = written(lambda log: log.mask("first 100%\n  second\n\nab\n"))

    assert log == "::add-mask::first 100%25\n::add-mask::second\n"


def test_without_a_runner_nobody_is_told_anything():
    def everything(log):
        log.mask("correct horse")
        log.error("wrong")
        with log.group("inside"):
            log.log("text")

    assert written(everything, obeyed=False) == "error: wrong\ninside\ntext\n"


@pytest.mark.parametrize(("environ", "obeyed"), [({}, False), ({"GITHUB_ACTIONS": "true"}, True)])
def test_commands_are_for_the_runner_only(environ, obeyed):
    assert Log.open(environ, io.StringIO()).obeyed is obeyed


def test_foreign_lines_keep_their_indentation():
    assert written(lambda log: log.log("a\n    b\tc  d\n")) == "a\n    b c d\n"


def test_finished_text_keeps_its_columns_and_colours():
    text = "\x1b[32mpassed\x1b[0m   1.0\n::error::x"

    assert written(lambda log: log.write(text)) == "\x1b[32mpassed\x1b[0m   1.0\n\u2236:error::x\n"


def test_a_secret_is_in_no_line_and_in_no_command():
    stream = io.StringIO()
    log = Log(stream, obeyed=True, redact=Redactor(["correct horse"]))
    log.log("correct horse")
    log.write("correct horse")
    log.annotate(annotation(message="correct horse", title="correct horse", file="correct horse"))
    with log.group("correct horse"):
        log.notice("a correct horse")

    assert "correct" not in stream.getvalue()


def _all_ways(log, text):
    log.log(text)
    log.write(text)
    with log.group(text):
        log.annotate(annotation(Kind.WARNING, text, title=text, file=text, line=1))
    log.annotate(annotation(Kind.ERROR, text))


OURS = ["group", "warning", "endgroup", "error"]


@pytest.mark.parametrize("seed", range(20))
def test_hostile_text_is_never_a_command(seed):
    for text in hostile.strings(1000, seed):
        log = written(lambda log, text=text: _all_ways(log, text))

        assert [command.name for command in commands(log)] == OURS, text


@settings(max_examples=400, deadline=None)
@given(ANYTHING)
def test_no_text_is_a_command(text):
    log = written(lambda log: _all_ways(log, text))

    assert [command.name for command in commands(log)] == OURS


@pytest.mark.parametrize("seed", range(4))
def test_in_hostile_text_everything_that_a_terminal_obeys_is_visible(seed):
    for text in hostile.strings(1000, seed):
        log = written(lambda log, text=text: log.log(text))

        assert OBEYED_BY_TERMINALS.search(log) is None, text


@pytest.mark.parametrize("seed", range(4))
def test_what_hostile_text_says_of_a_place_stays_in_its_property(seed):
    for text in hostile.strings(500, seed):
        log = written(lambda log, text=text: log.annotate(annotation(title="t", file=text, line=7)))
        (command,) = commands(log)

        assert set(command.properties) <= {"file", "line", "endLine", "title"}, text
        assert (command.properties["title"], command.data) == ("t", "it is wrong"), text


WORDS = "correct horse"


def test_a_warning_of_ours_is_a_line_of_the_log_without_commands_and_secrets():
    log = Log(io.StringIO(), obeyed=True, redact=Redactor([WORDS]))
    with forward_warnings(log):
        logging.getLogger("agentevals.somewhere").warning("%s\n::error::x", f"a {WORDS} ##[error]")
    said = log.stream.getvalue()

    assert said.startswith("warning: a *** ")
    assert list(commands(said)) == []
    assert WORDS not in said


def test_warnings_are_forwarded_no_longer_than_asked():
    log = Log(io.StringIO(), obeyed=True)
    with forward_warnings(log):
        pass
    logging.getLogger("agentevals.somewhere").warning("too late")

    assert not log.stream.getvalue()
