"""A judge that is a language model: asks, reads, asks once more, and remembers."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from agentevals.errors import EvaluatorError, InputError
from agentevals.judge import Judge, JudgeAnswerError
from agentevals.judge.answers import fitted, printable, read_answer
from agentevals.judge.cache import AnswerCache, default_directory, digest
from agentevals.judge.costs import Cost, Meter
from agentevals.judge.question import Question
from agentevals.judge.server import Server
from agentevals.judge.settings import JudgeSettings

_LONGEST_PROMPT = 1_000_000
_LONGEST_REPEATED = 20_000
_CACHE_FORMAT = 1  # counts up when old answers would mislead
_BYTES_PER_TOKEN = 3  # fewer than any tokenizer needs on average, so that estimates are high


class ModelJudge:
    """Asks the model that its settings name. Safe to be used by many threads at once."""

    def __init__(
        self,
        settings: JudgeSettings,
        *,
        environ: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
        shared: tuple[Meter, AnswerCache] | None = None,
    ) -> None:
        self._settings, self._environ, self._sleep = settings, environ, sleep
        self._server = Server(settings, environ, sleep) if settings.model else None
        self._meter, self._cache = shared or _beginning(settings)
        self._variants: dict[JudgeSettings, ModelJudge] = {}

    @property
    def samples(self) -> int:
        return self._settings.samples

    def ask(
        self, prompt: str, *, schema: dict[str, Any], model: str | None = None, sample: int = 0
    ) -> dict[str, Any]:
        if model not in {None, self._settings.model}:
            return self.variant(model=model).ask(prompt, schema=schema, sample=sample)
        server, question = self._question(prompt, schema)
        name = digest(
            _CACHE_FORMAT,
            (self._settings.speaks, server.base_url, question.model),
            (prompt, schema, question.temperature, question.max_tokens, sample),
        )
        known = self._known(name, schema)
        if known is not None:
            return known
        answer = self._answer(server, question)
        self._cache.put(name, answer)
        return answer

    def variant(
        self,
        *,
        model: str | None = None,
        base_url: str | None = None,
        api_key_env: str | None = None,
    ) -> Judge:
        wanted = self._settings.varied(model=model, base_url=base_url, api_key_env=api_key_env)
        if wanted == self._settings:
            return self
        # kept, because a server is got to know only once
        made = self._variants.get(wanted) or ModelJudge(
            wanted,
            environ=self._environ,
            sleep=self._sleep,
            shared=(self._meter, self._cache),
        )
        return self._variants.setdefault(wanted, made)

    def usage(self) -> dict[str, Any]:
        """What judging has cost, and the model that is asked where no evaluator names another."""
        named = {"provider": self._settings.speaks, "model": self._settings.model}
        return {key: value for key, value in named.items() if value} | self._meter.as_dict()

    def _question(self, prompt: str, schema: dict[str, Any]) -> tuple[Server, Question]:
        if self._server is None or self._settings.model is None:
            msg = "no judge model is named; give the 'judge:' block or the evaluator a model"
            raise InputError(msg)
        if len(prompt) > _LONGEST_PROMPT:
            msg = f"a question to the judge is longer than {_LONGEST_PROMPT} characters; "
            raise EvaluatorError(msg + "split the conversation")
        return self._server, Question(
            model=self._settings.model,
            said=(("user", prompt),),
            schema=schema,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
        )

    def _known(self, name: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        """The answer that was kept, unless somebody has written something else into the file."""
        try:
            answer = fitted(self._cache.get(name), schema)
        except JudgeAnswerError:
            return None
        self._meter.count_cached()
        return answer

    def _answer(self, server: Server, question: Question) -> dict[str, Any]:
        text = self._say(server, question)
        try:
            return read_answer(text, question.schema)
        except JudgeAnswerError as problem:
            objection = f"That cannot be used: {problem}. Answer again, with the JSON object only."
        text = self._say(server, question.continued(text[:_LONGEST_REPEATED], objection))
        try:
            return read_answer(text, question.schema)
        except JudgeAnswerError as problem:
            msg = f"the judge {question.model!r} gave no usable answer in two tries: {problem}"
            raise JudgeAnswerError(msg) from None

    def _say(self, server: Server, question: Question) -> str:
        """One paid call."""
        asked = sum(len(text.encode()) for _, text in question.spelled_out()) // _BYTES_PER_TOKEN
        with self._meter.call(Cost(1, asked, question.max_tokens)) as cost:
            said = server.say(question)
            cost.calls = 1
            cost.input_tokens = asked if said.input_tokens is None else said.input_tokens
            cost.output_tokens = (
                len(said.text.encode()) // _BYTES_PER_TOKEN
                if said.output_tokens is None
                else said.output_tokens
            )
        if said.refusal:
            msg = f"the judge {question.model!r} refused to answer: {printable(said.refusal, 200)}"
            raise JudgeAnswerError(msg)
        if said.cut_off:
            msg = f"the judge {question.model!r} was cut off after {question.max_tokens} tokens; "
            raise JudgeAnswerError(msg + "raise 'max_tokens' in the 'judge:' block")
        return said.text


def _beginning(settings: JudgeSettings) -> tuple[Meter, AnswerCache]:
    directory = settings.cache_directory or default_directory()
    cache = AnswerCache(directory.expanduser() if settings.cache else None)
    return Meter(settings.budget, settings.prices), cache
