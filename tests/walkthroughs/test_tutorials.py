"""Each tutorial works from an empty folder, and prints what it shows."""

import subprocess

import pytest

from tests.walkthroughs.reader import ROOT, Reader

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("[!R]*.md"))
# what an agent has that sets up OpenTelemetry
SETS_UP = """
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
"""


@pytest.fixture
def stranger(finished, tmp_path):
    """Somebody with an empty folder, who may make commits."""
    done, _ = finished
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", "-b", "main", folder], check=True)
    who = {f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")}
    who |= {f"GIT_{role}_EMAIL": "ada@example.org" for role in ("AUTHOR", "COMMITTER")}
    return Reader(folder, {**done.environ, **who})


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_a_tutorial_can_be_followed_as_printed(stranger, page):
    assert stranger.compare(page.read_text(encoding="utf-8")) == []


def test_the_lines_about_pairing_write_the_case_into_the_recording(stranger):
    page = (ROOT / "docs/understand/pairing.md").read_text(encoding="utf-8")
    assert stranger.follow(page) == []
    agent = stranger.folder / "my_agent.py"
    agent.write_text(SETS_UP + agent.read_text())

    stranger.type("agentevals record -o traces/ -- python my_agent.py")

    [recording] = (stranger.folder / "traces").iterdir()
    assert '"agentevals.eval.case.id"' in recording.read_text(encoding="utf-8")
    assert "late-refund" in recording.read_text(encoding="utf-8")
