"""System calls, and why a third-party program does not get them.

Each has its number on x86_64 and on aarch64, None where it does not exist.
"""

Pair = tuple[int | None, int | None]
Numbers = dict[str, Pair]

# Looking into other processes, the kernel's own settings, ways around paths and around this
# filter, and what outlives a process (System V and POSIX queues, keys).
REFUSED: Numbers = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "bpf": (321, 280), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "migrate_pages": (256, 238), "move_pages": (279, 239),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "open_tree_attr": (467, 467),
    "unshare": (272, 97), "setns": (308, 268),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186),
    "mq_open": (240, 180), "mq_unlink": (241, 181),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "create_module": (174, None),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    "vhangup": (153, 58), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42),
    "uselib": (134, None), "ustat": (136, None), "sysfs": (139, None), "_sysctl": (156, None),
}  # fmt: skip
# Only a socket that has no peer yet needs these.
REFUSED_WITH_ONE_PORT: Numbers = {
    "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
}  # fmt: skip
REFUSED_OFFLINE: Numbers = REFUSED_WITH_ONE_PORT | {"socket": (41, 198), "connect": (42, 203)}
# Landlock does not cover these, so they would reach files of the user whose identity we share.
REFUSED_AS_SAME_USER: Numbers = {
    "truncate": (76, 45), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None),
    "fchownat": (260, 54), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setxattrat": (463, 463), "removexattrat": (466, 466),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "setpriority": (141, 140), "ioprio_set": (251, 30),
}  # fmt: skip
# Accepted and not done, because programs that copy files insist on it.
IGNORED_AS_SAME_USER: Numbers = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
# Accepted and not done: a process that leaves its group would survive the end of the group.
IGNORED: Numbers = {"setsid": (112, 157), "setpgid": (109, 154)}
# The flags lie behind an address; libraries fall back to `clone`, whose flags do not.
UNKNOWN: Numbers = {"clone3": (435, 435)}

# It takes the whole disk before anybody looks; libraries write zeros instead.
UNSUPPORTED: Numbers = {"fallocate": (285, 47)}
# Allowed with certain arguments.
SOCKET: Pair = (41, 198)
SOCKETPAIR: Pair = (53, 199)
SENDTO: Pair = (44, 206)
SENDMSG: Pair = (46, 211)
SENDMMSG: Pair = (307, 269)
CLONE: Pair = (56, 220)
PRLIMIT: Pair = (302, 261)
