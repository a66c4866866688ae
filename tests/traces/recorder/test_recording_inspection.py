from agentevals.traces.recorder import recording_inspection
from agentevals.traces.recorder.recording_inspection import inspect
from tests.support import EXAMPLES

FILES = [EXAMPLES / "traces/paris.jsonl", EXAMPLES / "traces/picnic.jsonl"]


def test_everything_is_counted():
    found = inspect(FILES, {}, {})

    assert (found.conversations, found.turns, found.usable) == (2, 3, 2)
    assert (found.model_calls, found.tool_calls) == (9, 6)
    assert not found.missing
    assert not found.is_partial


def test_large_recordings_are_looked_at_in_part(monkeypatch):
    monkeypatch.setattr(recording_inspection, "_LARGEST", FILES[0].stat().st_size)

    found = inspect(FILES, {}, {})

    assert found.conversations == 1
    assert found.is_partial
    assert not found.is_unread


def test_a_very_large_file_is_not_read(monkeypatch):
    monkeypatch.setattr(recording_inspection, "_LARGEST", 1)

    assert inspect(FILES, {}, {}).is_unread
