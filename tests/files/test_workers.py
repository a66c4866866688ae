import os
import signal
from pathlib import Path

import pytest

from agentevals.files.workers import count_cores, do_parts, use_cores


def list_children() -> list[int]:
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(pid) for pid in listed.read_text(encoding="ascii").split()]


def test_no_more_cores_are_used_than_a_run_asks_for():
    found = count_cores()

    use_cores(1)
    assert count_cores() == 1
    use_cores(found + 1)
    assert count_cores() == found
    use_cores(None)
    assert count_cores() == found


def test_parts_come_in_their_order_whoever_is_faster():
    def work(part):
        return part, "x" * (200_000 if part % 3 else 1)

    found = list(do_parts(work, 50, 3))

    assert [part for part, _ in found] == list(range(50))
    assert {len(text) for _, text in found} == {1, 200_000}


def test_parts_are_done_in_other_processes():
    assert os.getpid() not in set(do_parts(lambda _: os.getpid(), 20, 2))


def test_a_worker_that_is_killed_costs_time_and_no_part():
    here = os.getpid()

    def work(part):
        if part == 7 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    assert list(do_parts(work, 30, 2)) == list(range(30))


def test_an_error_is_raised_as_if_there_were_no_workers():
    def work(part):
        if part == 3:
            msg = "three"
            raise ValueError(msg)
        return part

    found = do_parts(work, 5, 2)

    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(found)


def test_no_worker_is_left_when_nobody_wants_more():
    before = list_children()
    found = do_parts(lambda part: part, 1000, 2)
    next(found)

    found.close()

    assert list_children() == before


def test_what_a_worker_has_to_print_at_its_end_is_not_printed_twice(capfd):
    print("once")  # in a buffer that a fork has as well

    list(do_parts(lambda part: part, 4, 2))

    assert capfd.readouterr().out.count("once") == 1
