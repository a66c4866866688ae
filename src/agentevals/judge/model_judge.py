"""A judge that is a language model: asks, reads, asks once more, and remembers."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Unpack

from agentevals.files.atomic_files import find_user_cache
from agentevals.judge import ONCE, AnswerMemory, Changes, Judge, JudgeAnswerError, Patience, Redact
from agentevals.judge.judge_costs import AnswerCache, Cost, Meter, digest
from agentevals.judge.judge_question import (
    LONGEST_ANSWER,
    Question,
    check_length,
    check_schema,
    make_printable,
    read_answer,
)
from agentevals.judge.judge_server import Server
from agentevals.judge.judge_settings import JudgeSettings
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.plugins import suggestion

_LONGEST_PROMPT = 1_000_000
_LONGEST_REPEATED = 20_000
_CACHE_FORMAT = 2  # counts up when old answers would mislead
_BYTES_PER_TOKEN = 3  # fewer than any tokenizer needs on average, so that estimates are high

Read = Callable[[str], dict[str, Any]]

_TEXT: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}


class ModelJudge:
    """Asks the model that its settings name. Safe to be used by many threads at once."""

    def __init__(  # noqa: PLR0913 -- the settings, and what the judges of a run share
        self,
        settings: JudgeSettings,
        *,
        environ: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
        redact: Redact = str,
        shared: tuple[Meter, AnswerCache] | None = None,
        memory: AnswerMemory | None = None,
    ) -> None:
        self._settings, self._environ, self._sleep = settings, environ, sleep
        self._redact = redact
        self._server = Server(settings, environ, sleep) if settings.model else None
        self._meter, self._cache = shared or _open_shared(settings, memory)
        self._variants: dict[str, ModelJudge] = {}

    @property
    def samples(self) -> int:
        return self._settings.samples

    def ask(
        self,
        prompt: str,
        *,
        schema: dict[str, Any],
        sample: int = 0,
        system: str = "",
        patience: Patience = ONCE,
    ) -> dict[str, Any]:
        accepted = patience.accepts or schema
        read = partial(_read, patience, accepted)
        server, question = self._build_question(prompt, system, schema)
        name = self._build_cache_key(server, question, sample)
        known = self._find_cached(name, accepted)
        if known is None:
            known = self._answer(server, question, read, patience.tries)
            self._cache.put(name, known)
        return known

    def say(self, prompt: str, *, system: str = "", sample: int = 0) -> str:
        server, question = self._build_question(prompt, system, None)
        name = self._build_cache_key(server, question, sample)
        known = self._find_cached(name, _TEXT)
        if known is None:
            known = {"text": check_length(self._say(server, question))}
            self._cache.put(name, known)
        return str(known["text"])

    def variant(self, **changes: Unpack[Changes]) -> Judge:
        target = changes.get("target")
        settings = self._settings if target is None else self._find_target(target)
        wanted = settings.change(
            model=changes.get("model"),
            base_url=changes.get("base_url"),
            api_key_env=changes.get("api_key_env"),
        ).set_temperature(changes.get("temperature"))
        if wanted == self._settings:
            return self
        # kept, because a server is got to know only once
        made = self._variants.get(key := wanted.model_dump_json()) or ModelJudge(
            wanted,
            environ=self._environ,
            sleep=self._sleep,
            redact=self._redact,
            shared=(self._meter, self._cache),
        )
        return self._variants.setdefault(key, made)

    def usage(self) -> dict[str, Any]:
        """Return the cost, and the model for evaluators that name no other."""
        named = {"provider": self._settings.speaks, "model": self._settings.model}
        return {key: value for key, value in named.items() if value} | self._meter.to_dict()

    def list_refused(self) -> Iterator[str]:
        """Yield a sentence for each setting that a server refused, so that it was asked without."""
        wanted = self._settings.temperature
        if wanted is not None and self._server and not self._server.takes_temperature:
            about = f"the judge {self._settings.model!r} refuses 'temperature' ({wanted:g})"
            yield f"{about}; it was asked without it"
        for variant in self._variants.values():
            yield from variant.list_refused()

    def _find_target(self, target: str) -> JudgeSettings:
        known = self._settings.targets
        if target not in known:
            near = suggestion(target, list(known)) if known else " (none is)"
            msg = f"no judge is called {target!r}{near}; name it under 'targets' in the 'judge:' "
            raise InputError(msg + "block, with its 'model'")
        return self._settings.select_target(target)

    def _build_question(
        self, prompt: str, system: str, schema: dict[str, Any] | None
    ) -> tuple[Server, Question]:
        if self._server is None or self._settings.served_model is None:
            msg = "no judge model is named; give the 'judge:' block or the evaluator a model"
            raise InputError(msg)
        if len(prompt) > _LONGEST_PROMPT:
            msg = f"a question to the judge is longer than {_LONGEST_PROMPT} characters; "
            raise EvaluatorError(msg + "split the conversation")
        return self._server, Question(
            model=self._settings.served_model,
            said=(("user", _replace_surrogates(self._redact(prompt))),),
            schema=schema,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            system=_replace_surrogates(self._redact(system)),
        )

    def _build_cache_key(self, server: Server, question: Question, sample: int) -> str:
        return digest(
            _CACHE_FORMAT,
            (self._settings.speaks, server.base_url, question.model),
            (question.system, question.said, question.schema),
            (question.temperature, question.max_tokens, sample),
        )

    def _find_cached(self, name: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        """The answer that was kept, unless somebody has written something else into the file."""
        try:
            answer = check_schema(self._cache.get(name), schema)
        except JudgeAnswerError:
            return None
        self._meter.count_cached()
        return answer

    def _answer(self, server: Server, question: Question, read: Read, tries: int) -> dict[str, Any]:
        """Asked as often as there is patience for, then once more with what was wrong."""
        for left in reversed(range(tries)):
            text = self._ask_once(server, question, last=not left)
            try:
                return read(text)
            except JudgeAnswerError as problem:
                objection = f"That cannot be used: {problem}. "
        objection += "Answer again, with the JSON object only."
        text = self._say(server, question.add_objection(text[:_LONGEST_REPEATED], objection))
        try:
            return read(text)
        except JudgeAnswerError as problem:
            count = "two" if tries == 1 else tries + 1
            msg = f"the judge {question.model!r} gave no usable answer in {count} tries: {problem}"
            raise JudgeAnswerError(msg) from None

    def _ask_once(self, server: Server, question: Question, *, last: bool) -> str:
        """Ask once; no answer at all counts as an unusable one, and is final the last time."""
        try:
            return self._say(server, question)
        except JudgeAnswerError:
            if last:
                raise
            return ""

    def _say(self, server: Server, question: Question) -> str:
        asked = question.put_schema_in_text().length // _BYTES_PER_TOKEN
        with self._meter.call(Cost(1, asked, question.max_tokens)) as cost:
            try:
                said = server.say(question)
            finally:
                if server.asked:
                    self._meter.add_host(server.host)
            cost.calls = 1
            cost.input_tokens = asked if said.input_tokens is None else said.input_tokens
            cost.output_tokens = (
                len(said.text.encode()) // _BYTES_PER_TOKEN
                if said.output_tokens is None
                else said.output_tokens
            )
        if said.refusal:
            reason = make_printable(said.refusal, 200)
            msg = f"the judge {question.model!r} refused to answer: {reason}"
            raise JudgeAnswerError(msg)
        if said.cut_off:
            msg = f"the judge {question.model!r} was cut off after {question.max_tokens} tokens; "
            raise JudgeAnswerError(msg + "raise 'max_tokens' in the 'judge:' block")
        return said.text


def _read(patience: Patience, accepted: dict[str, Any], text: str) -> dict[str, Any]:
    """The answer in a text, in JSON or in other words that are known."""
    try:
        return read_answer(text, accepted)
    except JudgeAnswerError:
        said = patience.reads(text[:LONGEST_ANSWER]) if patience.reads else None
        if said is None:
            raise
        return check_schema(said, accepted)


def _replace_surrogates(text: str) -> str:
    """Half of a character, which only a broken recording has, cannot be sent."""
    return text.encode(errors="replace").decode()


def _open_shared(settings: JudgeSettings, memory: AnswerMemory | None) -> tuple[Meter, AnswerCache]:
    directory = settings.cache_directory or find_user_cache() / "judge"
    cache = AnswerCache(directory.expanduser() if settings.cache else None, memory)
    return Meter(settings.budget, settings.prices), cache
