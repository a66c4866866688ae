"""The doctor's page: what stands in its rows, and how it fits a terminal of any width."""

import pytest

from agentevals.model.completeness import Fact, Presence
from agentevals.report import doctor_page
from agentevals.text.terminal import width
from agentevals.traces.diagnosis import Diagnosis, Examined, Missing, Shown, add_up
from agentevals.traces.diagnosis.trace_recorders import Recorder, Scope
from agentevals.traces.diagnosis.unread_files import Misfit

OPENAI = Scope(name="openai", version="2", title="OpenTelemetry", spans=3)


def conversation(name, source="a.json", *, turns=1, lacks=None, scopes=(OPENAI,), **more):
    """A conversation of which some turns lack facts: {fact: (presence, number of turns)}."""
    lacks = lacks or {}
    shown = {fact: Shown(recorded=turns) for fact in Fact}
    for fact, (presence, number) in lacks.items():
        shown[fact] = Shown(recorded=turns - number, **{presence.value: number})
    missing = tuple(
        Missing(fact=fact, presence=presence, evidence="why", remedy="Set X", turns=number)
        for fact, (presence, number) in lacks.items()
    )
    return Examined(
        conversation_id=name,
        complete=not lacks,
        sources=(source,),
        recorder=Recorder(scopes=scopes),
        turns=turns,
        tool_calls=0,
        model_calls=turns,
        shown=shown,
        missing=missing,
        **more,
    )


def diagnosis(*examined, files=(), notes=()):
    return Diagnosis(
        complete=not files and all(one.complete for one in examined),
        remedies=("Set X",) if any(one.missing for one in examined) else (),
        total=add_up(examined),
        conversations=examined,
        files=tuple(files),
        notes=tuple(notes),
    )


def page(*examined, columns=120, **more):
    return "".join(doctor_page.render(diagnosis(*examined, **more), columns=columns))


def row(text, name):
    [found] = [line for line in text.splitlines() if line.strip().startswith(name)]
    return found


@pytest.mark.parametrize(
    ("presence", "number", "turns", "sign"),
    [
        (Presence.UNKNOWN, 1, 1, "✗"),
        (Presence.WITHHELD, 1, 1, "█"),
        (Presence.UNKNOWN, 1, 3, "✗ 1/3"),
        (Presence.UNKNOWN, 100, 200, "✗ 50%"),
        (Presence.UNKNOWN, 1, 1000, "✗ 1%"),
    ],
)
def test_a_sign_says_how_many_turns_lack_a_fact(presence, number, turns, sign):
    lacking = conversation("c", turns=turns, lacks={Fact.ANSWER: (presence, number)})

    cells = row(page(lacking), "a.json").split()
    assert " ".join(cells[3 : 3 + len(sign.split())]) == sign
    assert cells[3 + len(sign.split())] == "✓"


@pytest.mark.parametrize("columns", [77, 80, 95, 96, 97, 140])
def test_no_line_is_wider_than_the_terminal(columns):
    lacks = dict.fromkeys(Fact, (Presence.WITHHELD, 2))
    examined = [
        conversation(f"{'deep/' * 9}{number}-" + "x" * 60, "many.json", turns=9, lacks=lacks)
        for number in range(3)
    ]
    misfit = Misfit(path="p" * 200, problems=("word " * 60,), likely="a PDF", remedy="Give " * 50)

    text = page(*examined, columns=columns, files=[misfit], notes=["note " * 60])

    assert max(map(width, text.splitlines())) <= columns


def test_columns_stand_apart_where_there_is_room():
    narrow, wide = (page(conversation("c"), columns=columns) for columns in (95, 96))

    assert "question answer" in narrow
    assert "question  answer" in wide


def test_a_text_that_needs_several_lines_stays_below_its_beginning():
    misfit = Misfit(path="p.json", problems=("word " * 40,))

    lines = page(files=[misfit], columns=72).splitlines()
    at = lines.index(next(line for line in lines if line.startswith("  problem ")))

    assert lines[at + 1].index("word") == lines[at].index("word")


def test_a_file_with_several_conversations_names_them_by_the_end_of_their_ids():
    text = page(conversation("short", "m.json"), conversation("0123456789abcdef", "m.json"))

    assert row(text, "m.json short")
    assert row(text, "m.json …56789abcdef")


def test_twenty_conversations_and_files_are_shown_and_the_others_counted():
    lacks = {Fact.ANSWER: (Presence.UNKNOWN, 1)}
    examined = [conversation(f"c{n}", f"{n}.json", lacks=lacks if n < 2 else {}) for n in range(23)]
    files = [Misfit(path=f"{n}.txt", problems=("no",)) for n in range(22)]

    text = page(*examined, files=files)

    assert "and 3 more, of which 3 are complete" in text
    assert "and 2 files more that cannot be read" in text
    assert "19.txt" in text
    assert "20.txt" not in text


def test_the_headline_names_what_the_readable_files_lack():
    lacks = dict.fromkeys((Fact.QUESTION, Fact.ANSWER, Fact.COST), (Presence.UNKNOWN, 1))
    lacking = conversation("c", lacks=lacks)

    assert page(lacking).startswith(
        "INCOMPLETE  1 conversation, 1 turn: question, answer and cost not recorded\n"
    )
    assert page(lacking, files=[Misfit(path="p", problems=("no",))], columns=140).startswith(
        "UNREADABLE  1 file cannot be read; the rest is 1 conversation, 1 turn: question, answer "
        "and cost not recorded\n"
    )


def test_a_single_conversation_needs_no_total():
    assert "total" not in page(conversation("a"))
    assert row(page(conversation("a"), conversation("b", "b.json")), "total")


def test_recordings_of_other_programs_stand_apart_and_complete_ones_last():
    other = Scope(name="crewai", version="1", title="", spans=1)
    lacks = {Fact.ANSWER: (Presence.UNKNOWN, 1)}

    text = page(conversation("a"), conversation("b", "b.json", lacks=lacks, scopes=(other,)))

    assert text.index("crewai 1 (1 span)") < text.index("OpenTelemetry: openai 2 (3 spans)")


def test_tools_are_named_that_were_offered_in_vain_and_that_were_not_offered():
    tools = {"tools_offered": ("find", "price"), "tools_called": ("find", "refund")}

    text = page(conversation("a", **tools))

    assert "tools offered  find, price" in text
    assert "never called   price" in text
    assert "in no offer    refund" in text
    assert "tools offered" not in page(conversation("a"))
