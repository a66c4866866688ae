"""Attempts of programs that were granted one host, one folder and one variable, at more than that.

`{granted}` is the port of the granted host on this machine, `{tcp}` that of its neighbour, which
hears whoever gets through. `{lent}` is the granted folder. `ask` sends bytes to whatever a socket
leads to; an answer of 400 or 403 is a refusal by our proxy, any other was given or tried for.
"""

_PREAMBLE = """
import base64, json, select, struct, threading
G, N = {granted}, {tcp}
def send(*pieces, wait=1.0):
    one = socket.socket()
    one.settimeout(wait)
    one.connect(("127.0.0.1", G))
    said = b""
    for piece in pieces:
        one.sendall(piece if isinstance(piece, bytes) else piece.encode("latin-1"))
    try:
        while read := one.recv(65536): said += read
    except OSError:
        pass
    return said
def ask(*pieces):
    said = send(*pieces)
    refused = not said or said[9:12] in (b"400", b"403")
    assert not refused
    return said
def connect(place):
    ask(f"CONNECT {place} HTTP/1.1\\r\\nHost: {place}\\r\\n\\r\\n")
def get(place, host=None):
    ask(f"GET http://{place}/ HTTP/1.1\\r\\nHost: {host or place}\\r\\n\\r\\n")
"""
# other spellings of a host that was not granted: each is tried as a tunnel and as a request
_SPELLINGS = {
    "as it is": "127.0.0.1:{N}",
    "a decimal number": "2130706433:{N}",
    "octal numbers": "0177.0.0.1:{N}",
    "hexadecimal numbers": "0x7f.0x0.0x0.0x1:{N}",
    "one hexadecimal number": "0x7f000001:{N}",
    "two numbers": "127.1:{N}",
    "another loopback address": "127.0.0.2:{N}",
    "a mapped address": "[::ffff:127.0.0.1]:{N}",
    "a mapped address in hexadecimal": "[::ffff:7f00:1]:{N}",
    "a compatible address": "[::127.0.0.1]:{N}",
    "a translated address": "[64:ff9b::7f00:1]:{N}",
    "an address of 6to4": "[2002:7f00:1::]:{N}",
    "loopback of IPv6": "[::1]:{N}",
    "a zone": "[::1%25lo]:{N}",
    "no address": "0.0.0.0:{N}",
    "zero": "0:{N}",
    "its name": "localhost:{N}",
    "its name with a point": "localhost.:{N}",
    "an address with a point": "127.0.0.1.:{N}",
    "letters of another script": "\\xef\\xbc\\x91\\xef\\xbc\\x92\\xef\\xbc\\x97.0.0.1:{N}",
    "an escaped point": "127%2e0.0.1:{N}",
    "an escaped port": "127.0.0.1%3a{N}",
    "a user before it": "127.0.0.1:{G}@127.0.0.1:{N}",
    "a fragment behind it": "127.0.0.1:{N}#@127.0.0.1:{G}",
    "a backslash": "127.0.0.1:{N}\\\\@127.0.0.1:{G}",
    "a NUL": "127.0.0.1:{N}\\0.127.0.0.1:{G}",
    "a space": "127.0.0.1:{N} 127.0.0.1:{G}",
    "two ports": "127.0.0.1:{G}:{N}",
    "a port that overflows": "127.0.0.1:{N + 65536}",
    "a port with a sign": "127.0.0.1:+{N}",
    "a port of other digits": "127.0.0.1:\\xd9\\xa1{N}",
    "the granted name as a part": "127.0.0.1.example.org:{G}",
}
_ELSEWHERE = {
    "metadata of a cloud": "169.254.169.254:80",
    "metadata of a cloud over IPv6": "[fd00:ec2::254]:80",
    "metadata of another cloud": "100.100.100.200:80",
    "metadata by its name": "metadata.google.internal:80",
    "a provider's own server": "168.63.129.16:80",
    "a private network": "10.0.0.1:443",
    "an engine over TCP": "127.0.0.1:2375",
    "everybody": "255.255.255.255:80",
    "a group of hosts": "224.0.0.1:80",
}
_REQUESTS = {
    "a host behind the address": "send('GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: 127.0.0.1:%d"
    "\\r\\n\\r\\n' % (G, N)); raise Over",
    "an address behind the host": "ask('GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: 127.0.0.1:%d"
    "\\r\\n\\r\\n' % (N, G))",
    "two hosts": "ask('GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n'"
    " % (G, N))",
    "a folded host": "ask('GET / HTTP/1.1\\r\\nX: y\\r\\n Host: 127.0.0.1:%d\\r\\nHost: "
    "127.0.0.1:%d\\r\\n\\r\\n' % (G, N))",
    "a host with a space before its colon": "ask('GET / HTTP/1.1\\r\\nHost : 127.0.0.1:%d\\r\\n"
    "\\r\\n' % N)",
    "lines without returns": "ask('GET http://127.0.0.1:%d/ HTTP/1.1\\nHost: x\\n\\n' % N)",
    "a second request": "one = 'GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n"
    "\\r\\n'; send(one % (G, G), one % (N, N)); raise Over",
    "a request inside of another": "send('POST http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: x\\r\\n"
    "Content-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET http://"
    "127.0.0.1:%d/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' % (G, N)); raise Over",
    "a tunnel inside of a tunnel": "one = 'CONNECT 127.0.0.1:%d HTTP/1.1\\r\\n\\r\\n'; "
    "send(one % G, one % N); raise Over",
    "a header in the address": "send('GET http://127.0.0.1:%d/%%0d%%0aHost:127.0.0.1:%d HTTP/1.1"
    "\\r\\nHost: x\\r\\n\\r\\n' % (G, N)); raise Over",
    "an older request": "ask('GET http://127.0.0.1:%d/\\r\\n\\r\\n' % N)",
    "a newer protocol": "ask('PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n')",
    "an upgrade": "ask('GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: "
    "Upgrade\\r\\n"
    "Upgrade: websocket\\r\\n\\r\\n' % N)",
    "another scheme": "ask('GET ftp://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' % N)",
    "a file of ours": "ask('GET file:///etc/shadow HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')",
    "a small method": "ask('connect 127.0.0.1:%d HTTP/1.1\\r\\n\\r\\n' % N)",
    "SOCKS 5": "ask(b'\\x05\\x01\\x00', b'\\x05\\x01\\x00\\x01\\x7f\\x00\\x00\\x01' + "
    "struct.pack('>H', N))",
    "SOCKS 4": "ask(b'\\x04\\x01' + struct.pack('>H', N) + b'\\x7f\\x00\\x00\\x01x\\0')",
    "TLS to nobody": "ask(b'\\x16\\x03\\x01\\x00\\x05hello')",
    "the line of a proxy": "ask('PROXY TCP4 127.0.0.1 127.0.0.1 1 %d\\r\\nGET / "
    "HTTP/1.1\\r\\nHost: "
    "127.0.0.1:%d\\r\\n\\r\\n' % (N, N))",
    "a header without end": "ask('GET http://127.0.0.1:%d/ HTTP/1.1\\r\\n' % N + 'X: y\\r\\n' * "
    "9999)",
}
_SOCKETS = {
    "another peer": "one = socket.socket(); one.connect(('127.0.0.1', N)); "
    "assert one.getpeername()[1] == N",
    "the end of its peer": "one = socket.socket(); "
    "libc.connect(one.fileno(), bytes(16), 16); one.connect(('127.0.0.1', N)); one.send(b'x')\n"
    "raise Over",
    "an address with its bytes": "one = socket.socket(); one.sendto(b'x', ('127.0.0.1', N))\n"
    "raise Over",
    "a connection when it sends": "one = socket.socket(); one.setsockopt(6, 30, 1); "
    "one.connect(('127.0.0.1', N)); one.send(b'x')\nraise Over",
    "a repaired connection": "socket.socket().setsockopt(6, 19, 1)",
    "packets for others": "socket.socket().setsockopt(0, 19, 1)",
    "a program in its socket": "socket.socket().setsockopt(1, 50, (7).to_bytes(4, 'little'))",
    "several paths": "socket.socket(2, 1, 262)",
    "a type with more bits": "made = libc.syscall(41, 2 | 1 << 32, 2, 0); assert made >= 0",
    "a family with more bits": "made = libc.syscall(41, ctypes.c_long(1 | 1 << 32), 1, 0); "
    "assert made >= 0",
    "a socket of its child": "if os.fork() == 0:\n    try: connect(f'127.0.0.1:{N}'); os._exit(0)\n"
    "    except BaseException: os._exit(1)\nassert os.wait()[1] == 0",
    "a socket that another hands it": "one, other = socket.socketpair()\nif os.fork() == 0:\n"
    "    held = socket.socket(); socket.send_fds(one, [b'x'], [held.fileno()]); os._exit(0)\n"
    "_, files, _, _ = socket.recv_fds(other, 1, 1)\n"
    "given = socket.socket(fileno=files[0]); given.settimeout(1)\n"
    "given.sendall(f'CONNECT 127.0.0.1:{N} HTTP/1.1\\r\\n\\r\\n'.encode())\n"
    "assert b' 403 ' not in given.recv(99)",
    "the socket of the supervisor": "peer = socket.socket().getpeername()[1]; "
    "get(f'127.0.0.1:{peer}')",
    "names of hosts": "socket.getaddrinfo('example.org', 80)",
    "a datagram": "socket.socket(2, 2)",
    "a server": "one = socket.socket(); one.listen()",
    "a server on its own end": "one = socket.socket(); one.bind(('127.0.0.1', 0))",
}
_FILES = {
    "a link in it": "open('{lent}/link').read()",
    "a folder beside it": "open('{lent}/../secret').read()",
    "variables in it": "open('{lent}/.env').read()",
    "a history in it": "open('{lent}/deep/.git/config').read()",
    "a key in it by a descriptor": "f = os.open('{lent}/deep', os.O_PATH); "
    "open(f'/proc/self/fd/{f}/id_rsa').read()",
    "a key in it by its folder": "os.fchdir(os.open('{lent}/deep', os.O_RDONLY)); "
    "open('id_rsa').read()",
    "a folder above by the call of tomorrow": "f = os.open('{lent}', os.O_RDONLY); "
    "assert libc.syscall(437, f, b'../secret', bytes(24), 24) >= 0",
    "a history under another name": "os.link('{lent}/deep/id_rsa', home + '/k'); open(home + "
    "'/k').read()",
    "a place for its history": "os.rename('{lent}/deep/.git', home + '/git')",
    "writing to it": "open('{lent}/new', 'w')",
    "its text": "open('{lent}/words.txt', 'a')",
    "its text by a map": "mmap.mmap(os.open('{lent}/words.txt', os.O_RDWR), 0)",
    "its text by a descriptor": "f = os.open('{lent}/words.txt', os.O_RDONLY); "
    "os.open(f'/proc/self/fd/{f}', os.O_WRONLY)",
    "its text by a copy": "f = os.open('{lent}/words.txt', os.O_RDONLY); os.ftruncate(f, 0)",
    "its place": "os.rename('{lent}/words.txt', '{lent}/other.txt')",
    "its removal": "os.unlink('{lent}/words.txt')",
    "its mode": "os.chmod('{lent}/words.txt', 0); "
    "assert os.stat('{lent}/words.txt').st_mode & 0o777 == 0",
    "its time": "os.utime('{lent}/words.txt', (1, 1)); assert "
    "os.stat('{lent}/words.txt').st_mtime == 1",
    "an exchange with its own": "open(home + '/x', 'w').close(); assert libc.syscall(316, -100, "
    "b'{lent}/words.txt', -100, (home + '/x').encode(), 2) == 0",
    "a lease on it": "fcntl.fcntl(os.open('{lent}/words.txt', 0), 1024, fcntl.F_WRLCK)",
    "a socket in it": "socket.socketpair()[0].bind('{lent}/socket')",
    "its link in the scratch folder": "[top] = [n for n in os.listdir(home) if n != 'left'] or "
    "['none']\n"
    "os.unlink(f'{home}/{top}') if os.path.islink(f'{home}/{top}') else None\n"
    "os.symlink('{folder}', f'{home}/again'); open(f'{home}/again/secret').read()",
    "the token of another": "assert [v for n, v in os.environ.items() if n == 'SECRET']",
}


def list_grants() -> dict[str, str]:
    """Return them all by name."""
    spelt = {
        f"{way} {name}": f'{way}(f"{place}")'
        for name, place in _SPELLINGS.items()
        for way in ("connect", "get")
    }
    elsewhere = {f"connect {name}": f"connect('{place}')" for name, place in _ELSEWHERE.items()}
    others = {
        **{f"send {name}": text for name, text in _REQUESTS.items()},
        **{f"make {name}": text for name, text in _SOCKETS.items()},
        **{f"take {name}": text for name, text in _FILES.items()},
    }
    return {name: _PREAMBLE + text for name, text in (spelt | elsewhere | others).items()}
