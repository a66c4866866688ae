from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import Conversation, Turn
from agentevals.traces.coverage import list_missing


def gap(fact, remedy="Set A"):
    return Gap(fact=fact, presence=Presence.UNKNOWN, evidence="nothing", remedy=remedy)


def talk(name, *turns):
    return Conversation(conversation_id=name, turns=tuple(Turn(gaps=tuple(gaps)) for gaps in turns))


def test_a_fact_is_counted_once_however_many_turns_lack_it():
    found = list_missing(
        [
            talk("a", [gap(Fact.ARGUMENTS)], [gap(Fact.ARGUMENTS), gap(Fact.QUESTION)]),
            talk("b", [gap(Fact.ARGUMENTS)], []),
        ]
    )

    assert [(each.gap.fact, each.turns, len(each.conversations)) for each in found] == [
        (Fact.QUESTION, 1, 1),
        (Fact.ARGUMENTS, 3, 2),
    ]


def test_each_remedy_has_its_own_line():
    found = list_missing([talk("a", [gap(Fact.ANSWER)]), talk("b", [gap(Fact.ANSWER, "Set B")])])

    assert [each.gap.remedy for each in found] == ["Set A", "Set B"]


def test_only_the_facts_that_somebody_asks_for_are_listed():
    assert not list_missing([talk("a", [gap(Fact.TOKENS)])], {Fact.ANSWER})
