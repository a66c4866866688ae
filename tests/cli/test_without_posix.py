"""Commands on a system without POSIX, such as Windows: only what needs the sandbox is refused.

Such a system is imitated by taking away what its Python lacks. CI runs record, bless and run on a
real one.
"""

import subprocess
import sys

import pytest

from tests.support import EXAMPLES

# what the standard library needs of these is imported before they go
LACKING = """\
import importlib.metadata, http.server, multiprocessing, os, select, signal, socket, socketserver
import subprocess, sys, tempfile
for name in ("fcntl", "resource", "pwd", "grp", "termios", "pty", "syslog"):
    sys.modules[name] = None
for place, names in {
    os: "fork killpg setsid geteuid getuid memfd_create pread fchmod chown O_NOFOLLOW O_NONBLOCK "
        "O_CLOEXEC O_DIRECTORY",
    signal: "SIGKILL SIGHUP SIGUSR1 SIGUSR2 SIGALRM SIGPIPE SIGCHLD pthread_sigmask setitimer",
    select: "poll epoll",
    socket: "AF_UNIX",
}.items():
    for name in names.split():
        delattr(place, name)
os.supports_dir_fd = os.supports_follow_symlinks = set()
from agentevals.cli import main
main()
"""
SENDER = """\
import os, sys, urllib.request
address = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces"
content = open(sys.argv[1], "rb").readline()
headers = {"Content-Type": "application/json"}
urllib.request.urlopen(urllib.request.Request(address, content, headers)).close()
"""


@pytest.fixture
def typed(tmp_path):
    def run(*words, code=0):
        done = subprocess.run(
            [sys.executable, "-c", LACKING, *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_record_bless_init_and_run_lead_to_a_verdict(typed, tmp_path):
    trace = EXAMPLES / "traces/paris.jsonl"

    typed("record", "-o", "traces", "--", sys.executable, "-c", SENDER, trace)
    typed("bless", "traces", "-o", "eval_set.json")
    typed("init")
    printed = typed("run", "--config", "eval_config.yaml")

    assert printed.startswith("PASS  1 case passed")
    assert (tmp_path / ".github/workflows/agentevals.yml").is_file()


def test_an_evaluator_of_your_own_is_an_error_and_the_others_evaluate(typed):
    config = ("--config", EXAMPLES / "eval_config.yaml")
    expected = ("--eval-set", EXAMPLES / "eval_set.json")

    printed = " ".join(typed("run", EXAMPLES / "traces", *config, *expected, code=1).split())

    assert "evaluator 'units' needs the sandbox, which Windows does not have" in printed
    assert "run this in WSL" in printed
    assert "✓ 1.00" in printed
    assert "bug of ours" not in printed


def test_an_evaluator_of_a_registry_is_an_error_that_says_why(typed, tmp_path):
    entry = "{name: r, type: remote, ref: tool_sequence}"
    (tmp_path / "c.yaml").write_text(f"traces: {EXAMPLES / 'traces'}\nevaluators: [{entry}]\n")

    printed = " ".join(typed("run", "--config", "c.yaml", code=3).split())

    assert "need the sandbox, which Windows does not have; use WSL" in printed


def test_the_sandbox_says_that_there_is_none(typed):
    printed = typed("sandbox", "check", code=1)

    assert "needs the sandbox, which Windows does not have" in printed
    assert "bug of ours" not in printed
