"""Attempts at more than a program may take or keep.

Each is ended, or what it took is gone after it.
"""

_FAST_LOOP = "while True:\n    if os.fork(): os._exit(0)\n"

EXHAUSTING = {
    "much memory at once": "bytearray(8 << 30)",
    "much memory by and by": "held = []\nwhile True: held.append(b'x' * (32 << 20))",
    "memory of many processes": "for _ in range(20):\n    if os.fork() == 0:\n"
    "        held = b'x' * (200 << 20)\n        time.sleep(60)\ntime.sleep(60)",
    "a large file": "open(home + '/f', 'wb').write(bytes(200 << 20))",
    "many files": "for n in range(64): open(home + f'/{n}', 'wb').write(bytes(60 << 20))\n"
    "time.sleep(60)",
    "deleted files": "held = []\nfor n in range(20):\n    held.append(tempfile.TemporaryFile())\n"
    "    held[-1].write(bytes(60 << 20))\n    held[-1].flush()\ntime.sleep(60)",
    "many open files": "held = [open('/dev/null') for _ in range(2000)]",
    "an endless output": "while True: os.write(1, b'x' * 65536)",
    "an endless loop": "while True: pass",
    "a process that ignores signals": "signal.signal(15, signal.SIG_IGN)\ntime.sleep(600)",
    "a stopped process": "os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(600)",
    "a daemon": "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        signal.signal(15, signal.SIG_IGN)\n        time.sleep(600)\n    os._exit(0)\n"
    "time.sleep(600)",
    "a crash": "ctypes.string_at(0)",
    "deep folders": "os.chdir(home)\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\n"
    "time.sleep(600)",
    "a chain of processes": _FAST_LOOP,
    "many chains of processes": "for _ in range(40):\n    if os.fork() == 0: break\n" + _FAST_LOOP,
    "a daemon without variables": "if os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 256)\n"
    "    os.execve('/bin/sleep', ['sleep', '600'], {})\nraise Over",
    "a daemon that does not die with us": "if os.fork() == 0:\n    libc.prctl(1, 0, 0, 0, 0)\n"
    "    os.closerange(0, 256)\n    os.execve('/bin/sleep', ['init', '600'], {})\nraise Over",
    "a job of a shell": "os.system(\"trap '' HUP TERM; "
    'exec sleep 600 >/dev/null 2>&1 </dev/null &")\nraise Over',
    "a stopped group": "for _ in range(5):\n    if os.fork() == 0: time.sleep(600)\n"
    "os.kill(0, signal.SIGSTOP)",
    "a traced process": "if os.fork() == 0: time.sleep(600)\nlibc.ptrace(0, 0, 0, 0)\n"
    "os.kill(os.getpid(), signal.SIGSTOP)",
    "its output closed, and more": "os.closerange(0, 256)\nwhile True: time.sleep(1)",
    "an end that hangs": "import atexit; atexit.register(time.sleep, 600)",
    "a thread that hangs": "import threading\n"
    "threading.Thread(target=time.sleep, args=(600,)).start()",
    "threads without end": "import threading\nwhile True:\n"
    "    threading.Thread(target=time.sleep, args=(600,)).start()",
    "names without end": "n = 0\nwhile True:\n    open(f'{home}/{n}', 'w').close(); n += 1",
    "links without end": "n = 0\nwhile True:\n    os.symlink('x' * 4000, f'{home}/{n}'); n += 1",
    "names of one file": "open(home + '/f', 'w').close(); n = 0\n"
    "while True:\n    os.link(home + '/f', f'{home}/{n}'); n += 1",
    "files under way": "one, other = socket.socketpair()\nwhile True:\n"
    "    a, b = socket.socketpair()\n    socket.send_fds(one, [b'x'], [a.fileno(), b.fileno()])\n"
    "    a.close(); b.close()",
    "sockets in sockets": "last, other = socket.socketpair()\nwhile True:\n"
    "    a, b = socket.socketpair()\n"
    "    socket.send_fds(a, [b'x'], [last.fileno(), other.fileno()])\n"
    "    last.close(); other.close(); last, other = a, b",
    "bytes in pipes": "held = []\nfor _ in range(20):\n    if os.fork() == 0: break\nwhile True:\n"
    "    held.append(os.pipe()); os.set_blocking(held[-1][1], False)\n"
    "    try: fcntl.fcntl(held[-1][1], 1031, 1 << 20)\n    except OSError: pass\n"
    "    try: os.write(held[-1][1], bytes(1 << 20))\n    except OSError: pass",
    "areas of memory": "held = []\nwhile True:\n    held.append(mmap.mmap(-1, 4096, flags=34, "
    "prot=1 + len(held) % 2 * 2))",
    "locked memory": "libc.mlockall(3)\nheld = []\nwhile True: held.append(b'x' * (32 << 20))",
    "memory behind a file": "f = open(home + '/f', 'w+b'); f.truncate(60 << 20); held = []\n"
    "while True:\n    held.append(mmap.mmap(f.fileno(), 0, flags=2))\n"
    "    for at in range(0, 60 << 20, 4096): held[-1][at] = 1",
    "timers without end": "made = ctypes.c_void_p()\nwhile True: libc.syscall(222, 1, 0, "
    "ctypes.byref(made))",
    "signals without end": "signal.pthread_sigmask(signal.SIG_BLOCK, [34, 35])\nwhile True:\n"
    "    libc.sigqueue(os.getpid(), 34, 0)",
    "locks without end": "f = open(home + '/f', 'w'); n = 0\nwhile True:\n"
    "    fcntl.lockf(f, fcntl.LOCK_EX, 1, n); n += 2",
    "a stack without end": "sys.setrecursionlimit(1 << 30)\n"
    "def deeper(): return deeper()\ndeeper()",
    "an expression of ages": "import re; re.match('(a|a)*b', 'a' * 60)",
    "a number of ages": "pow(7, 7 ** 9)",
    "zombies": "while True:\n    if os.fork() == 0: os._exit(0)",
    "words of a program": "long = ['x' * 99999] * 999\n"
    "os.execv(sys.executable, [sys.executable, '-c', 'pass', *long])",
    "letters that never end": "while True: sys.stderr.write('\\0\\x1b]0;x\\x07' * 9999)",
    "a file that waits": "os.mkfifo(home + '/p'); open(home + '/p').read()",
    "sparse files": "for n in range(2000):\n    open(f'{home}/{n}', 'w').truncate(60 << 20)\n"
    "time.sleep(600)",
}
