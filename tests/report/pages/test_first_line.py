import pytest

from agentevals.model.results import Verdict
from agentevals.model.review import State
from agentevals.report.pages import first_line
from agentevals.report.pages.comment_digest import Digest
from agentevals.report.pages.first_line import Tone

CANCELLED = "Cannot tell whether to merge: the evaluation was cancelled"
FAIL = {"verdict": Verdict.FAIL, "exit_code": 1}


def digest(name="a", **fields):
    return Digest(writer=name.encode().hex(), key="", config=name, **{"cases": 10, **fields})


@pytest.mark.parametrize(
    ("fields", "tone", "sentence"),
    [
        ({"passed": 10}, Tone.GOOD, "Ready to merge: all 10 cases passed."),
        ({"gates": 1, "passed": 10}, Tone.GOOD, "Ready to merge: the gate passes."),
        (
            {"gates": 3, "reason": "no baseline"},
            Tone.PLAIN,
            "Ready to merge: all 3 gates pass.",
        ),
        (
            {"passed": 8, "failed": 2, "accepted": 2},
            Tone.GOOD,
            "Ready to merge: 8 of 10 cases passed, 2 failures accepted.",
        ),
        (
            {"gates": 1, "passed": 9, "failed": 1, "accepted": 1},
            Tone.GOOD,
            "Ready to merge: the gate passes, 1 failure accepted.",
        ),
        (
            {"gates": 3, "failing": 2, **FAIL},
            Tone.BAD,
            "Not ready to merge: 2 of 3 gates fail.",
        ),
        ({"failed": 3, **FAIL}, Tone.BAD, "Not ready to merge: 3 of 10 cases failed."),
        (
            {"lacking": 4, "undecided": True, "passed": 6, **FAIL},
            Tone.WARN,
            "Not evaluated: 4 of 10 cases lack evidence.",
        ),
        (
            {"lacking": 1, "undecided": True, "verdict": Verdict.FAIL},
            Tone.PLAIN,
            "Not evaluated: 1 of 10 cases lacks evidence.",
        ),
        (
            {"lacking": 4, "passed": 6},
            Tone.WARN,
            "Can be merged, with care: 4 of 10 cases lack evidence.",
        ),
        (
            {"failed": 2, "accepted": 2, "regressed": 1, **FAIL},
            Tone.BAD,
            "Not ready to merge: 1 case regressed.",
        ),
        (
            {"failed": 3, "verdict": Verdict.FAIL},
            Tone.WARN,
            "Can be merged, because nothing blocks here: 3 of 10 cases failed.",
        ),
        (
            {"gates": 3, "unsure": 1},
            Tone.WARN,
            "Can be merged, with care: 1 of 3 gates could not be checked.",
        ),
        (
            {"verdict": Verdict.BORDERLINE, "borderline": 2},
            Tone.WARN,
            "Can be merged, with care: 2 cases borderline.",
        ),
        (
            {"verdict": Verdict.ERROR, "exit_code": 4},
            Tone.WARN,
            "Cannot tell whether to merge: the evaluation ran into a bug of its own.",
        ),
        (
            {"verdict": Verdict.ERROR, "exit_code": 1, "errors": 8, "error": "'mine' crashed"},
            Tone.WARN,
            "Cannot tell whether to merge: 'mine' crashed.",
        ),
        (
            {"state": State.BROKEN, "verdict": Verdict.ERROR, "exit_code": 1},
            Tone.WARN,
            "Cannot tell whether to merge: the evaluation could not be completed.",
        ),
        *(
            (
                {"state": State.CANCELLED, "verdict": Verdict.FAIL, "exit_code": 130, **fields},
                Tone.WARN,
                f"{CANCELLED} {progress}.",
            )
            for fields, progress in (
                ({"cases": 3, "of": 1200}, "after 3 of 1,200 cases"),
                ({"cases": 3, "of": 10, "failed": 2}, "after 3 of 10 cases, 2 failed"),
                ({"cases": 0, "of": 1}, "after 0 of 1 case"),
                ({"cases": 3}, "after 3 cases"),
                ({"cases": 0}, "without a result"),
            )
        ),
        ({"state": State.RUNNING}, Tone.PLAIN, "The evaluation is running."),
        (
            {"state": State.UNCHANGED},
            Tone.PLAIN,
            "Not evaluated: nothing that the evaluation reads was changed.",
        ),
        ({"unscored": 10}, Tone.PLAIN, "Not evaluated: none of 10 cases has a score."),
        ({"unscored": 10, **FAIL}, Tone.WARN, "Not evaluated: none of 10 cases has a score."),
        (
            {"unscored": 10, "verdict": Verdict.FAIL},
            Tone.PLAIN,
            "Not evaluated: none of 10 cases has a score.",
        ),
        ({"cases": 1, "unscored": 1}, Tone.PLAIN, "Not evaluated: the only case has no score."),
        ({"cases": 0}, Tone.PLAIN, "Not evaluated: there was no case."),
        (
            {"passed": 7, "unscored": 3},
            Tone.WARN,
            "Can be merged, with care: 3 of 10 cases have no score.",
        ),
    ],
)
def test_one_config_answers_in_one_sentence(fields, tone, sentence):
    headline = first_line.summarise([digest(**fields)])

    assert (headline.tone, headline.sentence) == (tone, sentence)


