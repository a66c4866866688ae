"""What agents did and what was expected of them: turns with texts and calls of tools."""

from typing import Any

from tests.differential.draw import Draw

Turn = dict[str, Any]

NAMES = ("search", "calc", "get_weather", "lieferung_prüfen", "search")
ARGUMENTS: tuple[Any, ...] = (
    *({}, {"q": "x"}, {"q": "X"}, {"q": "x", "n": 1}, {"n": 1, "q": "x"}, {"n": 1.0}, {"n": "1"}),
    *({"a": [1, {"b": None}]}, {"flag": True}, {"text": "4 €, „Käse“"}, {"camelCase": 1}),
)
ODD_ARGUMENTS: tuple[Any, ...] = ([1, 2], "plain", 4, None, "")
ANSWERS: tuple[Any, ...] = (
    *({"hits": [1, 2]}, {"ok": True}, "4", 4, 0.5, [1, "b"], {"text": "4 €"}, {}, {"z": 1, "a": 2}),
    *(None, None, "", False),
)
_COUNTS = (0, 0, 1, 1, 2, 2, 3, 3, 3, 12)
_USERS = ("hello", "find x", "Where is my order?", "find  X", "Käse, bitte 🧀", "thanks", "a\nb")
_ANSWERS = (
    *(
        "hello there",
        "done: 4",
        "The order has been shipped.",
        "Die Käse kosten 4 €",
        "running dogs",
    ),
    *("", " ", "東京は晴れ", "สวัสดี", "the the the", "dying skies, news!", "línea\nuno dos", "x"),
)


def make_turns(draw: Draw) -> list[Turn]:
    """What happened in one conversation."""
    users = draw.several(_USERS, 1, draw.choose("turns", (1, 1, 2, 3)))
    return [_make_turn(draw, user) for user in users]


def _make_turn(draw: Draw, user: str) -> Turn:
    calls = [_make_call(draw, number) for number in range(draw.choose("calls", _COUNTS))]
    turn: Turn = {"user": user, "calls": calls, "answer": _say(draw)}
    if draw.chance(0.1):
        turn["on_the_way"] = _say(draw)
    return turn


def _say(draw: Draw) -> str:
    return draw.choose("answer", _ANSWERS) if draw.chance(0.8) else draw.text()


def _make_call(draw: Draw, number: int) -> Turn:
    odd = draw.chance(0.08)
    call: Turn = {
        "name": draw.choose("tool", NAMES),
        "args": draw.choose("arguments", ODD_ARGUMENTS if odd else ARGUMENTS),
        "response": draw.choose("response", ANSWERS),
    }
    if draw.chance(0.7):
        call["id"] = f"call-{draw.count(0, 99)}-{number}"
    if draw.chance(0.1):
        del call["response"]
    if draw.chance(0.05):
        call["failed"] = True
    return call


def make_expected(draw: Draw, turns: list[Turn]) -> list[Turn]:
    """What was expected of them: mostly the same, with changes."""
    wanted = [_change(draw, turn) for turn in turns]
    if draw.chance(0.1):
        wanted = wanted[:-1] or wanted
    if draw.chance(0.1):
        wanted.append(_make_turn(draw, "and more"))
    return wanted


def _change(draw: Draw, turn: Turn) -> Turn:
    calls = [{"name": call["name"], "args": call["args"]} for call in turn["calls"]]
    change = draw.choose("change", ("none", "none", "drop", "swap", "more", "other", "double"))
    if change == "drop" and calls:
        calls.pop(draw.count(0, len(calls) - 1))
    elif change == "swap":
        calls.reverse()
    elif change == "more":
        calls.append({"name": "search", "args": {"q": "more"}})
    elif change == "other" and calls:
        calls[0] = {**calls[0], "args": draw.choose("arguments", ARGUMENTS)}
    elif change == "double" and calls:
        calls.append(dict(calls[-1]))
    answer = turn["answer"] if draw.chance(0.4) else _say(draw)
    return {"user": turn["user"], "calls": calls, "answer": answer}
