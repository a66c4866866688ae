"""What users ask, and what the scripted model says: the same for every framework."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """A tool, and the arguments that the model gives it."""

    name: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One answer of the model: a text, calls beside it or alone, an object, or a refusal."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    data: dict[str, Any] | None = None
    refuses: bool = False


@dataclass(frozen=True)
class Turn:
    """A question, and the answers of the model until the user has one.

    A second agent that is asked by its own words has those in `inner`, with its own answers.
    """

    question: str
    steps: tuple[Step, ...]
    inner: tuple[str, tuple[Step, ...]] = ("", ())


@dataclass(frozen=True)
class Scenario:
    """Turns of one conversation."""

    name: str
    turns: tuple[Turn, ...]
    title: str


FIRST, SECOND = "bakery", "returns"  # the agents
HANDOVER = "(the tool that hands over)"  # each framework has its own
REQUEST = "Please refund order 9 in full."
_FIND = Call("find_order", {"order_id": 7})
_SHIPPED = "Order 7 has been shipped."
_CHEESE = 'Käse "alt" 🧀 \\ 50 %\nin Scheiben'


def _turn(question: str, *steps: Step) -> Turn:
    return Turn(question, steps)


def _calls(*calls: Call, text: str = "") -> Step:
    return Step(text=text, calls=calls)


SCENARIOS = (
    Scenario(
        "tool",
        (_turn("Where is order 7?", _calls(_FIND), Step(_SHIPPED)),),
        "one turn with a tool",
    ),
    Scenario(
        "turns",
        (
            _turn(
                "What does bread cost?",
                _calls(Call("find_price", {"item": "bread"})),
                Step("Bread costs 4 euros."),
            ),
            _turn("What do two of them cost?", Step("Two cost 8 euros.")),
            _turn(
                "And is milk cheaper?",
                _calls(Call("find_price", {"item": "milk"})),
                Step("No, milk costs the same."),
            ),
        ),
        "several turns",
    ),
    Scenario(
        "parallel",
        (
            _turn(
                "Which of the orders 7 and 8 has been shipped?",
                _calls(_FIND, Call("find_order", {"order_id": 8}), text="I look at both."),
                Step("Both have been shipped."),
            ),
        ),
        "parallel calls",
    ),
    Scenario(
        "failing",
        (
            _turn(
                "Cancel order 0.",
                _calls(Call("cancel_order", {"order_id": 0})),
                Step("I could not cancel order 0."),
            ),
        ),
        "a tool that fails",
    ),
    Scenario(
        "silent",
        (
            _turn(
                "Remember that I like rye bread.",
                _calls(Call("remember", {"note": "likes rye bread"})),
                Step("I will remember it."),
            ),
        ),
        "a tool without an answer",
    ),
    Scenario(
        "stream",
        (
            _turn(
                "Has order 7 left the bakery?",
                _calls(_FIND),
                Step("Yes, it has been shipped."),
            ),
        ),
        "streaming",
    ),
    Scenario(
        "structured",
        (
            _turn(
                "Give me the status of order 7 as an object.",
                _calls(_FIND),
                Step(data={"order_id": 7, "status": "shipped"}),
            ),
        ),
        "structured output",
    ),
    Scenario(
        "refusal",
        (_turn("Whose card paid for order 7?", Step("I cannot tell you that.", refuses=True)),),
        "a refusal",
    ),
    Scenario(
        "handover",
        (
            Turn(
                "I want my money back for order 9.",
                (
                    _calls(Call(HANDOVER, {})),
                    _calls(Call("refund", {"order_id": 9})),
                    Step("Order 9 has been refunded."),
                ),
                (
                    REQUEST,
                    (_calls(Call("refund", {"order_id": 9})), Step("Refunded in full.")),
                ),
            ),
        ),
        "a second agent",
    ),
    Scenario(
        "unicode",
        (
            _turn(
                "Was kostet „Käse“ — 50 % naïver 🧀?",
                _calls(Call("find_price", {"item": _CHEESE})),
                Step("Der „Käse“ kostet 4 € — günstig! 🧀\nMehr weiß ich nicht."),
            ),
        ),
        "Unicode",
    ),
)
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
