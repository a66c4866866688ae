"""Wrong scorers of agentevals: what agentevals-cli was recorded to say shows each of them."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from agentevals.graders import grading
from agentevals.graders.text import response_match_score, text_metrics
from agentevals.graders.tools import tool_trajectory_avg_score as trajectory
from agentevals.graders.tools.tool_call_matching import ArgsMatch, MatchType, are_args_equal
from agentevals.model.cases import Case, Status
from agentevals.model.policy import Policy
from agentevals.run import pipeline
from agentevals.run.pairing import Pairing, pairing_findings
from agentevals.sandbox import wire_protocol
from agentevals.traces import turn_performance
from agentevals.traces.turns.conversation_groups import Groups
from tests.conformance import agentevals as comparison
from tests.differential.kept import FOLDER

RECORDINGS = FOLDER / "agentevals"
Patch = pytest.MonkeyPatch
_rouge, _matches = response_match_score.rouge_1, trajectory.matches
_read_grade, _build_invocation = wire_protocol.read_grade, wire_protocol._build_invocation
_build_response = wire_protocol._build_response


def instead(target: Any, name: str, wrong: Any) -> Callable[[Patch], None]:
    """A mutation that puts something else in the place of a name."""
    return lambda patch: patch.setattr(target, name, wrong)


def in_another_way(**ways: MatchType) -> Callable[[Patch], None]:
    """A mutation that compares calls in another way than was asked for."""
    return instead(
        trajectory,
        "matches",
        lambda wanted, made, way, how: _matches(wanted, made, ways.get(way.value, way), how),
    )


def reuse_calls(wanted: Any, made: Any, way: MatchType, how: ArgsMatch) -> bool:
    if way is not MatchType.ANY_ORDER:
        return _matches(wanted, made, way, how)
    return all(
        any(one.name == call.name and are_args_equal(one.args, call.args, how) for call in made)
        for one in wanted
    )


def above(grade: Any, threshold: float) -> Status:
    if grade.score is None:
        return grade.status or Status.NOT_EVALUATED
    return grade.status or (Status.PASSED if grade.score > threshold else Status.FAILED)


def take_at_90(ordered: Any) -> dict[str, float]:
    found = _percentiles(ordered)
    return found | ({"p95": ordered[int(len(ordered) * 0.9)]} if ordered else {})


_percentiles = turn_performance._percentiles


def without(name: str, value: Any) -> Callable[..., Any]:
    """A grade of a program that lacks a part of what it said."""
    return lambda *given, **more: msgspec.structs.replace(
        _read_grade(*given, **more), **{name: value}
    )


def change_invocation(**changed: Any) -> Callable[[Any], Any]:
    def build(turn: Any) -> Any:
        found = _build_invocation(turn)
        for key, change in changed.items():
            setattr(found, key, change(getattr(found, key)))
        return found

    return build


def change_response(key: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda call: msgspec.structs.replace(
        _build_response(call), **{key: change(getattr(_build_response(call), key))}
    )


MUTATIONS: dict[str, Callable[[Patch], None]] = {
    "ROUGE is off by 0.05": instead(
        response_match_score, "rouge_1", lambda a, e: min(1.0, _rouge(a, e) + 0.05)
    ),
    "ROUGE knows ASCII only": instead(
        response_match_score,
        "rouge_1",
        lambda a, e: _rouge(*(text.encode("ascii", "ignore").decode() for text in (a, e))),
    ),
    "ANY_ORDER takes one call for two": instead(trajectory, "matches", reuse_calls),
    "ANY_ORDER tolerates no further call": in_another_way(ANY_ORDER=MatchType.EXACT),
    "ANY_ORDER heeds the order": in_another_way(ANY_ORDER=MatchType.IN_ORDER),
    "IN_ORDER ignores the order": in_another_way(IN_ORDER=MatchType.ANY_ORDER),
    "IN_ORDER tolerates no further call": in_another_way(IN_ORDER=MatchType.EXACT),
    "EXACT tolerates further calls": in_another_way(EXACT=MatchType.IN_ORDER),
    "arguments do not count": instead(
        trajectory, "matches", lambda w, m, way, _how: _matches(w, m, way, ArgsMatch.IGNORE)
    ),
    "further arguments are tolerated": instead(
        trajectory, "matches", lambda w, m, way, _how: _matches(w, m, way, ArgsMatch.SUBSET)
    ),
    "a threshold has to be exceeded": instead(grading, "_decide_status", above),
    "the score is the worst turn": lambda patch: [
        patch.setattr(home, "mean", lambda scores: min(scores, default=None))
        for home in (trajectory, response_match_score)
    ],
    "the 95th percentile is the 90th": instead(turn_performance, "_percentiles", take_at_90),
    "fuzzy_match is constant": lambda patch: patch.setitem(
        text_metrics.METRICS, "fuzzy_match", lambda *_: 0.0123
    ),
    "the status of a program does not count": instead(
        wire_protocol, "read_grade", without("status", None)
    ),
    "turns of a program are lost": instead(wire_protocol, "read_grade", without("per_turn", ())),
    "details of a program are lost": instead(wire_protocol, "read_grade", without("details", {})),
    "an empty answer is sent as a text": instead(
        wire_protocol,
        "_build_invocation",
        change_invocation(final_response=lambda text: text or ""),
    ),
    "answers of tools are sent without ids": instead(
        wire_protocol, "_build_response", change_response("id", lambda _: None)
    ),
    "failures of tools are not told": instead(
        wire_protocol, "_build_response", change_response("status", lambda _: None)
    ),
    "answers of tools are told as Python writes them": instead(
        wire_protocol, "_build_response", change_response("output", repr)
    ),
    "a case that nobody answered is fine": instead(
        pairing_findings, "_report_missing", lambda *_: iter(())
    ),
    "expected turns that are missing are fine": instead(
        Pairing, "_compare_lengths", lambda *_: None
    ),
    "turns that nobody expected are not counted": instead(Case, "turn_gap", {}),
    "conversations are never joined": instead(
        pipeline, "find_groups", lambda traces, _by, **_more: Groups(traces, None)
    ),
    "what was not evaluated passes": instead(Policy, "fail_on_not_evaluated", False),
}


def is_wrong() -> bool:
    return any(row.unexplained or row.incomparable for row in comparison.rows(RECORDINGS))


def test_the_recordings_are_right() -> None:
    assert not is_wrong()


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_wrong_scorer_is_seen(mutation: str, monkeypatch: Patch) -> None:
    MUTATIONS[mutation](monkeypatch)

    assert is_wrong()
