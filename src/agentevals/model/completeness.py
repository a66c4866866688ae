"""How much of a turn a recording shows. A fact that it does not show is unknown, never empty."""

from enum import StrEnum

from agentevals.model.noun import Noun


class Fact(StrEnum):
    """The facts about a turn that evaluators judge by."""

    QUESTION = "question"
    ANSWER = "answer"
    TOOL_CALLS = "tool_calls"
    ARGUMENTS = "arguments"
    TOOL_ANSWERS = "tool_answers"
    TOKENS = "tokens"
    COST = "cost"
    TIME = "time"

    @property
    def subject(self) -> str:
        """The name of the fact in a sentence."""
        return _NAMES[self][0]


class Presence(StrEnum):
    """The degree to which a recording shows a fact. An empty answer is `recorded` as well."""

    RECORDED = "recorded"
    WITHHELD = "withheld"  # the instrumentation left a placeholder in its place
    UNKNOWN = "unknown"


# the evidence that there were more requests to models than a turn holds
UNREAD_REQUEST = "the span of a request to a model is not understood"
COVERED_REQUESTS = "one span covers several requests to the model, and counts the last"
HIDDEN_REQUESTS = frozenset({UNREAD_REQUEST, COVERED_REQUESTS})
# the evidence that the tokens of a turn are less than what it used
UNCOUNTED_TOKENS = "a request has no count of its input, or of its output"


class Gap(Noun, frozen=True):
    """A fact that a turn does not show: the evidence that it is missing, and how to record it."""

    fact: Fact
    presence: Presence
    evidence: str
    remedy: str = ""

    @property
    def subject(self) -> str:
        """The name of the fact in a sentence."""
        return self.fact.subject

    @property
    def missing(self) -> str:
        """The fact that is missing, as a sentence that is short enough to stand in every case."""
        return f"{' '.join(_NAMES[self.fact])} not recorded"

    @property
    def reason(self) -> str:
        """The sentences for people, the same for every turn with this gap."""
        return f"{self.missing}: {self.evidence}. {self.remedy}".strip()


class TurnGap(Gap, frozen=True, kw_only=True, omit_defaults=False):
    """A gap in one turn of a case; turns count from 1."""

    turn: int


_NAMES = {
    Fact.QUESTION: ("the question", "was"),
    Fact.ANSWER: ("the answer", "was"),
    Fact.TOOL_CALLS: ("the tool calls", "were"),
    Fact.ARGUMENTS: ("the arguments of tool calls", "were"),
    Fact.TOOL_ANSWERS: ("the answers of tools", "were"),
    Fact.TOKENS: ("the tokens", "were"),
    Fact.COST: ("the cost", "was"),
    Fact.TIME: ("the time", "was"),
}


class Unknown(Noun, frozen=True, omit_defaults=False):
    """The number of cases that nobody can judge, because evidence is missing in their recordings.

    It `decides` if nothing else fails the run. The `uncompared` are on both sides, and lack
    evidence on one of them.
    """

    cases: int = 0
    decides: bool = False
    uncompared: int = 0
