"""The secrets that a step holds by design: its tokens, keys of judges, and what `mask` names."""

from collections.abc import Iterable, Iterator, Mapping

from agentevals.text.redaction import SHORTEST

# set by the runner for its own services
_OURS = ("ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
_MASK = "INPUT_MASK"


def collect_secrets(
    environ: Mapping[str, str], token: str | None = None, variables: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the secrets of this process: the token, and the values of the named variables.

    What the input `mask` names is one as well.
    """
    named = (*_OURS, *variables)
    values = [token or "", *(environ.get(name, "") for name in named), *_list_masked(environ)]
    return tuple(dict.fromkeys(value for value in values if len(value.strip()) >= SHORTEST))


def find_short_masks(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each line of `mask` that cannot be hidden. It never shows the text."""
    for number, text in enumerate(_list_masked(environ), start=1):
        if 0 < len(text.strip()) < SHORTEST:
            yield (
                f"'mask': entry {number} stands for fewer than {SHORTEST} characters, which are "
                "part of too many words. Name a longer text"
            )


def _list_masked(environ: Mapping[str, str]) -> list[str]:
    """Return the text of each line of the input: the value of the variable, else the line."""
    lines = (line.strip() for line in environ.get(_MASK, "").splitlines())
    return [environ.get(line, line) for line in lines if line]
