from pathlib import Path

import msgspec
import pytest

from agentevals.traces import loaders
from tests.support import DATA

RECORDINGS = sorted(folder for folder in DATA.glob("traces/*-*/*") if folder.is_dir())
for name in ("codex", "copilot", "transcript"):
    RECORDINGS += sorted((DATA / "traces" / name).iterdir())


def loaded(path: Path, trace_format: str | None = None) -> object:
    """What a file holds, without the name of the file."""
    recordings = loaders.load([path], trace_format=trace_format)
    assert not recordings.findings
    traces = [msgspec.structs.replace(trace, sources=()) for trace in recordings.traces]
    return msgspec.to_builtins(traces)


def recording(folder: Path) -> Path:
    return next(path for path in folder.iterdir() if path.name != "loaded.json")


@pytest.mark.parametrize("folder", RECORDINGS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_recordings(folder, golden):
    golden(folder / "loaded.json", loaded(recording(folder)))


@pytest.mark.parametrize("folder", RECORDINGS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_the_format_that_is_forced_is_the_one_that_is_found(folder):
    path = recording(folder)

    assert loaded(path, folder.parent.name) == loaded(path)


SPELLINGS = sorted((DATA / "traces/spellings").iterdir())


@pytest.mark.parametrize("path", SPELLINGS, ids=lambda path: path.name)
def test_every_spelling_of_otlp_means_the_same(path):
    assert loaded(path) == loaded(DATA / "traces/otlp-json/export/trace.json")


def test_the_name_of_a_file_means_nothing(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes((DATA / "traces/jaeger-json/export/trace.json").read_bytes())

    assert loaded(path) == loaded(DATA / "traces/jaeger-json/export/trace.json")
