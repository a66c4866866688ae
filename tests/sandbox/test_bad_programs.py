"""Whatever a program does, its result is a Finished or an EvaluatorError, in time."""

import sys
import time
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from tests.sandbox.conftest import Run

MIB = 1 << 20


def gone(pid: int) -> bool:
    """Whether a process ends within a second."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_prints_garbage(either: Run) -> None:
    assert either(r"import os; os.write(1, b'\xff\x00{')").stdout == b"\xff\x00{"


def test_prints_without_end(either: Run) -> None:
    with pytest.raises(EvaluatorError, match="printed more than 16 MiB to its standard output"):
        either("import os\nwhile True: os.write(1, b'x' * 65536)")


def test_may_print_as_much_as_there_is_room_for(evaluator: Run) -> None:
    program = "import sys; sys.stdout.write('x' * (16 << 20))"

    assert len(evaluator(program).stdout) == 16 * MIB


def test_never_reads_a_large_stdin(either: Run) -> None:
    assert either("print('done')", b"x" * 50 * MIB).stdout == b"done\n"


def test_reads_a_large_stdin(either: Run) -> None:
    finished = either("import sys; print(len(sys.stdin.buffer.read()))", b"x" * 50 * MIB)

    assert finished.stdout == b"52428800\n"


def test_cannot_change_its_stdin(evaluator: Run) -> None:
    finished = evaluator("open('/proc/self/fd/0', 'r+b', buffering=0).write(b'y')", b"x")

    assert "PermissionError" in finished.stderr


LEAVES_A_GRANDCHILD = """
    import os, signal, sys, time
    if os.fork() == 0:
        {escape}
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(1, str(os.getpid()).encode())
            time.sleep(60)
        os._exit(0)
    os.wait()
    {then}
    """


@pytest.mark.parametrize("escape", ["pass", "os.setsid()", "os.setpgid(0, 0)"])
def test_leaves_a_grandchild_that_holds_the_pipe(either: Run, escape: str) -> None:
    finished = either(LEAVES_A_GRANDCHILD.format(escape=escape, then="time.sleep(0.1)"))

    assert finished.exit_code == 0
    assert finished.seconds < 2
    assert gone(int(finished.stdout))


@pytest.mark.parametrize("escape", ["pass", "os.setsid()"])
def test_is_still_running_with_a_stubborn_grandchild_when_its_time_is_over(
    either: Run, escape: str
) -> None:
    then = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)"""
    began = time.monotonic()

    with pytest.raises(EvaluatorError, match=r"took longer than 0\.6 s and was ended"):
        either(LEAVES_A_GRANDCHILD.format(escape=escape, then=then), timeout=0.6)

    assert time.monotonic() - began < 0.6 + 0.3


def test_what_it_started_ends_with_it_when_its_time_is_over(evaluator: Run, tmp_path: Path) -> None:
    (tmp_path / "note").touch()
    text = """
        import os, pathlib, signal, time
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            pathlib.Path(__file__).with_name("note").write_text(str(os.getpid()))
        time.sleep(60)
        """

    with pytest.raises(EvaluatorError, match="took longer"):
        evaluator(text, timeout=0.6, writable=[tmp_path / "note"])

    assert gone(int((tmp_path / "note").read_text()))


def test_is_asked_to_end_before_it_is_made_to(evaluator: Run, tmp_path: Path) -> None:
    (tmp_path / "note").touch()
    text = """
        import pathlib, signal, sys, time
        note = pathlib.Path(__file__).with_name("note")
        def end(*_): note.write_text("asked"); sys.exit()
        signal.signal(signal.SIGTERM, end)
        time.sleep(60)
        """

    with pytest.raises(EvaluatorError, match="took longer"):
        evaluator(text, timeout=1, writable=[tmp_path / "note"])

    assert (tmp_path / "note").read_text() == "asked"


def test_closes_its_output_and_goes_on(either: Run) -> None:
    with pytest.raises(EvaluatorError, match="took longer"):
        either("import os, time; os.close(1); os.close(2); time.sleep(60)", timeout=0.5)


def test_closes_its_output_and_ends(either: Run) -> None:
    assert either("import os; os.close(1); os.close(2); os._exit(0)").exit_code == 0


def test_writes_to_a_pipe_that_nobody_reads(either: Run) -> None:
    finished = either("""
        import os
        read, write = os.pipe()
        os.close(read)
        os.write(write, b"x")
        """)

    assert "BrokenPipeError" in finished.stderr


@pytest.mark.parametrize(("ending", "code"), [("SIGKILL", -9), ("SIGSEGV", -11), ("SIGTERM", -15)])
def test_ends_by_a_signal(either: Run, ending: str, code: int) -> None:
    finished = either(f"import os, signal; os.kill(os.getpid(), signal.{ending})")

    assert finished.exit_code == code


@pytest.mark.parametrize(
    ("text", "code", "stderr"),
    [
        ("import os; print('lost'); os._exit(7)", 7, ""),
        ("import sys; sys.exit('text')", 1, "text\n"),
        ("import sys; sys.exit(None)", 0, ""),
        ("import sys; sys.exit(256 + 4)", 4, ""),
        ("raise SystemExit", 0, ""),
        ("import sys; sys.stderr.buffer.write(b'\\xff!'); sys.exit(3)", 3, "\ufffd!"),
    ],
)
def test_ends_in_a_way_of_its_own(either: Run, text: str, code: int, stderr: str) -> None:
    finished = either(text)

    assert (finished.exit_code, finished.stderr) == (code, stderr)


