import logging

import pytest

from agentevals.cli import stderr
from tests.support import EXAMPLES, agentevals

LOG = logging.getLogger("agentevals.sandbox.program_environments")


@pytest.fixture(autouse=True)
def _restored():
    ours = logging.getLogger("agentevals")
    before = ours.handlers, ours.level, ours.propagate
    yield
    ours.handlers, ours.propagate = before[0], before[2]
    ours.setLevel(before[1])


def test_progress_and_warnings_are_lines_on_stderr(capsys):
    stderr.show(everything=False)

    LOG.info("installing the packages of %s", "requirements.txt")
    LOG.warning("answers are not kept")
    LOG.debug("how it was done")

    assert capsys.readouterr().err == (
        "agentevals: installing the packages of requirements.txt\n"
        "agentevals: warning: answers are not kept\n"
    )


def test_verbose_says_how_it_was_done(capsys):
    stderr.show(everything=True)

    try:
        {}["units"]
    except KeyError:
        LOG.debug("units failed", exc_info=True)

    said = capsys.readouterr().err.splitlines()
    assert said[0] == "agentevals: units failed"
    assert said[-1] == "agentevals: KeyError: 'units'"


def test_what_an_installer_prints_is_shown_and_not_obeyed(capsys):
    stderr.show(everything=False)

    LOG.info("\x1b[2Jgone\n::error::fake")

    assert capsys.readouterr().err == "agentevals: ␛[2Jgone ::error::fake\n"


def test_others_are_not_shown(capsys):
    stderr.show(everything=True)

    logging.getLogger("somebody").debug("else")

    assert capsys.readouterr().err == ""


def test_a_run_tells_that_it_installs_and_that_it_is_done(tmp_path):
    (tmp_path / "requirements.txt").write_text("")
    (tmp_path / "one.py").write_text("print('{\"score\": 1}')\n")
    (tmp_path / "c.yaml").write_text("evaluators: [{name: one, type: code, path: one.py}]\n")

    done = agentevals(
        *("run", str(EXAMPLES / "traces" / "paris.jsonl"), "-c", str(tmp_path / "c.yaml")),
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )

    assert f"agentevals: installing the packages of {tmp_path}/requirements.txt\n" in done.stderr
