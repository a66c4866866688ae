"""More attempts: detours to what `table.py` tries directly, and calls that are seldom thought of.

A text that ends with `raise Over` cannot see itself whether it has reached something: what it does
to files, to another process or to the next program is looked for afterwards.
"""

# calls that no evaluator makes, by their numbers on x86_64
CALLS = {
    "clone of a process namespace": (56, "0x20000011, 0, 0, 0, 0"),
    "clone of a network": (56, "0x40000011, 0, 0, 0, 0"),
    "clone of an IPC namespace": (56, "0x08000011, 0, 0, 0, 0"),
    "clone of a control group": (56, "0x02000011, 0, 0, 0, 0"),
    "unshare of a clock": (272, "0x80"),
    "vmsplice": (278, "1, 0, 0, 0"),
    "process_mrelease": (448, "-1, 0"),
    "ioprio_set": (251, "1, {victim}, 0"),
    "mq_unlink": (241, "b'/agentevals'"),
    "mq_notify": (244, "0, 0"),
    "shmctl": (31, "0, 2, 0"),
    "msgctl": (71, "0, 2, 0"),
    "semtimedop": (220, "0, 0, 0, 0"),
    "fsconfig": (431, "-1, 0, 0, 0, 0"),
    "fsmount": (432, "-1, 0, 0"),
    "fspick": (433, "-100, b'/', 0"),
    "statmount": (457, "0, 0, 0, 0"),
    "listmount": (458, "0, 0, 0, 0"),
    "kexec_file_load": (320, "0, 0, 0, 0, 0"),
    "delete_module": (176, "b'x', 0"),
    "swapoff": (168, "b'/x'"),
    "setdomainname": (171, "b'x', 1"),
    "quotactl_fd": (443, "-1, 0, 0, 0"),
    "io_uring_register": (427, "-1, 0, 0, 0"),
    "mbind": (237, "0, 0, 0, 0, 0, 0"),
    "lsm_list_modules": (461, "0, 0, 0"),
    "fanotify_mark": (301, "-1, 0, 0, -100, 0"),
    "adjtimex": (159, "0"),
}
FILES = {
    "a secret by a path without rights": "f = os.open('{secret}', os.O_PATH); "
    "open(f'/proc/self/fd/{f}').read()",
    "a link made of a path without rights": "f = os.open('{secret}', os.O_PATH); "
    "os.link(f'/proc/self/fd/{f}', home + '/l', follow_symlinks=True)",
    "a hard link to a closed file": "os.link('{checkout}/.env', home + '/l')",
    "a closed file of its own folder": "shutil.copy(os.path.dirname(__file__) + '/.env', home)",
    "a secret below the root of a process": "open('/proc/self/root{secret}')",
    "a secret beside the folder that it works in": "open('/proc/self/cwd/../../..{secret}')",
    "a secret by the call of tomorrow's opening": "how = bytes(24); "
    "assert libc.syscall(437, -100, b'{secret}', how, 24) >= 0",
    "a secret behind a link that changes": "open(home + '/own', 'w').write('own')\n"
    "for _ in range(300):\n"
    "    for goal in (home + '/own', '{secret}'):\n"
    "        os.symlink(goal, home + '/new'); os.rename(home + '/new', home + '/l')\n"
    "        try: assert 'own' in open(home + '/l').read()\n"
    "        except PermissionError: continue\n"
    "        except AssertionError: break\n"
    "    else: continue\n"
    "    break\n"
    "else: raise OSError",
    "a file in exchange for its own": "open(home + '/x', 'w').close(); "
    "assert libc.syscall(316, -100, b'{everybodys}', -100, (home + '/x').encode(), 2) == 0",
    "the mode of a file by its descriptor": "f = os.open('{everybodys}', os.O_PATH); "
    "os.chmod(f'/proc/self/fd/{f}', 0); assert os.stat('{everybodys}').st_mode & 0o777 == 0",
    "the time of a file by its descriptor": "f = os.open('{everybodys}', os.O_PATH); "
    "os.utime(f'/proc/self/fd/{f}', (1, 1)); assert os.stat('{everybodys}').st_mtime == 1",
    "the owner of a file by its descriptor": "f = os.open('{everybodys}', os.O_PATH); "
    "os.chown(f'/proc/self/fd/{f}', 0, 0)",
    "a pipe in a foreign folder": "os.mkfifo('{folder}/left')",
    "a link in a foreign folder": "os.symlink('/etc/passwd', '{folder}/left')",
    "faults of memory by a device": "os.open('/dev/userfaultfd', os.O_RDWR)",
    "a machine of its own": "os.open('/dev/kvm', os.O_RDWR)",
    "a network card of its own": "os.open('/dev/net/tun', os.O_RDWR)",
    "what the kernel does with a crash": "open('/proc/sys/kernel/core_pattern', 'w')",
    "its place when memory runs out": "open('/proc/self/oom_score_adj', 'w')",
    "its users": "open('/proc/self/uid_map', 'w')",
    "memory of its own by a file": "open('/proc/self/mem', 'r+b')",
    "a control group": "open('/sys/fs/cgroup/cgroup.procs', 'w')",
    "news of a folder": "f = os.open('{folder}', os.O_RDONLY); fcntl.fcntl(f, fcntl.F_NOTIFY, 63)",
    "a clone of a secret": "f = open(home + '/c', 'wb'); "
    "fcntl.ioctl(f, 0x40049409, os.open('{secret}', os.O_RDONLY))",
    "a file without a name in a foreign folder": "os.open('{folder}', os.O_TMPFILE | os.O_RDWR)",
    "a name elsewhere for a file without one": "f = os.open(home, os.O_TMPFILE | os.O_RDWR); "
    "os.link(f'/proc/self/fd/{f}', '{folder}/left', follow_symlinks=True)",
    "a place beside its scratch folder": "os.mkdir(home + '/../left')",
}
_INT_80 = (
    "page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)\n"
    "page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))\n"
    "place = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
    "if os.fork() == 0:\n"
    "    ctypes.CFUNCTYPE(ctypes.c_int)(place)(); os._exit(0)\n"
    "assert os.wait()[1] == 0"
)
PROCESSES = {
    "calls of 32 bits": _INT_80,
    "memory of the launcher": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "files of the launcher": "open(f'/proc/{os.getppid()}/fd/0', 'rb')",
    "the group of the launcher": "os.killpg(os.getpgid(os.getppid()), 0)",
    "another thread": "call(234, {victim}, {victim}, 0)",
    "a thread without its process": "call(200, {victim}, 0)",
    "a queued signal for a thread": "call(297, {victim}, {victim}, 10, bytes(128))",
    "the end of another process, to wait for": "os.waitid(os.P_PIDFD, os.pidfd_open({victim}), 5)",
    "a scheduler of another process": "assert libc.syscall(314, {victim}, bytes(48), 0) == 0",
    "the priority of all of its user": "os.setpriority(os.PRIO_USER, 0, 19); "
    "assert os.getpriority(os.PRIO_PROCESS, {victim}) == 19",
    "a signal by what arrives": "one, other = socket.socketpair()\n"
    "fcntl.fcntl(one, fcntl.F_SETOWN, {victim})\n"
    "fcntl.fcntl(one, 10, signal.SIGKILL)\n"
    "fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC)\n"
    "other.send(b'x')\nraise Over",
    "a timer for another thread": "event = bytes(8) + bytes([9, 0, 0, 0, 4, 0, 0, 0]) "
    "+ ({victim}).to_bytes(4, 'little') + bytes(44)\n"
    "assert libc.syscall(222, 0, event, bytes(8)) == 0",
    "orphans of its own": "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n"
    "if os.fork() == 0:\n"
    "    if os.fork() == 0:\n"
    "        os.setsid(); time.sleep(600)\n"
    "    os._exit(0)\n"
    "raise Over",
    "a sibling": "if libc.syscall(56, 0x8011, 0, 0, 0, 0) == 0: time.sleep(600)\nraise Over",
    "a file of a crash": "resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))",
    "more time": "resource.setrlimit(resource.RLIMIT_CPU, (1 << 20, 1 << 20))",
    "larger files": "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))",
    "a map of its memory": "assert ctypes.CDLL(None).prctl(35, 1, 0x1000, 0, 0) == 0",
    "the end of everything": "os.kill(-1, 9)\nraise Over",
}
NETWORK = {
    "a socket beside those of the internet": "made = set()\n"
    "for family in range(46):\n"
    "    for kind in (1, 2, 3, 4, 5, 10):\n"
    "        try: made.add(socket.socket(family, kind).family)\n"
    "        except OSError: pass\n"
    "assert made - {2, 10}",
    "a pair of packets": "socket.socketpair(1, 5)",
    "a pair of the internet": "socket.socketpair(2, 1)",
    "an abstract name of its own": "socket.socketpair()[0].bind('\\0agentevals-attack')",
    "a path of its own": "socket.socketpair()[0].bind(home + '/socket')",
    "listening on a pair": "socket.socketpair()[0].listen()",
    "an address by a message": "socket.socketpair()[0].sendmsg([b'x'], (), 0, '{unix}')",
}


def list_detours() -> dict[str, str]:
    """Return them all by name."""
    return {
        **{f"call {name}": f"call({number}, {rest})" for name, (number, rest) in CALLS.items()},
        **{f"touch {name}": text for name, text in FILES.items()},
        **{f"reach {name}": text for name, text in (PROCESSES | NETWORK).items()},
    }
