"""The output of a program, kept as far as somebody needs it."""

from collections.abc import Callable

from agentevals.model.errors import EvaluatorError

MIB = 1 << 20


class Captured:
    """All of it, or EvaluatorError once it is more than anybody needs."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._most:
            msg = f"printed more than {self._most // MIB} MiB to its standard output"
            raise EvaluatorError(msg)
        self._pieces.append(piece)

    @property
    def content(self) -> bytes:
        return b"".join(self._pieces)


class Excerpt:
    """The beginning and the end of a text of any length."""

    def __init__(self, most: int = 64 << 10) -> None:
        self._half = most // 2
        self._head, self._tail = bytearray(), bytearray()
        self._lost = 0

    def add(self, piece: bytes) -> None:
        room = self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * self._half:
            self._shorten()

    @property
    def text(self) -> str:
        self._shorten()
        gap = f"\n… {self._lost} bytes omitted …\n".encode() if self._lost else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", "replace")

    def _shorten(self) -> None:
        surplus = max(0, len(self._tail) - self._half)
        self._lost += surplus
        del self._tail[:surplus]


class Lines:
    """Passes on what is printed, line by line as it comes, to whoever shows progress."""

    def __init__(self, tell: Callable[[str], None], longest: int = 8 << 10) -> None:
        self._tell, self._longest = tell, longest
        self._begun = b""

    def add(self, piece: bytes) -> None:
        *lines, self._begun = (self._begun + piece).split(b"\n")
        if len(self._begun) > self._longest:
            lines, self._begun = [*lines, self._begun], b""
        for line in lines:
            self._tell(line.decode("utf-8", "replace").rstrip("\r"))
