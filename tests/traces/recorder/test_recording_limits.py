"""Limits of a recording: what counts, what is ended, and what is kept."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from agentevals.traces.recorder import Family, record
from agentevals.traces.recorder.recording_limits import Limits, Watch

SPAN = """
import json, os, sys, time, urllib.request

def send(number, failed=False, **usage):
    said = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    said["gen_ai.input.messages"] = json.dumps([{"role": "user", "content": "Hi"}])
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in said.items()]
    for key, count in usage.items():
        value = {"key": f"gen_ai.usage.{key}_tokens", "value": {"intValue": str(count)}}
        attributes.append(value)
    span = {"traceId": "a" * 32, "spanId": f"{number:016x}", "parentSpanId": "f" * 16}
    span |= {"name": "chat", "startTimeUnixNano": str(10**18 + number), "attributes": attributes}
    span |= {"status": {"code": 2}} if failed else {}
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    place = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces"
    sent = urllib.request.Request(
        place, json.dumps(body).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(sent).read()
"""
ENDLESS = f"""{SPAN}
for number in range(1, 10**9):
    send(number, input=100, output=50)
    time.sleep(0.01)
"""
THREE = f"{SPAN}\nfor number in (1, 2, 3):\n    send(number, input=100, output=50)\n"


def recorded(program, folder, **limits):
    words = [sys.executable, "-c", program]
    return record(words, folder / "traces", os.environ, limits=Limits(**limits))


def spans(done):
    lines = [json.loads(line) for file in done.files for line in file.read_text().splitlines()]
    return [
        span
        for line in lines
        for resource in line["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def test_a_command_that_would_never_end_is_ended_after_so_many_tokens(tmp_path):
    done = recorded(ENDLESS, tmp_path, tokens=1_000)

    assert done.exit_code == 124
    assert done.passed.startswith("the command has used ")
    assert done.passed.endswith(" tokens, more than --max-tokens 1,000, and was ended")
    assert len(spans(done)) * 150 > 1_000


def test_a_command_that_would_never_end_is_ended_after_so_many_seconds(tmp_path):
    done = recorded(ENDLESS, tmp_path, seconds=0.5)

    assert done.exit_code == 124
    assert done.passed == "the command was ended after 0.5 s, as --max-seconds says"


def test_what_a_command_sends_when_it_is_ended_is_kept(tmp_path):
    # a handler, because Python may drop a KeyboardInterrupt that is raised while it cleans up
    program = f"""{SPAN}
import signal
ended = []
signal.signal(signal.SIGINT, lambda *_: ended.append(True))
send(1, input=600)
while not ended: time.sleep(0.05)
send(2, input=600)
"""
    done = recorded(program, tmp_path, tokens=500)

    assert len(spans(done)) == 2
    assert done.exit_code == 124


@pytest.mark.parametrize(
    ("most", "code", "passed"),
    [
        (449, 124, "the command has used 450 tokens, more than --max-tokens 449"),
        (450, 0, ""),
        (None, 0, ""),
    ],
)
def test_a_limit_is_passed_also_if_the_command_has_ended_before_anybody_looked(
    tmp_path, most, code, passed
):
    done = recorded(THREE, tmp_path, tokens=most)

    assert done.exit_code == code
    assert done.passed.startswith(passed)
    assert bool(done.passed) is bool(passed)
    assert len(spans(done)) == 3


def test_a_limit_holds_for_all_attempts_together(tmp_path):
    words = [sys.executable, "-c", THREE]
    limits = Limits(tokens=700)
    done = record(words, tmp_path / "traces", os.environ, repeat=5, limits=limits)

    assert done.exit_code == 124
    assert "tokens, more than --max-tokens 700" in done.passed
    assert len(done.files) == 2


def test_a_command_that_ends_in_time_is_not_ended(tmp_path):
    done = recorded("exit(7)", tmp_path, seconds=600, tokens=1)

    assert (done.exit_code, done.passed) == (7, "")


def test_model_calls_without_counts_are_told_and_are_not_nought(tmp_path):
    calls = "send(1)\nsend(2, output=3)\nsend(3)\nsend(4, failed=True)\n"
    done = recorded(f"{SPAN}\n{calls}", tmp_path, tokens=100)

    assert done.uncounted.startswith("--max-tokens could not count 2 model calls: ")
    assert recorded(f"{SPAN}\nsend(1)\n", tmp_path, seconds=60).uncounted == ""


class Grown:
    def __init__(self, *paths):
        self.paths = paths

    def take_changed(self):
        paths, self.paths = self.paths, ()
        return paths


def test_a_file_that_grows_is_counted_once(tmp_path):
    whole = recorded(THREE, tmp_path).files[0]
    files = Grown(whole)
    watch = Watch(Limits(tokens=449), files)

    assert watch.look()
    files.paths = (whole,)
    assert watch.check_tokens() == "the command has used 450 tokens, more than --max-tokens 449"


@pytest.mark.parametrize(
    ("limits", "least", "most"),
    [
        (Limits(), None, None),
        (Limits(tokens=1), 0.1, 0.1),
        (Limits(seconds=600), 500, 600),
        (Limits(seconds=600, tokens=1), 0.1, 0.1),
        (Limits(seconds=0.0), 0.0, 0.0),
    ],
)
def test_the_next_look_is_soon_for_tokens_and_at_the_end_of_the_time(limits, least, most):
    pause = Watch(limits, Grown()).pause

    assert pause is least if least is None else least <= pause <= most


# ---- everybody is ended

CHILD = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
PARENT = f"""{SPAN}
import pathlib, subprocess
subprocess.Popen([sys.executable, "-c", {CHILD!r}, sys.argv[1]])
while not pathlib.Path(sys.argv[1]).exists() or not pathlib.Path(sys.argv[1]).read_text():
    time.sleep(0.02)
send(1, input=100)
print("ready", flush=True)
time.sleep(60)
"""


def is_alive(place):
    """Whether a process still runs; one that nobody has waited for does not."""
    with suppress(FileNotFoundError):
        status = Path(f"/proc/{place.read_text()}/stat").read_text()
        return status.rpartition(")")[2].split()[0] not in {"Z", "X"}
    return False


@pytest.fixture
def place(tmp_path):
    """Where the child of the command writes who it is; nothing of it is left after the test."""
    place = tmp_path / "child"
    yield place
    if is_alive(place):
        os.kill(int(place.read_text()), signal.SIGKILL)


def command(place, *options):
    record = ["record", "-o", str(place.with_name("traces")), *options]
    words = [sys.executable, "-m", "agentevals", *record]
    return [*words, "--", sys.executable, "-c", PARENT, str(place)]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_what_the_command_has_started(place, name):
    # a shell has its background programs ignore SIGINT, and tests may run in the background
    words = ["env", "--default-signal=INT", *command(place)]
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, text=True
    ) as recorder:
        assert recorder.stdout.readline() == "ready\n"
        assert is_alive(place)
        recorder.send_signal(getattr(signal, name))
        recorder.wait()

    assert not is_alive(place)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_a_limit_ends_what_the_command_has_started(tmp_path, place):
    words = command(place, "--max-tokens", "50")
    with (tmp_path / "said").open("w") as said:  # a pipe would be open until the child has ended
        done = subprocess.run(words, check=False, start_new_session=True, stderr=said)

    assert done.returncode == 124
    sentence = "the command has used 100 tokens, more than --max-tokens 50, and was ended; the "
    assert sentence in (tmp_path / "said").read_text()
    assert place.exists()
    assert not is_alive(place)


def run_at_terminal(words, typed=b""):
    """Run a command at a terminal of its own, and return its exit code and all that it showed."""
    pid, terminal = os.forkpty()
    if not pid:
        os.execv(words[0], words)
    os.write(terminal, typed)
    shown = b""
    with suppress(OSError):  # the terminal is gone with the last process
        while piece := os.read(terminal, 4096):
            shown += piece
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown.decode()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_a_limit_does_so_at_a_terminal(place):
    code, shown = run_at_terminal(command(place, "--max-tokens", "50"))

    assert code == 124, shown
    assert place.exists()
    assert not is_alive(place)


def test_a_command_may_read_from_the_terminal(tmp_path):
    program = "print('Hello', open('/dev/tty').readline().strip(), input())"
    words = [sys.executable, "-m", "agentevals", "record", "-o", str(tmp_path / "traces")]
    code, shown = run_at_terminal([*words, "--", sys.executable, "-c", program], b"Alice\nBob\n")

    assert "Hello Alice Bob" in shown
    assert code == 0


@pytest.mark.parametrize("steps", [((signal.SIGINT, 0.2), (signal.SIGTERM, 0.2))])
def test_a_command_that_ignores_every_signal_is_killed(tmp_path, steps):
    program = (
        "import pathlib, signal, sys, time\n"
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        "pathlib.Path(sys.argv[1]).touch()\n"
        "time.sleep(60)\n"
    )
    ready = tmp_path / "ready"
    family = Family([sys.executable, "-c", program, str(ready)], os.environ)
    while not ready.exists():
        time.sleep(0.02)
    family.end(steps)

    assert family.process.wait() == -signal.SIGKILL
