import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import launcher_client
from agentevals.sandbox.isolation import describe, run_program
from agentevals.sandbox.program_rights import Rights
from tests.sandbox.conftest import Run


def test_requests_from_many_threads_are_served_at_once(evaluator: Run, tmp_path: Path) -> None:
    evaluator("import sys; n = sys.stdin.read(); print(n)")

    def one(number: int) -> bytes:
        done = run_program(
            [sys.executable, "evaluator.py"],
            stdin=str(number).encode(),
            timeout=20,
            folder=tmp_path,
        )
        return done.stdout

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(one, range(120)))

    assert answers == [b"%d\n" % number for number in range(120)]


def test_a_slow_one_does_not_hold_up_the_others(evaluator: Run, program: Run) -> None:
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(program, "#!/bin/sh\nsleep 1")
        quick = [evaluator("print(1)").seconds for _ in range(10)]

    assert sum(quick) < slow.result().seconds


def test_it_holds_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    launcher_client.shut_down()
    describe()

    environment = Path(f"/proc/{launcher_client.get_launcher().pid}/environ").read_bytes()

    assert b"PYTHONHASHSEED" in environment
    assert b"secret" not in environment


def test_when_it_is_killed_one_result_is_lost_and_a_new_one_is_started(evaluator: Run) -> None:
    describe()
    lost = launcher_client.get_launcher()
    killer = threading.Timer(0.3, os.kill, (lost.pid, signal.SIGKILL))
    killer.start()

    with pytest.raises(EvaluatorError, match="ended from outside"):
        evaluator("import os, time; os.fork(); time.sleep(60)")

    assert evaluator("print('again')").stdout == b"again\n"
    assert launcher_client.get_launcher().pid != lost.pid


CROWD = """
import os, time
children = []
for number in range(60):
    if not (pid := os.fork()):
        while True:
            os.mkdir(f"{number}")
            os.rmdir(f"{number}")
    children.append(pid)
time.sleep(0.1)
print(*children)
"""


def test_nobody_of_a_program_is_left_when_its_end_is_told(evaluator: Run) -> None:
    ended = evaluator(CROWD, rights=Rights(subprocess=True))

    left = [pid for pid in ended.stdout.split() if Path(f"/proc/{int(pid)}").exists()]
    assert (len(ended.stdout.split()), left) == (60, [])


def test_a_child_that_waits_for_an_order_holds_nothing_of_another_program(evaluator: Run) -> None:
    evaluator("print(1)")
    waiting, base = find_waiting(), launcher_client.get_launcher().base

    def list_shared() -> list[str]:
        return [file for file in list_files(waiting) if file.startswith(("socket:", base))]

    wait_for(lambda: len(list_shared()) == 1)  # it closes the others when it has begun
    assert list_shared()[0].startswith("socket:")


def test_it_does_without_a_child_that_was_ended_from_outside(evaluator: Run) -> None:
    evaluator("print(1)")
    waiting = find_waiting()
    os.kill(waiting, signal.SIGKILL)
    wait_for(lambda: not alive(str(waiting)))

    assert evaluator("print('again')").stdout == b"again\n"


def test_a_child_that_waits_ends_with_it(evaluator: Run) -> None:
    evaluator("print(1)")
    waiting = find_waiting()

    os.kill(launcher_client.get_launcher().pid, signal.SIGKILL)
    wait_for(lambda: not alive(str(waiting)))

    assert not alive(str(waiting))


def list_files(process: int) -> list[str]:
    found = []
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed a moment ago
            found.append(str(file.readlink()))
    return found


def find_waiting() -> int:
    """Return the child that the launcher has made for its next order."""
    launcher = launcher_client.get_launcher().pid
    children = Path(f"/proc/{launcher}/task/{launcher}/children")
    wait_for(lambda: len(children.read_text().split()) == 1)
    return int(children.read_text())