def test_what_is_accepted_is_said_once():
    passed = first_line.summarise([digest(passed=9, failed=1, accepted=1)])
    failed = first_line.summarise([digest(failed=2, accepted=1, **FAIL)])

    assert passed.words.count("accepted") == 1
    assert failed.words == "Not ready to merge: 1 of 10 cases failed. 1 case accepted."


PASSED, FAILED = digest("p", passed=10), digest("f", failed=3, regressed=2, **FAIL)
BROKEN = digest("b", verdict=Verdict.ERROR, exit_code=2)
RUNNING = digest("r", state=State.RUNNING)
UNCHANGED = digest("u", state=State.UNCHANGED, verdict=None, cases=0)
UNSCORED = digest("n", unscored=10)
IDLE = digest("i", cases=0)


@pytest.mark.parametrize(
    ("digests", "sentence"),
    [
        ([PASSED, PASSED], "Ready to merge: all 20 cases passed."),
        ([PASSED, FAILED, RUNNING], "Not ready to merge: 1 of 3 configs fails (f)."),
        ([FAILED, BROKEN], "Not ready to merge: 1 of 2 configs fails (f)."),
        (
            [PASSED, BROKEN],
            "Cannot tell whether to merge: 1 of 2 configs could not be evaluated (b).",
        ),
        ([PASSED, RUNNING], "No failure so far: 1 of 2 configs still running."),
        ([PASSED, UNCHANGED], "Not evaluated: 1 of 2 configs has no score (u)."),
        ([PASSED, UNSCORED], "Not evaluated: 1 of 2 configs has no score (n)."),
        ([UNSCORED, UNCHANGED], "Not evaluated: 2 of 2 configs have no score (n, u)."),
        (
            [UNCHANGED, UNCHANGED],
            "Not evaluated: nothing that the evaluation reads was changed.",
        ),
        ([PASSED, IDLE], "Not evaluated: 1 of 2 configs has no score (i)."),
        ([IDLE, IDLE], "Not evaluated: there was no case."),
        ([UNCHANGED, IDLE], "Not evaluated: 2 of 2 configs have no score (i, u)."),
        ([FAILED, UNCHANGED], "Not ready to merge: 1 of 2 configs fails (f)."),
        (
            [RUNNING, digest("n", unscored=10, **FAIL)],
            "Not evaluated: 1 of 2 configs has no score (n).",
        ),
    ],
)
def test_of_several_configs_the_worst_answers(digests, sentence):
    assert first_line.summarise(digests).sentence == sentence
    assert first_line.summarise(digests[::-1]).sentence == sentence


def test_the_facts_name_what_moved():
    moved = digest(regressed=3, fixed=1, removed_failing=1, problems=2, cost="Cost +12 %")

    assert first_line.summarise([moved]).facts == (
        "3 cases regressed, 1 case fixed, 1 case removed while failing",
        "Cost +12 %",
        "2 problems, listed below",
    )


def test_what_has_no_score_has_no_figures():
    facts = [
        first_line.summarise([digest(figure="Pass rate 0 %", cost="Cost +12 %", unscored=10)]).facts
    ]
    facts.append(first_line.summarise([UNCHANGED]).facts)

    assert facts == [(), ()]


def test_foreign_names_are_harmless_in_the_banner():
    banner = first_line.banner(first_line.summarise([digest("@all | <b>", **FAIL), PASSED]))

    assert "@\u200ball \\| &lt;b>" in banner
    assert [row for row in banner.splitlines() if not row.startswith(">")] == []
    assert banner.count("\n") == 4
