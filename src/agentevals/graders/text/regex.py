"""`regex`: the answer matches a pattern. Python's syntax, read leniently, under a time limit."""

import re
import warnings
from functools import lru_cache
from typing import Final, Self

import regex
from pydantic import Field, model_validator

from agentevals.graders.agentv.assertions import grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.text.text_checks import OneText, Text
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError

LIMIT_SECONDS: Final = 2.0

_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
_STICKY = "y"
_WITHOUT_MEANING = "dguv"  # whoever asks whether a text matches gets the same answer
_MOST_COPIES = 20_000  # what has to occur often is written out that often when it is compiled
_LONGEST = 20_000
_SHOWN = 100  # characters of a pattern that a message quotes

# what JavaScript writes in another way: \u{1F600} and \k<name>
_FOREIGN = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|k<([^>]*)>|.)", re.DOTALL)
_RECURSION = re.compile(r"(?<!\\)\(\?(?:R|[+-]?\d|&)")
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d{1,18})(?:,\d*)?\}|.", re.DOTALL)


class Pattern:
    """A pattern with JavaScript's flags. One that is not right raises a ValueError."""

    def __init__(self, text: str, flags: str = "") -> None:
        self._limit = LIMIT_SECONDS
        self._said = f"/{text}/{flags}"
        self._sticky = _STICKY in flags
        self._compiled = _compile(text, flags)

    def __str__(self) -> str:
        return self._said

    def occurs_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere; with the flag `y`, at the beginning."""
        search = self._compiled.match if self._sticky else self._compiled.search
        try:
            return search(text, timeout=self._limit) is not None
        except (TimeoutError, MemoryError) as error:
            msg = (
                f"the pattern {self._said[:200]} takes longer than {self._limit:g} seconds on "
                "this text; write it so that no repetition contains another"
            )
            raise EvaluatorError(msg) from error


@lru_cache(maxsize=512)
def pattern(text: str, flags: str = "") -> Pattern:
    """Return a pattern, compiled once."""
    return Pattern(text, flags)


class Regex(OneText):
    """1 if the pattern matches anywhere in the answer; otherwise 0."""

    type = "regex"
    in_name = 30

    value: Text = Field(description="The regular expression, in Python's syntax")
    flags: str = Field(
        default="", description="`i`, `m`, `s`, `y` as in JavaScript; `d`, `g`, `u`, `v` do nothing"
    )

    @model_validator(mode="after")
    def _check_pattern(self) -> Self:
        self._compile_pattern()
        return self

    def grade(self, case: Case, services: Services) -> Grade:
        wanted = self._compile_pattern()
        met = wanted.occurs_in(case.answer)
        said = f"Output {'matches' if met else 'does not match'} pattern {wanted}"
        sentence = f"{said} (flags: {self.flags})" if self.flags else said
        return grade_binary(met=met, hit=sentence, miss=sentence, reasoning=said)

    def _compile_pattern(self) -> Pattern:
        return pattern(self.value, self.flags)


def _compile(text: str, flags: str) -> "regex.Pattern[str]":
    _check_flags(flags)
    if len(text) > _LONGEST:
        msg = f"a pattern has at most {_LONGEST:,} characters, not {len(text):,}"
        raise ValueError(msg)
    native = _FOREIGN.sub(_translate, text)
    if _RECURSION.search(native):
        msg = "a pattern cannot contain itself; spell out how deep it goes"
        raise ValueError(msg)
    if _count_parts(native) > _MOST_COPIES:
        msg = f"repetitions in it come to more than {_MOST_COPIES:,} parts; repeat less often"
        raise ValueError(msg)
    mode = sum(_FLAGS.get(flag, 0) for flag in flags)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of what may mean something else one day
            return regex.compile(native, mode, cache_pattern=False)
    except regex.error as error:
        msg = (
            f"the pattern {text[:_SHOWN]!r} cannot be read: {error}; write a backslash before a "
            "character that stands for itself"
        )
        raise ValueError(msg) from error
    except (RecursionError, OverflowError) as error:
        msg = "it is nested too deeply"
        raise ValueError(msg) from error


def _check_flags(flags: str) -> None:
    known = "".join(sorted(f"{''.join(_FLAGS)}{_STICKY}{_WITHOUT_MEANING}"))
    for flag in flags:
        if flag not in known:
            msg = f"there is no flag {flag!r} (known: {', '.join(known)})"
            raise ValueError(msg)
        if flags.count(flag) > 1:
            msg = f"the flag {flag!r} is there twice; write it once"
            raise ValueError(msg)


def _translate(found: "re.Match[str]") -> str:
    character, name = found.groups()
    if character:
        number = int(character, 16)
        return f"\\U{number:08x}"
    return f"(?P={name})" if name else found[0]


def _count_parts(text: str) -> int:
    """Count the parts of a pattern in which everything that occurs n times is written n times."""
    groups, last = [0], 0
    for part in _PART.finditer(text):
        said = part[0]
        if part[1] is not None:
            groups[-1] += last * (max(1, int(part[1])) - 1)
        elif said == "(":
            groups.append(0)
        elif said == ")" and len(groups) > 1:
            last = groups.pop()
            groups[-1] += last
        else:
            last = 1
            groups[-1] += 1
    return sum(groups)