def wait_for(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_it_ends_with_all_it_started_when_our_process_is_killed(tmp_path: Path) -> None:
    (tmp_path / "evaluator.py").write_text(
        "import os, signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.fork()\nopen(f'{sys.path[0]}/pids', 'a').write(f'{os.getpid()}\\n')\ntime.sleep(60)\n"
    )
    (tmp_path / "pids").touch()
    text = """if True:
        import sys
        from pathlib import Path
        from agentevals.sandbox.isolation import Rights, run_program
        folder = Path(sys.argv[1])
        command = [sys.executable, "evaluator.py"]
        run_program(
            command, stdin=b"", timeout=60, folder=folder, writable=[folder / "pids"],
            rights=Rights(subprocess=True),
        )
        """
    ours = subprocess.Popen([sys.executable, "-c", text, str(tmp_path)])
    deadline = time.monotonic() + 20
    while len(pids := (tmp_path / "pids").read_text().split()) < 2:
        assert ours.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)

    ours.kill()
    ours.wait()

    deadline = time.monotonic() + 5
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)


DEEP = """
import os, sys, time
for _ in range(1500):
    os.mkdir("d" * 50)
    os.chdir("d" * 50)
os.write(2, b"deep")
time.sleep(60)
"""


def test_no_folder_is_left_when_our_process_is_killed(tmp_path: Path) -> None:
    (tmp_path / "evaluator.py").write_text(DEEP)
    text = """if True:
        import sys
        from pathlib import Path
        from agentevals.sandbox import launcher_client as client, isolation
        folder = Path(sys.argv[1])
        base = client.get_launcher().base
        (folder / "base").write_text(base)
        isolation.run_program(
            [sys.executable, "evaluator.py"], stdin=b"", timeout=60, folder=folder
        )
        """
    ours = subprocess.Popen([sys.executable, "-c", text, str(tmp_path)])
    deadline = time.monotonic() + 20
    while not (base := _read(tmp_path / "base")) or not list(Path(base).glob(f"*/{'d' * 50}")):
        assert ours.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)

    ours.kill()
    ours.wait()

    while Path(base).exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_what_lies_too_deep_to_be_measured_is_too_much(evaluator: Run) -> None:
    with pytest.raises(EvaluatorError, match=r"more folders .* than can be measured"):
        evaluator(DEEP)


def test_a_forked_process_of_ours_gets_a_launcher_of_its_own(evaluator: Run) -> None:
    ours = launcher_client.get_launcher().pid
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, b"%d" % launcher_client.get_launcher().pid)
        launcher_client.shut_down()
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        theirs = int(answer.read())

    assert theirs != ours
    assert evaluator("print(1)").stdout == b"1\n"
    assert launcher_client.get_launcher().pid == ours


def test_it_leaves_no_folder_behind() -> None:
    folder = Path(launcher_client.get_launcher().base)
    assert folder.is_dir()

    launcher_client.shut_down()

    assert not folder.exists()


def alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_folder_is_left_when_we_end_before_it_has_started(tmp_path: Path) -> None:
    text = """if True:
        import os
        from agentevals.sandbox import launcher_client as client
        client.Launcher._greeting = lambda self: os._exit(0)
        client.get_launcher()
    """
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", text], env=environment, check=True)

    deadline = time.monotonic() + 10
    while list(tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_nothing_is_started_for_who_was_cancelled(tmp_path: Path) -> None:
    (tmp_path / "evaluator.py").write_text("print('started')\n")
    program = f"""
import os, pathlib, signal, sys
from agentevals.sandbox import cancelling, isolation
from agentevals.model.errors import EvaluatorError
cancelling.heed()
try:
    os.kill(os.getpid(), signal.SIGTERM)
except cancelling.Cancelled:
    try:
        folder = pathlib.Path({str(tmp_path)!r})
        isolation.run_program([sys.executable, "evaluator.py"], stdin=b"", timeout=9, folder=folder)
    except EvaluatorError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )

    assert done.stdout == "was not started, because the run was cancelled\n", done.stderr
