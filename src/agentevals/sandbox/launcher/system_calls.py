"""System calls that programs are written with, by name: their numbers on x86_64 and on aarch64.

A program has these and no others. A new kernel brings new calls, and each of them could be a way
around the isolation; to a program, the kernel looks older than they are.
"""

Pair = tuple[int | None, int | None]
Numbers = dict[str, Pair]

_FILES: Numbers = {
    "read": (0, 63), "write": (1, 64), "open": (2, None), "close": (3, 57), "stat": (4, None),
    "fstat": (5, 80), "lstat": (6, None), "lseek": (8, 62), "pread64": (17, 67),
    "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66), "access": (21, None),
    "pipe": (22, None), "dup": (32, 23), "dup2": (33, None), "sendfile": (40, 71),
    "fcntl": (72, 25), "flock": (73, 32), "fsync": (74, 82), "fdatasync": (75, 83),
    "truncate": (76, 45), "ftruncate": (77, 46), "getdents": (78, None), "getcwd": (79, 17),
    "chdir": (80, 49), "fchdir": (81, 50), "rename": (82, None), "mkdir": (83, None),
    "rmdir": (84, None), "creat": (85, None), "link": (86, None), "unlink": (87, None),
    "symlink": (88, None), "readlink": (89, None), "chmod": (90, None), "fchmod": (91, 52),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "umask": (95, 166),
    "utime": (132, None), "mknod": (133, None), "statfs": (137, 43), "fstatfs": (138, 44),
    "readahead": (187, 213), "getdents64": (217, 61), "fadvise64": (221, 223),
    "utimes": (235, None), "openat": (257, 56), "mkdirat": (258, 34), "mknodat": (259, 33),
    "fchownat": (260, 54), "futimesat": (261, None), "newfstatat": (262, 79),
    "unlinkat": (263, 35), "renameat": (264, 38), "linkat": (265, 37), "symlinkat": (266, 36),
    "readlinkat": (267, 78), "fchmodat": (268, 53), "faccessat": (269, 48), "splice": (275, 76),
    "tee": (276, 77), "sync_file_range": (277, 84), "utimensat": (280, 88), "dup3": (292, 24),
    "pipe2": (293, 59), "preadv": (295, 69), "pwritev": (296, 70), "renameat2": (316, 276),
    "copy_file_range": (326, 285), "preadv2": (327, 286), "pwritev2": (328, 287),
    "statx": (332, 291), "openat2": (437, 437), "faccessat2": (439, 439),
    "close_range": (436, 436), "fchmodat2": (452, 452), "fgetxattr": (193, 10),
    "flistxattr": (196, 13), "ioctl": (16, 29),
}  # fmt: skip
_MEMORY: Numbers = {
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214),
    "mremap": (25, 216), "msync": (26, 227), "mincore": (27, 232), "madvise": (28, 233),
    "mlock": (149, 228), "munlock": (150, 229), "mlockall": (151, 230), "munlockall": (152, 231),
    "mlock2": (325, 284), "pkey_mprotect": (329, 288), "pkey_alloc": (330, 289),
    "pkey_free": (331, 290), "membarrier": (324, 283), "map_shadow_stack": (453, None),
    "mseal": (462, 462),
}  # fmt: skip
_PROCESSES: Numbers = {
    "getpid": (39, 172), "clone": (56, 220), "fork": (57, None), "vfork": (58, None),
    "execve": (59, 221), "execveat": (322, 281), "exit": (60, 93), "exit_group": (231, 94),
    "wait4": (61, 260), "waitid": (247, 95), "uname": (63, 160), "getrlimit": (97, 163),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "getrusage": (98, 165), "sysinfo": (99, 179),
    "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175),
    "getegid": (108, 177), "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145),
    "setregid": (114, 143), "setresuid": (117, 147), "setresgid": (119, 149),
    "getresuid": (118, 148), "getresgid": (120, 150), "getgroups": (115, 158),
    "setgroups": (116, 159), "setfsuid": (122, 151), "setfsgid": (123, 152), "setpgid": (109, 154),
    "getppid": (110, 173), "getpgrp": (111, None), "setsid": (112, 157), "getpgid": (121, 155),
    "getsid": (124, 156), "capget": (125, 90), "prctl": (157, 167), "arch_prctl": (158, None),
    "gettid": (186, 178), "set_tid_address": (218, 96), "futex": (202, 98),
    "futex_waitv": (449, 449), "futex_wake": (454, 454), "futex_wait": (455, 455),
    "futex_requeue": (456, 456), "set_robust_list": (273, 99), "get_robust_list": (274, 100),
    "rseq": (334, 293), "restart_syscall": (219, 128), "getcpu": (309, 168),
    "sched_yield": (24, 124), "sched_setparam": (142, 118), "sched_getparam": (143, 121),
    "sched_setscheduler": (144, 119), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126),
    "sched_rr_get_interval": (148, 127), "sched_setaffinity": (203, 122),
    "sched_getaffinity": (204, 123), "sched_setattr": (314, 274), "sched_getattr": (315, 275),
    "getpriority": (140, 141), "setpriority": (141, 140), "ioprio_get": (252, 31),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "set_thread_area": (205, None),
    "get_thread_area": (211, None),
}  # fmt: skip
_SIGNALS: Numbers = {
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "pause": (34, None),
    "signalfd": (282, None), "signalfd4": (289, 74),
}  # fmt: skip
_TIME: Numbers = {
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "gettimeofday": (96, 169), "time": (201, None),
    "getitimer": (36, 102), "setitimer": (38, 103), "alarm": (37, None),
    "timer_create": (222, 107), "timer_settime": (223, 110), "timer_gettime": (224, 108),
    "timer_getoverrun": (225, 109), "timer_delete": (226, 111), "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87), "epoll_create": (213, None),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None),
    "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441), "eventfd": (284, None),
    "eventfd2": (290, 19),
}  # fmt: skip
_SOCKETS: Numbers = {
    "socket": (41, 198), "connect": (42, 203), "accept": (43, 202), "accept4": (288, 242),
    "bind": (49, 200), "listen": (50, 201), "sendto": (44, 206), "recvfrom": (45, 207),
    "sendmsg": (46, 211), "recvmsg": (47, 212), "sendmmsg": (307, 269), "recvmmsg": (299, 243),
    "shutdown": (48, 210), "getsockname": (51, 204), "getpeername": (52, 205),
    "socketpair": (53, 199), "setsockopt": (54, 208), "getsockopt": (55, 209),
}  # fmt: skip

_OTHERS: Numbers = {"getrandom": (318, 278)}
ALLOWED = _FILES | _MEMORY | _PROCESSES | _SIGNALS | _TIME | _SOCKETS | _OTHERS
