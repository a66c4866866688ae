"""What judged metrics come to here, computed from what a scripted judge was told to say."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any

from agentevals.graders.llm.hallucinations_v1 import split_sentences
from tests.conformance.adk_facts import Facts, Recorded, read_text

_UNREACHABLE = "429"
KINDS = {
    "rubric_based_final_response_quality_v1": "FINAL_RESPONSE_QUALITY",
    "rubric_based_tool_use_quality_v1": "TOOL_USE_QUALITY",
    "rubric_based_multi_turn_trajectory_quality_v1": "TRAJECTORY_QUALITY",
}
_WHOLE = "rubric_based_multi_turn_trajectory_quality_v1"
_FINE = {"supported", "not_applicable"}
_LABELS = {*_FINE, "unsupported", "contradictory", "disputed"}


class UnusableError(Exception):
    """No answer to a question could be used: here an error, not left out (1.3)."""


class UnreachableError(UnusableError):
    """The judge did not answer at all."""


class Bench:
    """The judge of a case: each question takes as many of its answers as there are samples.

    `decided` are the decisions by which what comes of its answers is not what ADK makes of them.
    """

    def __init__(self, facts: Facts) -> None:
        self._answers = chain(facts.script, repeat(facts.script[-1]))
        self.decided: set[str] = set()

    def ask(self, samples: int, read: Callable[[str], Any]) -> list[Any]:
        said = [next(self._answers) for _ in range(samples)]
        self.decided |= {"1.3"} if _UNREACHABLE in said else set()
        if _UNREACHABLE in said:
            raise UnreachableError
        usable = [found for found in map(read, said) if found is not None]
        if not usable:
            self.decided.add("1.3")
            raise UnusableError
        return usable


def judge(facts: Facts, bench: Bench) -> list[float | None]:
    """The score of each turn; None where nothing is judged."""
    if facts.metric in KINDS:
        return list(_judge_rubrics(facts, bench))
    return list(_ORACLES[facts.metric](facts, bench))


def average(facts: Facts, each: list[float | None]) -> float | None:
    """The score of the case: of rubrics every verdict counts the same, else every turn."""
    rubrics = facts.metric in KINDS and facts.metric != _WHOLE
    weights = [len(list_rubrics(facts, turn)) if rubrics else 1 for turn in range(len(each))]
    known = [(score, n) for score, n in zip(each, weights, strict=True) if score is not None]
    total = sum(n for _, n in known)
    return sum(score * n for score, n in known) / total if known else None


def _majority(votes: list[bool]) -> float:
    return float(2 * sum(votes) > len(votes))


def _judge_answers(facts: Facts, bench: Bench) -> Iterator[float | None]:
    """A turn for which no answer is stated is not judged (1.11)."""
    for expected in facts.expected or ():
        if expected.get("final_response") is None:
            bench.decided.add("1.11")
            yield None
        else:
            yield _majority(bench.ask(facts.samples, _read_validity))


def _read_validity(said: str) -> bool | None:
    found = re.search(r'"is_the_agent_response_valid":\s*[\["]*([a-z_]+)[\]"]*\s*}', said)
    known = {"valid": True, "true": True, "invalid": False, "false": False, "almost": False}
    return (known | {"partially": False, "partially_valid": False}).get(found[1]) if found else None


def _judge_user(facts: Facts, bench: Bench) -> Iterator[float | None]:
    """The first message by comparison, the others by the judge, and the end of it all."""
    opening = facts.case["conversation_scenario"]["starting_prompt"]
    scores = [float(read_text(facts.turns[0]["user_content"]).strip() == opening.strip())]
    scores += [_majority(bench.ask(facts.samples, _read_user)) for _ in facts.turns[1:]]
    if not _majority(bench.ask(facts.samples, _read_user)):
        scores[-1] = 0.0
    yield from scores


def _read_user(said: str) -> bool | None:
    found = re.search(r'"is_valid":\s*"?(true|false)', said)
    return found[1] == "true" if found else None


def list_rubrics(facts: Facts, turn: int | None) -> list[tuple[str, str]]:
    """Those of the criterion, and those of the case and the turn that are of this kind."""
    kind = KINDS[facts.metric]
    found = list(facts.criterion.get("rubrics") or ())
    found += [one for one in facts.case.get("rubrics") or () if one["type"] == kind]
    for number, expected in enumerate(facts.expected or ()):
        if turn is None or turn == number:
            found += [one for one in expected.get("rubrics") or () if one["type"] == kind]
    return [(one["rubric_id"], one["rubric_content"]["text_property"]) for one in found]


def _judge_rubrics(facts: Facts, bench: Bench) -> Iterator[float | None]:
    """A rubric that the judge leaves out is not met (7.9); each turn has its own ones (7.10)."""
    whole = facts.metric == _WHOLE
    if not list_rubrics(facts, None):
        bench.decided.add("1.3")
        raise UnusableError
    if not whole and any(turn.get("rubrics") for turn in facts.expected or ()):
        bench.decided.add("7.10")
    for number in range(len(facts.turns)):
        if whole and number < len(facts.turns) - 1:
            yield None
            continue
        rubrics = list_rubrics(facts, None if whole else number)
        if not rubrics:
            yield None
            continue
        given = bench.ask(facts.samples, lambda said, known=rubrics: read_verdicts(said, known))
        if any(len(answer) < len(rubrics) for answer in given):
            bench.decided.add("7.9")
        met = [_majority([answer.get(name) is True for answer in given]) for name, _ in rubrics]
        yield sum(met) / len(met)


def read_verdicts(said: str, rubrics: list[tuple[str, str]]) -> dict[str, bool] | None:
    """Block by block, by id or else by text. What is neither yes nor no is not said."""
    names = {name for name, _ in rubrics}
    by_text = {text.lower(): name for name, text in rubrics}
    blocks = [block for block in said.split("\n\n") if "Property:" in block]
    found: dict[str, bool] = {}
    for block in blocks:
        lines = dict(line.split(": ", 1) for line in block.splitlines())
        if "Verdict" not in lines:
            return None
        name = lines.get("ID") if lines.get("ID") in names else None
        name = name or by_text.get(" ".join(lines["Property"].strip("*_`# >-\"'").lower().split()))
        verdict = lines["Verdict"].lower()
        if name and ("yes" in verdict or "no" in verdict):
            found[name] = "yes" in verdict
    return found if blocks else None


def _judge_sentences(facts: Facts, bench: Bench) -> Iterator[float | None]:
    """Sentences are told apart here and labelled in their order (7.11); none left out (7.9)."""
    on_the_way = facts.criterion.get("evaluate_intermediate_nl_responses", False)
    samples = (facts.criterion.get("judge_model_options") or {}).get("num_samples") or 1
    for turn in facts.turns:
        said = [read_text(turn.get("final_response"))]
        said = [*list_steps(turn), *said] if on_the_way else said
        count = sum(len(split_sentences(text)) for text in said)
        if not count:
            yield None
            continue
        given = bench.ask(samples, _read_labels)
        if samples > 1 or on_the_way or any(len(answer) != count for answer in given):
            bench.decided.add("7.11")
        met = [_majority([_is_fine(answer, at) for answer in given]) for at in range(count)]
        yield sum(met) / count


def list_steps(turn: Recorded) -> list[str]:
    """The texts on the way to the answer."""
    data = turn.get("intermediate_data") or {}
    events = [event.get("content") for event in data.get("invocation_events") or ()]
    events += [{"parts": parts} for _, parts in data.get("intermediate_responses") or ()]
    return [text for text in map(read_text, events) if text]


def _read_labels(said: str) -> list[str] | None:
    found = re.findall(r"^label: (\w+)", said, re.MULTILINE)
    return found or None


def _is_fine(labels: list[str], at: int) -> bool:
    return at < len(labels) and labels[at] in _FINE


def _judge_by_own(facts: Facts, bench: Bench) -> Iterator[float | None]:
    """By rubrics of our own, where ADK asks Vertex AI (2.11)."""
    each = facts.metric in {"safety_v1", "response_evaluation_score"}
    for number, turn in enumerate(facts.turns):
        is_asked = read_text(turn.get("final_response")) if each else number == len(facts.turns) - 1
        if not is_asked:
            yield None
            continue
        bench.decided.add("2.11")
        given = bench.ask(facts.samples, _read_own)
        names = {name for answer in given for name in answer}
        met = [_majority([answer.get(name) == "yes" for answer in given]) for name in names]
        yield sum(met) / len(met)


def _read_own(said: str) -> dict[str, str] | None:
    try:
        return {one["id"]: one["verdict"] for one in json.loads(said)["verdicts"]}
    except (ValueError, KeyError, TypeError):
        return None


_VERTEX = (
    *("safety_v1", "response_evaluation_score", "multi_turn_task_success_v1"),
    *("multi_turn_trajectory_quality_v1", "multi_turn_tool_use_quality_v1"),
)
_ORACLES: dict[str, Callable[[Facts, Bench], Iterator[float | None]]] = {
    "final_response_match_v2": _judge_answers,
    "per_turn_user_simulator_quality_v1": _judge_user,
    "hallucinations_v1": _judge_sentences,
    **dict.fromkeys(_VERTEX, _judge_by_own),
}
