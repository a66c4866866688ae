"""The peak of each command is its own: not that of an earlier one, nor that of the benchmark."""

import sys

import pytest

from tests.bench.measure import measure

LARGE = 128  # megabytes; the interpreter alone takes a tenth of it
SMALL = 40


def python(program):
    return [sys.executable, "-I", "-S", "-c", program]


def filling(megabytes):
    return f"text = b'x' * ({megabytes} << 20)"


def peak(command, folder):
    return measure(command, cwd=folder, repeat=1).megabytes


def test_a_small_command_after_a_large_one(tmp_path):
    large = peak(python(filling(LARGE)), tmp_path)
    small = peak(python("pass"), tmp_path)

    assert large > LARGE
    assert small < SMALL


def test_a_small_command_of_a_process_that_was_large_itself(tmp_path):
    exec(filling(LARGE), {})

    assert peak(python("pass"), tmp_path) < SMALL


def test_a_large_process_that_the_command_waits_for_counts(tmp_path):
    program = f"import subprocess; subprocess.run({python(filling(LARGE))!r}, check=True)"

    assert peak(python(program), tmp_path) > LARGE


def test_a_command_that_fails_ends_the_benchmark_with_what_it_printed(tmp_path):
    with pytest.raises(SystemExit, match=r"(?s)ended with 3:\nno such trace"):
        peak(python("import sys; print('no such trace', file=sys.stderr); sys.exit(3)"), tmp_path)


def test_a_failed_gate_is_a_result_like_any_other(tmp_path):
    assert peak(python("raise SystemExit(1)"), tmp_path) > 0


def test_cpu_time_is_that_of_all_processes_and_not_of_waiting(tmp_path):
    waiting = measure(python("import time; time.sleep(1)"), cwd=tmp_path, repeat=1)
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    program = f"import subprocess; subprocess.run({python(busy)!r}, check=True)"
    working = measure(python(program), cwd=tmp_path, repeat=1)

    assert waiting.cpu < waiting.seconds
    assert working.cpu > 0.5
