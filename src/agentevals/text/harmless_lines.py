"""Foreign text as other tools may show it: nothing in it that a terminal or a CI runner obeys."""

from agentevals.text import terminal

NAME = 200  # characters of what is meant to be a name
_READ = 20_000  # characters looked at of several lines


def one_line(text: str, limit: int = 2_000) -> str:
    """The text as one line that can be no workflow command, wherever it is printed."""
    return terminal.line(terminal.plain(text, limit)).removesuffix("\n")


def name(text: str) -> str:
    """Return the name of something; never empty, because formats ask for a name."""
    return one_line(text, NAME) or "(unnamed)"


def lines(text: str) -> str:
    """The text line by line, each as harmless as one alone."""
    parts = (one_line(part) for part in text[:_READ].splitlines())
    return "\n".join(part for part in parts if part)
