"""The attempts of hostile programs, by name. Each is a text that raises an error if it fails.

`{secret}` and the like stand for things of the scene that `scene.py` makes. A text that ends
without an error has reached what it was after.
"""

from tests.attacks.detours import list_detours

READABLE = (
    *("{secret}", "{everybodys}", "{checkout}/.git/config", "{checkout}/tool/.git/config"),
    *("{checkout}/.env", "{checkout}/deep/er/id_rsa", "{checkout}/link-to-secret"),
    *("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_rsa_key", "/etc/hostname"),
    *("/proc/1/environ", "/proc/1/cmdline", "/proc/1/maps", "/proc/{victim}/environ"),
    *("/proc/{victim}/mem", "/proc/{victim}/maps", "/proc/{victim}/cwd/.", "/proc/{us}/environ"),
    *("/proc/{us}/fd/0", "/proc/self/environ", "/proc/kmsg", "/proc/kcore", "/proc/net/tcp"),
    *(
        "/proc/net/unix",
        "/proc/mounts",
        "/proc/self/mountinfo",
        "/proc/keys",
        "/proc/sysrq-trigger",
    ),
    *("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/fuse"),
    *("/sys/kernel/debug", "/sys/fs/cgroup/cgroup.procs", "/var/log/dpkg.log"),
)
LISTED = ("/", "/tmp", "/home", "/root", "/proc", "/dev/shm", "/var", "{folder}", "/sys", "/run")
WRITTEN = (
    *("{folder}", "{checkout}", "{own}", "/tmp", "/var/tmp", "/dev/shm", "/run", "/usr/bin"),
    *("/etc", "/usr/lib", "/var/spool/cron", "/github/file_commands", "/github/workspace"),
)
# calls that no evaluator makes, by their numbers on x86_64
CALLS = {
    "ptrace": (101, "0, 0, 0, 0"),
    "ptrace of another process": (101, "0x4206, {victim}, 0, 0"),
    "process_vm_readv": (310, "{victim}, 0, 0, 0, 0, 0"),
    "process_vm_writev": (311, "{victim}, 0, 0, 0, 0, 0"),
    "pidfd_getfd": (438, "0, 0, 0"),
    "kcmp": (312, "{victim}, {victim}, 0, 0, 0"),
    "perf_event_open": (298, "0, 0, -1, -1, 0"),
    "bpf": (321, "0, 0, 0"),
    "userfaultfd": (323, "0"),
    "io_uring_setup": (425, "8, 0"),
    "io_uring_enter": (426, "0, 0, 0, 0"),
    "mount": (165, "0, 0, 0, 0, 0"),
    "umount2": (166, "0, 0"),
    "pivot_root": (155, "0, 0"),
    "chroot": (161, "b'/'"),
    "unshare of a user": (272, "0x10000000"),
    "unshare of a network": (272, "0x40000000"),
    "setns": (308, "0, 0"),
    "clone3": (435, "0, 0"),
    "clone of a user": (56, "0x10000011, 0, 0, 0, 0"),
    "fsopen": (430, "b'tmpfs', 0"),
    "open_tree": (428, "-100, b'/', 1"),
    "move_mount": (429, "0, 0, 0, 0, 0"),
    "mount_setattr": (442, "0, 0, 0, 0, 0"),
    "open_by_handle_at": (304, "-100, 0, 0"),
    "name_to_handle_at": (303, "-100, b'/etc/shadow', 0, 0, 0"),
    "add_key": (248, "b'user', b'x', b'y', 1, -3"),
    "keyctl": (250, "0, -3, 1"),
    "request_key": (249, "b'user', b'x', 0, 0"),
    "shmget": (29, "0, 4096, 0o1777"),
    "semget": (64, "0, 1, 0o1777"),
    "msgget": (68, "0, 0o1777"),
    "mq_open": (240, "b'/agentevals', 0o102, 0o777, 0"),
    "memfd_create": (319, "b'x', 0"),
    "memfd_secret": (447, "0"),
    "inotify_init1": (294, "0"),
    "inotify_add_watch": (254, "0, b'/tmp', 0xfff"),
    "fanotify_init": (300, "0, 0"),
    "seccomp with a listener": (317, "1, 8, 0"),
    "kexec_load": (246, "0, 0, 0, 0"),
    "init_module": (175, "0, 0, b''"),
    "finit_module": (313, "0, b'', 0"),
    "reboot": (169, "0xfee1dead, 672274793, 0, 0"),
    "swapon": (167, "b'/x', 0"),
    "syslog": (103, "3, 0, 0"),
    "settimeofday": (164, "0, 0"),
    "clock_settime": (227, "0, 0"),
    "sethostname": (170, "b'x', 1"),
    "iopl": (172, "3"),
    "ioperm": (173, "0, 1, 1"),
    "modify_ldt": (154, "0, 0, 0"),
    "acct": (163, "0"),
    "quotactl": (179, "0, 0, 0, 0"),
    "personality": (135, "0x0400000"),
    "vhangup": (153, ""),
    "fallocate": (285, "1, 0, 0, 1 << 40"),
    "setxattr": (188, "b'{everybodys}', b'user.x', b'1', 1, 0"),
    "file_setattr": (469, "-100, b'{everybodys}', 0, 0, 0"),
    "getxattr": (191, "b'{everybodys}', b'user.x', 0, 0"),
    "a call of tomorrow": (511, ""),
    "process_madvise": (440, "0, 0, 0, 21, 0"),
    "move_pages": (279, "{victim}, 0, 0, 0, 0, 0"),
    "migrate_pages": (256, "{victim}, 0, 0, 0"),
    "prlimit of another process": (302, "{victim}, 7, 0, 0"),
    "landlock_restrict_self": (446, "0, 0"),
}
NETWORK = {
    "TCP to this machine": "socket.create_connection(('127.0.0.1', {tcp}), 2)",
    "an answer of this machine": "one = socket.create_connection(('127.0.0.1', {tcp}), 2); "
    "one.sendall(b'GET / HTTP/1.1\\r\\nHost: 127.0.0.1:{tcp}\\r\\n\\r\\n'); "
    "assert b' 403 ' not in one.recv(99)",
    "TCP over IPv6": "socket.create_connection(('::1', {tcp}), 2)",
    "TCP to another machine": "socket.create_connection(('192.0.2.1', 80), 1)",
    "TCP that sends at once": "socket.socket().sendto(b'x', 0x20000000, ('127.0.0.1', {tcp}))",
    "listening": "socket.create_server(('127.0.0.1', 0))",
    "UDP": "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', {udp}))",
    "names of hosts": "socket.getaddrinfo('example.org', 80)",
    "raw packets": "socket.socket(2, 3, 1)",
    "packets of a card": "socket.socket(17, 3)",
    "netlink": "socket.socket(16, 3, 0)",
    "multipath TCP": "socket.socket(2, 1, 262)",
    "SCTP": "socket.socket(2, 1, 132)",
    "vsock": "socket.socket(40, 1)",
    "kernel crypto": "socket.socket(38, 5)",
    "Bluetooth": "socket.socket(31, 3, 0)",
    "interfaces": "assert socket.if_nameindex()",
    "a daemon's socket": "socket.socket(1).connect('{unix}')",
    "Docker": "socket.socket(1).connect('/var/run/docker.sock')",
    "an abstract socket": "socket.socket(1).connect('\\0{abstract}')",
    "a datagram to a path": "socket.socketpair(1, 2)[0].sendto(b'x', '{unix}')",
    "a stream that is pointed at a path": "socket.socketpair()[0].connect('{unix}')",
    "the proxy of the environment": "assert [n for n in os.environ if 'proxy' in n.lower()]",
}
PROCESSES = {
    "signal to another process": "os.kill({victim}, 0)",
    "end of another process": "os.kill({victim}, 9)",
    "end of what started it": "os.kill({us}, 9)",
    "end of the launcher": "os.kill(os.getppid(), 9)",
    "signal to process 1": "os.kill(1, 0)",
    "signal to a foreign group": "os.killpg({us}, 0)",
    "signal by a descriptor": "signal.pidfd_send_signal(os.pidfd_open({victim}), 0)",
    "queued signal": "call(129, {victim}, 10, bytes(8) + b'\\xff' * 4 + bytes(116))",
    "priority of another process": "os.setpriority(os.PRIO_PROCESS, {victim}, 19)",
    "processors of another process": "os.sched_setaffinity({victim}, [0])",
    "limits of another process": "resource.prlimit({victim}, resource.RLIMIT_CPU, (1, 1))",
    "higher limit of its own": "resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40))",
    "higher limit of files": "resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))",
    "a real-time scheduler": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))",
    "a group of its own": "os.fork() or (os.setpgid(0, 0), os._exit(os.getpgrp() != os.getpid()))"
    "; assert os.wait()[1] == 0",
    "a session of its own": "os.fork() or (os.setsid(), os._exit(os.getsid(0) != os.getpid()))"
    "; assert os.wait()[1] == 0",
    "an input of the terminal": "fcntl.ioctl(0, 0x5412, b'x')",
    "hiding from being measured": "assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0",
}
RIGHTS = {
    "user root": "assert me != 0; os.setuid(0)",
    "group root": "os.setgroups([0])",
    "a capability": "call(126, b'\\x22\\x05\\x08\\x20' + bytes(4), b'\\xff' * 24)",
    "an ambient capability": "assert ctypes.CDLL(None).prctl(47, 2, 7, 0, 0) == 0",
    "new privileges": "assert 'NoNewPrivs:\\t1' not in open('/proc/self/status').read()",
    "a setuid program": "shutil.copy('/bin/sh', home + '/s'); os.chmod(home + '/s', 0o4755); "
    "assert me != 0 == os.stat(home + '/s').st_uid",
    "a device": "os.mknod(home + '/d', 0o60666, os.makedev(8, 0))",
    "x32 calls": "call(0x40000000 + 39)",
    "another owner": "assert me != 0; os.chown(home, 0, 0)",
    "its own text": "open(__file__, 'a')",
    "the mode of its text": "os.chmod(__file__, 0o777); assert os.stat(__file__).st_mode & 0o2",
    "its folder": "os.rename(__file__, __file__ + 'x')",
    "removing itself": "os.unlink(__file__)",
}
FILES = {
    "a hard link to a secret": "os.link('{secret}', home + '/l')",
    "a link that is followed": "os.symlink('{secret}', home + '/l'); open(home + '/l')",
    "a link out of its folder": "os.symlink('{folder}', home + '/f'); open(home + '/f/x', 'w')",
    "cutting a file": "os.truncate('{everybodys}', 0)",
    "the time of a file": "os.utime('{everybodys}', (1, 1)); "
    "assert os.stat('{everybodys}').st_mtime == 1",
    "the mode of a file": "os.chmod('{everybodys}', 0); "
    "assert os.stat('{everybodys}').st_mode & 0o777 == 0",
    "removing a file": "os.unlink('{everybodys}')",
    "renaming a file": "os.rename('{everybodys}', '{everybodys}2')",
    "moving a file in": "os.rename('{everybodys}', home + '/x')",
    "executing a foreign file": "os.execv('{everybodys}', ['x'])",
    "a folder above": "os.chdir('{folder}'); open('secret')",
    "a path by its descriptor": "os.open('/proc/self/fd/0/../../etc/shadow', 0)",
    "a root by its descriptor": "open('secret', opener=lambda p, f: "
    "os.open(p, f, dir_fd=os.open('{folder}', os.O_PATH)))",
    "a mapped foreign file": "mmap.mmap(os.open('{everybodys}', os.O_RDWR), 0)",
    "a lock on a foreign file": "fcntl.flock(os.open('{everybodys}', 0), fcntl.LOCK_EX)",
    "scratch of others": "assert [f for f in os.listdir(os.path.dirname(home)) if home[-1] != f]",
    "memory without a file": "mmap.mmap(-1, 4096)",
    "a network drive": "call(165, b'//h/s', b'/mnt', b'cifs', 0, b'')",
}
VARIABLES = {
    "a token of the run": "assert 'secret-of-the-run' in str(dict(os.environ))",
    "a token in its memory": "assert 'secret-of-the-run' in str(sys.argv + sys.path)",
    "an inherited file": "assert [f for f in range(3, 256) if is_open(f)]",
    "a module of the launcher": "assert [m for m in sys.modules if m.startswith('agentevals.')]",
    "something of the one before it": "assert [f for f in os.listdir(home) if f == 'left']",
}
# by the interpreter that such programs name in their first line
SCRIPTS = {
    "node": {
        "a secret file": "require('fs').readFileSync('{secret}')",
        "a token of the run": "if (!JSON.stringify(process.env).includes('secret-of')) throw 1",
        "a checkout": "require('fs').readFileSync('{checkout}/.git/config')",
        "writing": "require('fs').writeFileSync('{folder}/left', 'x')",
        "a watch of names": "require('fs').watch('/tmp')",
        "signal": "process.kill({victim}, 0)",
        "another program's memory": "require('fs').readFileSync('/proc/{victim}/environ')",
        "user root": "if (process.getuid() === 0) throw 1; process.setuid(0)",
        "a daemon's socket": "require('net').connect('{unix}').on('connect', () => "
        "console.log('REACHED')).on('error', () => process.exit(1)); throw 1",
        "a neighbour over TCP": "require('net').connect({tcp}, '127.0.0.1').on('connect', () => "
        "console.log('REACHED')).on('error', () => process.exit(1)); throw 1",
        "a neighbour over HTTP": "fetch('http://127.0.0.1:{tcp}').then(() => "
        "console.log('REACHED'), () => process.exit(1)); throw 1",
        "a datagram": "require('dgram').createSocket('udp4').on('error', () => process.exit(1))"
        ".send('x', {udp}, '127.0.0.1', (e) => e || console.log('REACHED')); throw 1",
        "a debugger that listens": "require('inspector').open(0, '127.0.0.1'); "
        "if (!require('inspector').url()) throw 1",
        "a name of a host": "require('dns').lookup('example.org', (e) => "
        "e || console.log('REACHED')); throw 1",
        "a library": "process.dlopen({exports: {}}, '{secret}')",
        "a module elsewhere": "require('{checkout}/own/main.py')",
        "shared memory": "const b = new SharedArrayBuffer(8); "
        "new (require('worker_threads').Worker)"
        "(\"require('fs').writeFileSync('{folder}/left', 'x'); console.log('REACHED')\", "
        "{eval: true, workerData: b}).on('error', () => process.exit(1)); throw 1",
        "a core": "process.abort = 0; require('v8').writeHeapSnapshot('{folder}/left')",
        "a listing": "require('fs').opendirSync('{folder}').readSync()",
        "its title": "process.title = 'x'.repeat(999); if (!require('fs').readFileSync("
        "'/proc/{victim}/cmdline')) throw 1",
        "a worker's file": "new (require('worker_threads').Worker)("
        "\"require('fs').readFileSync('{secret}'); console.log('REACHED')\", {eval: true})"
        ".on('error', () => process.exit(1)); throw 1",
    },
    "sh": {
        "a secret file": "cat {secret} >/dev/null",
        "writing": "echo x > {folder}/left",
        "environment of process 1": "cat /proc/1/environ >/dev/null",
        "a mount": "mount -t tmpfs x /mnt",
        "another user": "su -c true",
        "signal": "kill -0 {victim}",
        "a listing": "ls {folder}",
        "another owner": "chown nobody {everybodys}",
        "a neighbour of the shell": "exec 3<>/dev/tcp/127.0.0.1/{tcp}",
        "a job at a time": "echo true | at now",
        "a table of jobs": "echo '* * * * * true' | crontab -",
        "a service": "systemctl start x || busctl list",
        "a namespace": "unshare -r true || bwrap --unshare-all true",
        "a container": "docker ps || podman ps",
        "a trace": "gdb -p {victim} -batch || strace -p {victim}",
        "a device of a disk": "mknod $HOME/d b 8 0 && cat $HOME/d",
        "another process of the shell": "renice 19 -p {victim}",
        "a copy of its link": "ln -s {secret} $HOME/l && cp -L $HOME/l $HOME/c",
        "a limit": "ulimit -n 99999",
        "a library before others": "LD_PRELOAD={secret} /bin/true 2>&1 | grep -vq .",
    },
}


def list_attempts() -> dict[str, str]:
    """Return the attempts in Python that end by themselves."""
    return {
        **{f"read {path}": f"assert open('{path}', 'rb', 0).read(1)" for path in READABLE},
        **{f"list {path}": f"os.listdir('{path}')" for path in LISTED},
        **{f"write to {path}": f"open('{path}/left', 'w')" for path in WRITTEN},
        **{f"call {name}": f"call({number}, {rest})" for name, (number, rest) in CALLS.items()},
        **{f"reach {name}": text for name, text in NETWORK.items()},
        **{f"reach {name}": text for name, text in PROCESSES.items()},
        **{f"get {name}": text for name, text in RIGHTS.items()},
        **{f"touch {name}": text for name, text in FILES.items()},
        **{f"find {name}": text for name, text in VARIABLES.items()},
        **list_detours(),
    }
