"""Findings about recordings and expectations that did not come together."""

from collections.abc import Iterator, Sequence
from itertools import compress
from shlex import quote
from struct import Struct

import msgspec

from agentevals.model.results import Blame, Finding, Severity
from agentevals.text.wording import plural

NO_EVAL_SET = Finding(
    severity=Severity.ERROR,
    rule="no-eval-set",
    message="every evaluator compares with an eval set, and there is none; give --eval-set, write "
    "'eval_set:' in the config, or make one of good recordings with 'agentevals bless'",
    blame=Blame.INPUT,
)
EMPTY = Finding(
    severity=Severity.ERROR,
    rule="nothing-answered",
    message="the eval set has no cases; write some, or make them of good recordings with "
    "'agentevals bless'",
    blame=Blame.INPUT,
)
# why a conversation that says nothing of its case has none
NOTHING_ALIKE, NOTHING_SAID = "no matching eval case", "no user input to match"
_PLACE = Struct("<I")
_FILES = 3  # files that are named in a command
LISTED = 5  # names shown in a sentence before it says how many more there are


class Leftovers(msgspec.Struct):
    """Holds what was left over on either side up to now: names, and what is told about them."""

    answered: bytearray = msgspec.field(default_factory=bytearray)  # places of eval cases, packed
    unpaired: dict[str, list[str]] = {}  # by the reason
    differing: list[Finding] = []
    preparing: list[str] = []
    foreign: list[str] = []
    silent: dict[str, None] = {}  # files in which no turn was found
    with_turns: int = 0
    recorded: int = 0  # conversations that an eval case may be for

    def answer(self, place: int) -> None:
        """Note that the eval case at this place was recorded."""
        self.answered += _PLACE.pack(place)

    def list_unanswered(self, number: int) -> Iterator[int]:
        """Yield the places of the eval cases, of that many, that nobody has recorded."""
        missing = bytearray(b"\1") * number
        for (place,) in _PLACE.iter_unpack(self.answered):
            missing[place] = 0
        return compress(range(number), missing)

    def add(self, later: "Leftovers") -> None:
        """Add what was left over of the conversations that follow."""
        self.answered += later.answered
        for reason, names in later.unpaired.items():
            self.unpaired.setdefault(reason, []).extend(names)
        self.differing += later.differing
        self.preparing += later.preparing
        self.foreign += later.foreign
        self.silent |= later.silent
        self.with_turns += later.with_turns
        self.recorded += later.recorded


def report_nothing_recorded(sources: Sequence[str]) -> Finding:
    """Report that no conversation has a turn, with the command that says why."""
    return Finding(
        severity=Severity.ERROR,
        rule="nothing-recorded",
        message=f"the traces hold no turn of an agent; run '{suggest_doctor(sources)}' to see what "
        "they hold, and what to set before you record again",
        blame=Blame.INPUT,
    )


def suggest_doctor(sources: Sequence[str]) -> str:
    """Return the command that shows what the files hold."""
    files = map(quote, sources) if 0 < len(sources) <= _FILES else ("TRACE...",)
    return f"agentevals doctor {' '.join(files)}"


def report_nothing_answered(asked: Sequence[str], number: int) -> Finding:
    """No expectation has its recording: then what they ask for is compared at a glance."""
    return Finding(
        severity=Severity.ERROR,
        rule="nothing-answered",
        message="no recorded conversation answers any case of the eval set "
        f"({list_names(asked, number)}); "
        "set the attribute 'agentevals.eval.case.id' in the traces, or give an eval set whose "
        "first user messages are those of the traces. If both have the same order, give "
        "'--pair position'",
        blame=Blame.INPUT,
    )


def report_uneven(recorded: int, expected: int) -> Finding:
    """Report that one side has more: by position, nothing is paired then."""
    return Finding(
        severity=Severity.ERROR,
        rule="uneven-positions",
        message=f"there {'is' if expected == 1 else 'are'} {plural(expected, 'eval case')} and "
        f"{plural(recorded, 'recorded conversation')}; pairing "
        "by position needs as many of the one as of the other: give the missing traces, or leave "
        "out 'pair: position'",
        blame=Blame.INPUT,
    )


def report_unpaired(reason: str, names: Sequence[str]) -> Finding:
    """Conversations that answer no expectation, for one reason."""
    noun = "conversation is" if len(names) == 1 else "conversations are"
    message = (
        f"{len(names)} {noun} not paired with a case ({reason}): {list_names(names)}; give the "
        "traces the attribute 'agentevals.eval.case.id', or the eval set their first user messages"
    )
    return Finding(severity=Severity.WARNING, rule="unpaired", message=message)


def list_names(names: Sequence[str], number: int | None = None) -> str:
    """The first of some names, and how many more there are of this number, or of all."""
    shown = ", ".join(repr(name[:80]) for name in names[:LISTED])
    rest = (len(names) if number is None else number) - LISTED
    return f"{shown} and {rest} more" if rest > 0 else shown
