from pathlib import Path

import msgspec
import pytest

from agentevals.traces import loaders
from agentevals.traces.loaders import LOADERS
from tests.support import DATA

TRACES = DATA / "traces"
# folders that are no format, each with the reason
NO_FORMAT = {"spellings": "ways to write one export as OTLP; compared with it below"}
FORMATS = sorted({folder.name for folder in TRACES.iterdir()} - set(NO_FORMAT))
SAMPLES = [sample for name in FORMATS for sample in sorted((TRACES / name).iterdir())]


def load(path: Path, trace_format: str | None = None) -> object:
    """Return the content of a trace file without the file's name."""
    recordings = loaders.load([path], trace_format=trace_format)
    assert not recordings.findings
    traces = [msgspec.structs.replace(trace, sources=()) for trace in recordings.traces]
    return msgspec.to_builtins(traces)


def trace_file(sample: Path) -> Path:
    [path] = (path for path in sample.iterdir() if path.name != "loaded.json")
    return path


def test_every_format_has_samples_and_every_folder_is_a_format():
    assert sorted(LOADERS.ours) == FORMATS, (
        f"write a trace file to {TRACES}/<format>/<what it shows>/, one folder for each file; "
        "a folder that is no format is named in NO_FORMAT, with a reason"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_folder_of_a_format_holds_samples(name):
    assert any((TRACES / name).iterdir())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_samples(sample, golden):
    golden(sample / "loaded.json", load(trace_file(sample)))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_the_format_that_is_forced_is_the_one_that_is_found(sample):
    path = trace_file(sample)

    assert load(path, sample.parent.name) == load(path)


SPELLINGS = sorted((TRACES / "spellings").iterdir())


@pytest.mark.parametrize("path", SPELLINGS, ids=lambda path: path.name)
def test_every_spelling_of_otlp_means_the_same(path):
    assert load(path) == load(TRACES / "otlp-json/export/trace.json")


def test_the_name_of_a_file_means_nothing(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes((TRACES / "jaeger-json/export/trace.json").read_bytes())

    assert load(path) == load(TRACES / "jaeger-json/export/trace.json")
