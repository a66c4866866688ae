"""What a code judge was sent, key by key: the recorded payload, and what ours must be of it."""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.conformance.rows import Difference, differences

Recorded = dict[str, Any]

# what a run of AgentV knows of itself
_OF_THE_RUN = {"metadata"}
_INDEX = "message_index"


def compare(
    recorded: Recorded, payloads: Sequence[Recorded | None]
) -> Iterator[tuple[str, Difference]]:
    """The differences; a decision stands before those that it asks for."""
    told = [(one.get("details") or {}).get("stdin") for one in recorded.get("evaluators", ())]
    sent = zip(filter(None, told), filter(None, payloads), strict=False)  # AgentV drops some
    for number, (theirs, ours) in enumerate(sent):
        where = f"payloads/{number}"
        wanted = {key: value for key, value in theirs.items() if key not in _OF_THE_RUN}
        wanted |= _expect(theirs)
        yield from (("", found) for found in differences(wanted, ours, where))
        changed = {key: theirs[key] for key in _expect(theirs)}
        for found in differences(changed, _expect(theirs), where):
            yield ("3.22" if "/events" in found.where else "3.13"), found


def _expect(theirs: Recorded) -> Recorded:
    """As 3.1.0 sends it: the messages are those of the agent, and so is `output`."""
    asked = len(theirs["input"])
    messages = [_add_timestamps(one) for one in theirs["messages"][asked:]]
    trace = {key: value for key, value in theirs["trace"].items() if key not in _OF_THE_RUN}
    events = [_shift(one, asked) for one in trace["events"] if one["metadata"][_INDEX] >= asked]
    numbered = [event | {"ordinal": number} for number, event in enumerate(events)]
    return {
        "output": messages,
        "messages": messages,
        "trace": trace | {"messages": messages, "events": numbered},
    }


def _add_timestamps(message: Recorded) -> Recorded:
    """The specification's releases call the start of a call its `timestamp`."""
    calls = [
        {**({"timestamp": call["start_time"]} if "start_time" in call else {}), **call}
        for call in message.get("tool_calls") or ()
    ]
    return message | ({"tool_calls": calls} if "tool_calls" in message else {})


def _shift(event: Recorded, asked: int) -> Recorded:
    """An event of the agent's own messages, counted from the first of them."""
    at = event["metadata"][_INDEX]
    told = event | {"metadata": event["metadata"] | {_INDEX: at - asked}}
    for key in ("event_id", "parent_event_id"):
        if key in told:
            told[key] = told[key].replace(f"message-{at}", f"message-{at - asked}")
    return told
