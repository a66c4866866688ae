"""`python -I -S one_command.py STDERR WORD…`: run one command, print what it took as JSON.

Linux counts the memory of the process that starts a command towards the peak of the command. So
this process starts it, which is small, and not the benchmark, which may have been large.
"""

import json
import os
import sys
import time

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def main(stderr: str, command: list[str]) -> None:
    streams = [
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, stderr, _NEW, 0o644),
    ]
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=streams)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss, cpu]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
