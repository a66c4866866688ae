"""The probe achieves nothing behind the walls, and something without them."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import isolation_promises
from agentevals.sandbox.isolation import Rights, describe
from agentevals.sandbox.isolation_promises import Outcome
from tests.sandbox.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these walls")

PROBE = Path(isolation_promises.__file__).with_name("probe.py")
strict = pytest.mark.skipif(
    sys.platform != "linux" or not describe().startswith("strict"), reason="the walls are lower"
)


def test_every_promise_of_the_level_holds() -> None:
    _, checked = isolation_promises.check()

    assert [one for one in checked if one.outcome is Outcome.BROKEN] == []


@pytest.mark.parametrize("attempt", ["environments", "files", "writes", "signals", "traces"])
def test_the_same_attempt_succeeds_without_walls(attempt: str, tmp_path: Path) -> None:
    probe = tmp_path / "probe.py"
    probe.write_bytes(PROBE.read_bytes())
    (tmp_path / "file").touch()
    victim = subprocess.Popen(["sleep", "60"], env={"TOKEN": "secret"})
    arguments = {
        "environments": [str(victim.pid)],
        "files": [str(tmp_path / "file")],
        "writes": [str(tmp_path)],
        "signals": [str(victim.pid)],
        "traces": [],
    }[attempt]

    done = subprocess.run(
        [sys.executable, probe, attempt, *arguments],
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    victim.kill()
    victim.wait()

    assert done.stdout


@strict
@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_an_evaluator_runs_wherever_we_can_read_it(either: Run, tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)

    finished = either("print(1)")

    assert finished.stdout == b"1\n"
    assert finished.isolation.startswith("strict")


@strict
def test_only_what_was_granted_can_be_read_and_written(either: Run, tmp_path: Path) -> None:
    for name in ("read", "write", "neither"):
        (tmp_path.parent / name).mkdir(exist_ok=True)
        (tmp_path.parent / name / "file").write_text("old")
    text = """
        import pathlib, sys
        for name in ("read", "write", "neither"):
            file = pathlib.Path(sys.argv[1], name, "file")
            for does in (file.read_text, lambda: file.write_text("new")):
                try: does(); print("yes", end=" ")
                except OSError: print("no", end=" ")
        """

    finished = either(
        text,
        b"",
        str(tmp_path.parent),
        readable=[tmp_path.parent / "read"],
        writable=[tmp_path.parent / "write"],
    )

    assert finished.stdout.decode().split() == ["yes", "no", "yes", "yes", "no", "no"]


@strict
def test_the_network_is_there_when_it_was_granted_but_no_daemon_of_this_machine(
    either: Run,
) -> None:
    text = """
        import socket
        server = socket.create_server(("127.0.0.1", 0))
        with socket.create_connection(server.getsockname()):
            print("connected", end=" ")
        try: socket.socket(socket.AF_UNIX)
        except PermissionError: print("no daemon", end="")
        """

    assert either(text, rights=Rights(network=True)).stdout == b"connected no daemon"
    assert "PermissionError" in either(text).stderr


@strict
def test_no_socket_can_be_pointed_at_a_path_afterwards(either: Run) -> None:
    finished = either("""
        import socket
        try: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        except PermissionError: print("refused")
        """)

    assert finished.stdout == b"refused\n"


@strict
def test_the_right_to_search_folders_does_not_become_a_right_to_write(
    either: Run, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    finished = either("""
        import os
        there = os.path.dirname(os.path.realpath(__file__))
        print(os.getuid() != 0, os.getgroups())
        for attempt in (
            lambda: open(__file__, "a"), lambda: os.mkdir(f"{there}/folder"),
            lambda: os.chmod(there, 0o777), lambda: os.chown(there, os.getuid(), -1),
            lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: open("/etc/shadow"),
        ):
            try: attempt(); print("done")
            except OSError: pass
        """)

    if "own user" not in finished.isolation:
        pytest.skip("this right does not exist here")
    assert finished.stdout in {b"True []\n", b"True [65534]\n"}, finished.stderr


def test_two_that_run_at_the_same_time_cannot_reach_each_other(either: Run) -> None:
    finished = either("""
        import os, signal
        reached = []
        for pid in range(max(2, os.getpid() - 300), os.getpid()):
            try: os.kill(pid, 0); reached.append(pid)
            except OSError: pass
        print(reached)
        """)

    assert finished.stdout == b"[]\n"


def test_a_level_that_this_machine_does_not_reach_is_an_error(
    evaluator: Run, tmp_path: Path
) -> None:
    with pytest.raises(EvaluatorError, match="unknown isolation 'perfect'"):
        evaluator("", level="perfect")


@strict
def test_what_is_strict_stays_strict_when_it_is_demanded(either: Run) -> None:
    assert either("", level="strict").isolation.startswith("strict")


def test_a_program_inherits_nothing_but_its_three_streams(either: Run) -> None:
    text = """
        import os
        def is_open(file):
            try:
                os.fstat(file)
            except OSError:
                return False
            return True
        print([file for file in range(1024) if is_open(file)])
    """

    assert either(text).stdout == b"[0, 1, 2]\n"


def test_it_inherits_nothing_either_when_we_have_many_files_open(tmp_path: Path) -> None:
    (tmp_path / "evaluator.py").write_text(
        "import os, stat\n"
        "for file in range(3, 4096):\n"
        "    try: print(file, stat.S_ISSOCK(os.fstat(file).st_mode))\n"
        "    except OSError: pass\n"
    )
    text = """if True:
        import os, resource, sys
        from pathlib import Path
        from agentevals.sandbox.isolation import run_program
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
        command = [sys.executable, "evaluator.py"]
        print(run_program(command, stdin=b"", timeout=9, folder=Path(sys.argv[1])).stdout)
    """
    done = subprocess.run(
        [sys.executable, "-c", text, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.stdout == "b''\n", done.stderr


@strict
def test_of_a_checkout_it_reads_everything_but_the_history_and_its_settings(
    either: Run, tmp_path: Path
) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "list.txt").write_text("please")
    (tmp_path / "helper.py").write_text("KIND = 'thanks'")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("extraheader = secret")
    (tmp_path / "outside").symlink_to("/etc/shadow")
    text = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import helper
        print(helper.KIND, open({str(tmp_path / "words/list.txt")!r}).read())
        for name in (".git/config", "outside"):
            try:
                print(open({str(tmp_path)!r} + "/" + name).read())
            except OSError as error:
                print(type(error).__name__)
    """

    assert either(text).stdout.decode().split("\n") == [
        "thanks please",
        "PermissionError",
        "PermissionError",
        "",
    ]
