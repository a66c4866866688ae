from agentevals.graders.llm.per_turn_user_simulator_quality_v1 import UserSimulatorQuality
from agentevals.model.cases import Case, Scenario, Status
from tests.graders.llm.questions.scripted import invalid, judged, valid
from tests.support import case, conversation, turn

SCENARIO = Scenario(opening="Roll a die", plan="First roll, then ask for primes", persona="NOVICE")


def simulated(*said, scenario=SCENARIO):
    turns = (turn("ok", user=text) for text in said)
    return Case(conversation=conversation(*turns), scenario=scenario)


def graded(case, *answers, **settings):
    return judged(UserSimulatorQuality(name="u", **settings), case, *answers)


def test_the_first_message_must_be_that_of_the_scenario():
    assert graded(simulated(" Roll a die\n"), valid())[0].score == 1

    grade, judge = graded(simulated("Roll two"), valid())
    assert grade.score == 0
    assert grade.misses == (
        "turn 1: the user leaves the scenario: the first message is not that of the scenario",
    )
    assert len(judge.prompts) == 1


def test_later_messages_are_judged_one_by_one():
    case = simulated("Roll a die", "Is it prime?", "Tell me a joke")
    grade, judge = graded(case, valid(), invalid("not planned"), valid())

    assert grade.per_turn == (1.0, 1.0, 0.0)
    assert "<<<NEXT MESSAGE" in judge.prompts[0]
    assert "Tell me a joke" not in judge.prompts[0]
    assert "First roll, then ask for primes" in judge.prompts[0]
    assert "<<<PERSON" in judge.prompts[0]


def test_ending_too_early_costs_the_last_turn():
    case = simulated("Roll a die", "Is it prime?")
    grade, judge = graded(case, valid(), invalid("there was more to do"))

    assert grade.per_turn == (1.0, 0.0)
    assert ">>>\n</finished>\n<<<END" in judge.prompts[-1]
    assert grade.details["ending"]["valid"] is False


def test_where_nothing_can_be_missed_the_end_costs_nothing():
    grade, _ = graded(simulated("Roll a die"), invalid("too early"), threshold=0)

    assert grade.per_turn == (1.0,)


def test_the_stop_signal_can_be_another():
    _, judge = graded(simulated("Roll a die"), valid(), stop_signal="BYE")

    assert ">>>\nBYE\n<<<END" in judge.prompts[0]


def test_without_a_scenario_there_is_nothing_to_go_by():
    grade, judge = graded(case(), valid())

    assert grade.status is Status.NOT_EVALUATED
    assert grade.details["reason"] == (
        "there is no conversation_scenario to go by: the eval case has a fixed conversation; "
        "write one into the case"
    )
    assert judge.prompts == []


def test_without_an_eval_set_there_is_no_scenario_either():
    grade, _ = graded(case(unpaired="no eval set provided"), valid())

    assert grade.details["reason"].endswith(
        "to go by: no eval set provided; write one into the case"
    )


def test_an_empty_conversation_is_not_judged():
    assert graded(simulated(), valid())[0].status is Status.NOT_EVALUATED