def test_an_exception_that_nobody_handles_looks_as_it_does_in_python(
    evaluator: Run, program: Run
) -> None:
    text = "def broken():\n    return {}['key']\n\nbroken()\n"

    warm, cold = evaluator(text), program(f"#!/usr/bin/env python3\n{text}")

    assert warm.exit_code == cold.exit_code == 1
    assert warm.stderr.count("File ") == 2
    assert warm.stderr.endswith("KeyError: 'key'\n")
    assert "return {}['key']" in warm.stderr


def test_a_script_that_does_not_parse_looks_as_it_does_in_python(evaluator: Run) -> None:
    finished = evaluator("def (:\n")

    assert finished.exit_code == 1
    assert finished.stderr.count("File ") == 1
    assert "SyntaxError" in finished.stderr


def test_a_hundred_thousand_lines_on_stderr_are_shortened_in_the_middle(either: Run) -> None:
    finished = either("import sys\nfor n in range(100_000): print('line', n, file=sys.stderr)")

    assert finished.stderr.startswith("line 0\n")
    assert finished.stderr.endswith("line 99999\n")
    assert "bytes omitted" in finished.stderr
    assert len(finished.stderr) < 100_000


def test_threads_and_exit_handlers_have_their_time(either: Run) -> None:
    finished = either("""
        import atexit, threading, time
        atexit.register(print, "at exit")
        def late(): time.sleep(0.05); print("thread")
        threading.Thread(target=late).start()
        print("main")
        """)

    assert finished.stdout == b"main\nthread\nat exit\n"


def test_a_daemon_thread_does_not_keep_it(either: Run) -> None:
    finished = either("""
        import threading, time
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        """)

    assert finished.exit_code == 0


def test_asyncio_subprocesses_and_worker_processes_work(either: Run) -> None:
    finished = either("""
        import asyncio, multiprocessing, subprocess, sys
        async def wait(): await asyncio.sleep(0.01); return await asyncio.to_thread(len, "abc")
        if __name__ == "__main__":
            print(asyncio.run(wait()), flush=True)
            subprocess.run(["echo", "sub"], check=True, start_new_session=True)
            context = multiprocessing.get_context("fork")
            worker = context.Process(target=print, args=("worker",), kwargs={"flush": True})
            worker.start(), worker.join()
        """)

    assert (finished.stdout, finished.exit_code) == (b"3\nsub\nworker\n", 0), finished.stderr


def test_nothing_that_one_does_is_seen_by_the_next(evaluator: Run) -> None:
    marks = """
        import builtins, json, os, random, sys, tempfile, pathlib
        print(json.dumps([
            hasattr(builtins, "mark"), "mark" in sys.modules, "MARK" in os.environ,
            "mark" in sys.path, hasattr(json, "mark"), os.listdir(tempfile.gettempdir()),
        ]))
        builtins.mark = json.mark = 1
        sys.modules["mark"] = sys
        sys.path.append("mark")
        os.environ["MARK"] = "1"
        (pathlib.Path.home() / "mark").touch()
        os.chdir("/usr")
        """

    first, second = evaluator(marks), evaluator(marks)

    assert first.exit_code == 0, first.stderr
    assert first.stdout == second.stdout == b"[false, false, false, false, false, []]\n"


def test_random_numbers_differ_and_hashes_do_not(either: Run) -> None:
    text = "import random; print(random.random(), hash('a'))"

    one, two = (either(text).stdout.split() for _ in range(2))

    assert one[0] != two[0]
    assert one[1] == two[1]


@pytest.mark.skipif(sys.platform != "linux", reason="limits that only Linux keeps")
class TestLimits:
    def test_allocates_too_much(self, either: Run) -> None:
        finished = either("bytearray(10 << 30)")

        assert (finished.exit_code, "MemoryError" in finished.stderr) == (1, True)

    def test_gets_the_memory_it_was_granted(self, evaluator: Run) -> None:
        text = "print(len(bytearray(300 << 20)))"

        assert evaluator(text, memory_mb=100).exit_code == 1
        assert evaluator(text, memory_mb=500).exit_code == 0

    def test_writes_one_large_file(self, either: Run) -> None:
        finished = either("""
            import pathlib
            (pathlib.Path.home() / "large").write_bytes(bytes(100 << 20))
            """)

        assert "File too large" in finished.stderr

    def test_fills_the_disk_with_many_files(self, evaluator: Run) -> None:
        text = """
            import os, pathlib
            for n in range(30):
                with open(pathlib.Path.home() / str(n), "wb") as file:
                    os.posix_fallocate(file.fileno(), 0, 60 << 20)
            """

        with pytest.raises(EvaluatorError, match="left more than 256 MiB in its scratch folder"):
            evaluator(text, timeout=30)

    def test_computes_without_end(self, either: Run) -> None:
        with pytest.raises(EvaluatorError, match="took longer"):
            either("while True: pass", timeout=0.5)

    def test_forks_without_end(self, either: Run) -> None:
        if "own user" not in either("").isolation:
            pytest.skip("processes are counted per user")
        finished = either("""
            import os, time
            count = 0
            try:
                while True:
                    if os.fork() == 0: time.sleep(60)
                    count += 1
            except BlockingIOError:
                print(count)
            """)

        assert 10 < int(finished.stdout) < 128

    def test_a_fork_bomb_is_over_in_time(self, evaluator: Run) -> None:
        began = time.monotonic()

        with pytest.raises(EvaluatorError, match="took longer"):
            evaluator(
                """
                import os, time
                for _ in range(7):
                    try: os.fork()
                    except BlockingIOError: pass
                time.sleep(60)
                """,
                timeout=1,
            )

        assert time.monotonic() - began < 1.4
