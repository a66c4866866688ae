"""Wrong scorers of ADK's metrics: what was recorded of the real ones shows each of them."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.configs.dialects.adk import adk_config_criteria
from agentevals.configs.plan import Overrides
from agentevals.graders import adk, grading
from agentevals.graders.adk import adk_function
from agentevals.graders.llm import hallucinations_v1, per_turn_user_simulator_quality_v1, questions
from agentevals.graders.llm.questions import adk_verdicts, judged_rubrics
from agentevals.graders.text import response_match_score, word_stems
from agentevals.graders.tools import tool_trajectory_avg_score as trajectory
from agentevals.graders.tools.tool_call_matching import ArgsMatch, MatchType
from agentevals.model import cases
from agentevals.model.cases import Status
from agentevals.traces import turns
from agentevals.traces.loaders import adk_evalset_result
from tests.conformance import adk_runs
from tests.differential.kept import list_kept

FOLDERS = list_kept("adk")
_rouge, _matches, _are_equal = (
    response_match_score.rouge_1,
    trajectory.matches,
    trajectory.matches.__globals__["are_args_equal"],
)


def instead(target: Any, name: str, wrong: Any) -> Callable[[pytest.MonkeyPatch], None]:
    """A mutation that puts something else in the place of a name."""
    return lambda patch: patch.setattr(target, name, wrong)


def as_kind(kind):
    return instead(trajectory, "matches", lambda e, a, _kind, how: _matches(e, a, kind, how))


def loosely(expected, actual, how):
    return _are_equal(expected or {}, actual or {}, how)


def one_sided(side):
    def score(actual, expected):
        found, wanted = (set(word_stems.split_stems(text)) for text in (actual, expected))
        return len(found & wanted) / max(1, len((found, wanted)[side]))

    return instead(response_match_score, "rouge_1", score)


def above(grade, threshold):
    if grade.score is None:
        return Status.NOT_EVALUATED
    return grade.status or (Status.PASSED if grade.score > threshold else Status.FAILED)


def as_rebuilt(turn):
    return _describe(replace(turn, invocation={}))


_describe = adk_function._describe_turn
_read_text = adk_evalset_result._text


def unthought(content):
    parts = [p for p in (content or {}).get("parts") or () if not p.get("thought")]
    return _read_text({**(content or {}), "parts": parts})


MUTATIONS = {
    "the order of calls is ignored": as_kind(MatchType.ANY_ORDER),
    "further calls are tolerated": as_kind(MatchType.IN_ORDER),
    "nothing but the exact calls is right": as_kind(MatchType.EXACT),
    "arguments do not count": instead(
        trajectory, "matches", lambda e, a, kind, _how: _matches(e, a, kind, ArgsMatch.IGNORE)
    ),
    "ignore_args has no effect": instead(
        trajectory, "matches", lambda e, a, kind, _how: _matches(e, a, kind, ArgsMatch.EXACT)
    ),
    "no arguments are the same as null": lambda patch: patch.setitem(
        _matches.__globals__, "are_args_equal", loosely
    ),
    "ROUGE is recall": one_sided(1),
    "ROUGE is precision": one_sided(0),
    "ROUGE takes two empty texts for equal": instead(
        response_match_score, "rouge_1", lambda a, e: 1.0 if not a and not e else _rouge(a, e)
    ),
    "ROUGE knows ASCII only": instead(
        response_match_score,
        "rouge_1",
        lambda a, e: _rouge(*(text.encode("ascii", "ignore").decode() for text in (a, e))),
    ),
    "ROUGE tells upper case from lower": instead(
        response_match_score, "rouge_1", lambda a, e: _rouge(a.swapcase().upper(), e) * (a == e)
    ),
    "thoughts are left out": instead(adk_evalset_result, "_text", unthought),
    "a threshold has to be passed": instead(grading, "_decide_status", above),
    "the score is the worst turn": lambda patch: [
        patch.setattr(home, "mean", lambda scores: min(scores, default=None))
        for home in (trajectory, response_match_score)
    ],
    "turns of different number are compared": instead(cases.Case, "uneven", ""),
    "turns are sorted by their times": instead(
        turns, "_place_recorded", lambda found: [(turn.start_ns, turn) for turn in found]
    ),
    "a tie is a majority": instead(questions, "has_majority", lambda v: 2 * sum(v) >= len(v)),
    "one answer is enough": instead(questions, "has_majority", any),
    "the first answer decides": instead(questions, "has_majority", lambda votes: votes[0]),
    "rubrics of the case are not asked about": instead(
        judged_rubrics,
        "select_rubrics",
        lambda own, case, kind, turn=None: _select(own, cases.Case(case.conversation), kind, turn),
    ),
    "rubrics of every kind are asked about": instead(
        judged_rubrics,
        "select_rubrics",
        lambda own, case, kind, turn=None: _select(own, _untyped(case), kind, turn),
    ),
    "what the judge leaves out is met": instead(
        judged_rubrics, "_count_votes", lambda name, given: _count(name, given, missing="yes")
    ),
    "disputed sentences are fine": instead(
        hallucinations_v1, "_FINE", {"supported", "not_applicable", "disputed"}
    ),
    "the first message is not compared": instead(
        per_turn_user_simulator_quality_v1,
        "_judge_opening",
        lambda _turn, _scenario: questions.Ballot(met=True, votes=(True,), reasoning=""),
    ),
    "almost is valid": lambda patch: patch.setitem(adk_verdicts._MEANS_VALID, "almost", True),
    "a coherence of 1 to 5 is taken for a share": instead(
        adk_config_criteria.Coherence,
        "settings",
        lambda self: {**self.model_dump(), "threshold": min(1, self.threshold)},
    ),
    "scores of functions are not shares of their range": instead(
        adk.Interval, "share", lambda _self, score: score
    ),
    "scores beyond their range are not clamped": instead(
        adk.Interval,
        "share",
        lambda self, score: (score - self.min_value) / (self.max_value - self.min_value),
    ),
    "a function is given turns that are built anew": instead(
        adk_function, "_describe_turn", as_rebuilt
    ),
    "a function is given what was expected as what was done": instead(
        adk_function,
        "describe_case",
        lambda case: _describe_case(case) | {"actual": _describe_case(case)["expected"] or []},
    ),
    "a function of the first release decides by itself": instead(
        adk, "_read_status", lambda answer, _told, _raw: str(answer.get("status"))
    ),
    "what was not evaluated passes": instead(
        Overrides,
        "change_policy",
        lambda _self, gate: gate.model_copy(update={"on_not_evaluated": "warn"}).policy(),
    ),
}
_describe_case = adk_function.describe_case
_select = judged_rubrics.select_rubrics


def _untyped(case):
    return replace(case, rubrics=tuple(replace(one, kind="") for one in case.rubrics))


def _count(name, given, *, missing):
    votes = [
        next((v["verdict"] for v in answer["verdicts"] if v["id"] == name), missing) == "yes"
        for answer in given
    ]
    return questions.Ballot.decide(votes, [""] * len(votes))


def is_seen(folders) -> bool:
    """Whether any of the recordings is not as it was recorded."""
    return any(
        row.unexplained or row.incomparable for folder in folders for row in adk_runs.rows(folder)
    )


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_wrong_scorer_is_seen(mutation, monkeypatch):
    MUTATIONS[mutation](monkeypatch)

    assert is_seen(FOLDERS)
