"""`run` on a machine warns of recordings of another version of the agent."""

import json

import pytest

from agentevals.files.agent_files import AgentFiles
from tests.action.job import CITIES, TRAJECTORY, config, eval_set
from tests.action.test_freshness import recording
from tests.support import agentevals

STALE = "4 of 4 recordings are of another version; record again with 'agentevals record'"


@pytest.fixture
def folder(tmp_path):
    """An agent with recordings of it as it is now."""
    (tmp_path / "agent.py").write_text("print('sunny')\n")
    (tmp_path / "eval_config.yaml").write_text(config(TRAJECTORY, agent=["agent.py"]))
    (tmp_path / "eval_set.json").write_text(eval_set(*CITIES))
    (tmp_path / "traces").mkdir()
    record(tmp_path, AgentFiles(tmp_path, ("agent.py",)).compute_digest())
    return tmp_path


def record(folder, digest):
    for at, case in enumerate(CITIES, start=1):
        (folder / f"traces/{case}.jsonl").write_text(recording(at, case, digest))


def run(folder, *words):
    return agentevals("run", "-c", "eval_config.yaml", *words, cwd=folder)


def test_a_recording_of_the_agent_as_it_is_needs_no_warning(folder):
    assert STALE not in run(folder).stdout


def test_a_changed_agent_is_a_warning_and_the_verdict_stays(folder):
    (folder / "agent.py").write_text("print('rainy')\n")

    done = run(folder)

    assert (done.returncode, STALE in " ".join(done.stdout.split())) == (0, True)


def test_every_output_has_it(folder):
    (folder / "agent.py").write_text("print('rainy')\n")

    done = run(folder, "-o", "json", "--output-file", "review=report.json")
    (section,) = json.loads((folder / "report.json").read_text())["sections"]

    assert STALE in done.stdout
    assert "stale-recording" in {found["rule"] for found in section["findings"]}


@pytest.mark.parametrize("digest", ["", "f" * 40])
def test_without_a_list_or_a_digest_nothing_is_known(folder, digest):
    record(folder, digest)
    listed = {} if digest else {"agent": ["agent.py"]}
    (folder / "eval_config.yaml").write_text(config(TRAJECTORY, **listed))

    assert "another version" not in run(folder).stdout
