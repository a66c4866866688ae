"""Judged evaluators of AgentV, and the answers that their judges give."""

import json
from typing import Any

from tests.differential.draw import Draw
from tests.differential.systems.agentv_entries import Entry, make_opinion


class Judged:
    """Makes judged evaluators, and the answers that their judges give."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.answers: dict[str, str] = {}

    def make_judge(self, draw: Draw) -> Entry:
        said = json.dumps(make_opinion(draw))
        broken = ("I cannot say.", '{"score": 1.5}', '{"score": "0.9"}', "{", '{"hits": []}')
        form = draw.choose("answer", ("plain", "plain", "fenced", "prose", "broken"))
        answer = {"plain": said, "fenced": f"```json\n{said}\n```", "prose": f"So: {said} Done."}
        entry = self._ask(answer.get(form) or draw.choose("broken", broken))
        prompts = ("Is {{answer}} right for {{question}}?", "Be kind.", "file://prompts/p.md")
        if draw.chance(0.6):
            entry["prompt"] = draw.choose("prompt", prompts)
        elif draw.chance(0.25):
            program = {"command": ["python3", "judges/prompt.py"]}
            entry["prompt"] = program | ({"config": {"words": 3}} if draw.chance(0.5) else {})
        if draw.chance(0.1):
            entry["temperature"] = 0.5
        return entry

    def make_asked_rubric(self, draw: Draw) -> Entry:
        """A judge with a prompt and rubrics."""
        entry = self.make_rubric(draw)
        rubrics = entry.pop("criteria", None) or entry.pop("rubrics")
        return entry | {"prompt": "Judge {{answer}}", "rubrics": rubrics}

    def make_rubric(self, draw: Draw) -> Entry:
        criteria = [self._make_criterion(draw, n) for n in range(1, draw.count(1, 4) + 1)]
        points = any(isinstance(one, dict) and "score_ranges" in one for one in criteria)
        ids = [
            one.get("id", f"rubric-{n}") if isinstance(one, dict) else f"rubric-{n}"
            for n, one in enumerate(criteria, 1)
        ]
        checks = [self._make_check(draw, one, points=points) for one in ids if draw.chance(0.9)]
        entry = self._ask(json.dumps({"checks": checks, "overall_reasoning": "so"}))
        entry |= {"temperature": 0.5} if draw.chance(0.1) else {}
        return entry | {draw.choose("criteria key", ("criteria", "rubrics")): criteria}

    def _ask(self, answer: str) -> Entry:
        name = f"{self._name}-{len(self.answers)}"
        self.answers[name] = answer
        return {"target": name}

    def _make_criterion(self, draw: Draw, number: int) -> Any:
        if draw.chance(0.15):
            return f"criterion {number}"
        one: Entry = {"id": f"c{number}", "outcome": f"criterion {number}"}
        for key, values, part in (
            ("weight", (0, 1, 2, 3.5), 0.4),
            ("required", (True, False), 0.3),
            ("operator", ("correctness", "contradiction"), 0.15),
            ("min_score", (0.3, 1), 0.1),
        ):
            if draw.chance(part):
                one[key] = draw.choose(key, values)
        if draw.chance(0.15):
            one["required"] = draw.choose("least", (0.6, 0.5))
        if draw.chance(0.2):
            one["score_ranges"] = _make_ranges(draw)
            one |= {"required_min_score": draw.count(0, 10)} if draw.chance(0.4) else {}
        return one

    def _make_check(self, draw: Draw, one: str, *, points: bool) -> Entry:
        said: Entry = {"id": one, "reasoning": "because"}
        return said | ({"score": draw.count(0, 10)} if points else {"satisfied": draw.chance(0.6)})


def _make_ranges(draw: Draw) -> Any:
    if draw.chance(0.5):
        return {"0": "poor", "5": "fair", "8": "good"}
    return [{"score_range": [0, 6], "outcome": "poor"}, {"score_range": [7, 10], "outcome": "good"}]
