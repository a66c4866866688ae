import os
import threading
from functools import partial

import pytest

from agentevals.files import pipes

soon = partial(pipes.open_readable, patience=0.01)


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_without_a_writer_is_refused(pipe):
    with pytest.raises(OSError, match="no program writes into"):
        soon(pipe, os.O_RDONLY)


def test_a_writer_that_says_nothing_yet_is_waited_for(pipe):
    # a writer can open a pipe only together with a reader, so this end is opened for both
    writing = os.open(pipe, os.O_RDWR)

    reading = soon(pipe, os.O_RDONLY)
    sender = threading.Thread(target=os.write, args=(writing, b"late"))
    sender.start()

    assert os.read(reading, 10) == b"late"
    sender.join()
    for end in (reading, writing):
        os.close(end)


def test_a_device_is_refused():
    with pytest.raises(OSError, match="a device"):
        pipes.open_readable("/dev/zero", os.O_RDONLY)
