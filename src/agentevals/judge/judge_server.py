"""The API a judge is behind: where it is, how it wants to be asked, whether it still answers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from agentevals import web
from agentevals.judge.judge_apis import API, APIS
from agentevals.judge.judge_question import Manner, Question, Reply, read_error
from agentevals.judge.judge_settings import JudgeSettings, check_base_url
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError

# with one of these a server refuses what it does not know about the manner
_REFUSALS = frozenset({400, 422})
_BROKEN = 500
_PAUSE = 1.0  # seconds before somebody who broke down is asked again
_OF_THE_MANNER = ("response_format", "tool_choice")
_MAX_BYTES = 8 * 1024 * 1024
_GIVE_UP_AFTER = 8  # failures in a row, so that an outage does not cost hours of waiting


class Server:
    """One address that is asked. Learns from refusals, so that only the first call pays for them.

    Threads may learn the same thing twice, which does no harm.
    """

    def __init__(
        self, settings: JudgeSettings, environ: Mapping[str, str], sleep: Callable[[float], None]
    ) -> None:
        if settings.speaks is None:
            raise InputError(settings.describe_unserved())
        self._api = APIS[settings.speaks]
        self.base_url = settings.base_url or _find_address(self._api, environ)
        self._variable = settings.api_key_env or self._find_own_variable(settings)
        self._key = environ.get(self._variable, "").strip()
        self._timeout = settings.timeout
        self._terms = web.Terms(retries=settings.retries, max_bytes=_MAX_BYTES, sleep=sleep)
        self._wary = replace(self._terms, passing=self._terms.passing - {_BROKEN})
        self._known = False
        self._manner = Manner(structure=self._api.structures[0])
        self._failures = 0
        self.asked = False

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    @property
    def takes_temperature(self) -> bool:
        return self._manner.temperature

    def say(self, question: Question) -> Reply:
        """The model's answer, in whatever manner the server accepts."""
        if self._variable and not self._key:
            msg = f"{self.host}: no key for the judge; put it into the environment variable "
            raise InputError(msg + f"{self._variable}, or name another one in 'api_key_env'")
        if self._failures >= _GIVE_UP_AFTER:
            msg = f"{self.host}: not asked any more after {self._failures} failures in a row; "
            raise UnavailableError(msg + "check that it is up and reachable, then run again")
        try:
            said = self._negotiate(question)
        except UnavailableError:
            self._failures += 1
            raise
        self._failures = 0
        return said

    def _negotiate(self, question: Question) -> Reply:
        manner: Manner | None = self._manner
        complaints: list[str] = []
        while manner is not None:
            response = self._post(question, manner)
            if response.status == 200:  # noqa: PLR2004 -- OK
                self._manner, self._known = manner, True
                return self._read(response)
            complaints.append(self._explain_refusal(response))
            negotiable = response.status in _REFUSALS or self._blames_manner(response)
            manner = manner.simplify(complaints[-1], self._api.structures) if negotiable else None
        msg = f"{self.host}: {complaints[0]}"
        raise EvaluatorError(msg)

    def _post(self, question: Question, manner: Manner) -> web.Response:
        """The server's answer; while it is not known, its first breakdown may be a refusal."""
        if self._known:
            return self._post_once(question, manner, self._terms)
        response = self._post_once(question, manner, self._wary)
        if response.status != _BROKEN or self._blames_manner(response):
            return response
        left = self._terms.retries - 1
        if left < 0:
            msg = f"{self.host}: answered {_BROKEN}; check that it is up and reachable, then run "
            raise UnavailableError(msg + "again")
        self._terms.sleep(_PAUSE)
        return self._post_once(question, manner, replace(self._terms, retries=left))

    def _post_once(self, question: Question, manner: Manner, terms: web.Terms) -> web.Response:
        self.asked = True
        return web.post(
            self._api.address(self.base_url),
            self._api.document(question, manner),
            headers=self._api.headers(self._key),
            timeout=self._timeout,
            terms=terms,
        )

    def _blames_manner(self, response: web.Response) -> bool:
        """Some servers break down over what others refuse, and say over what."""
        said = read_error(response.body, key=self._key)
        return response.status == _BROKEN and any(word in said for word in _OF_THE_MANNER)

    def _read(self, response: web.Response) -> Reply:
        try:
            return self._api.read(response.body)
        except UnavailableError as error:
            msg = f"{self.host}: {error}"
            raise UnavailableError(msg) from None

    def _explain_refusal(self, response: web.Response) -> str:
        """Return the reason of a refusal. A server may quote the key; we never do."""
        if response.status in {401, 403}:
            wanted = f"the key in {self._variable}" if self._variable else "to answer without a key"
            hint = "correct it" if self._variable else "name its variable in 'api_key_env'"
            return f"refuses {wanted} ({response.status}); {hint}"
        reason = read_error(response.body, key=self._key)
        return f"refuses the question ({response.status}): {reason}"

    def _find_own_variable(self, settings: JudgeSettings) -> str:
        """The provider's usual key goes to the provider, or where the same environment points."""
        own = settings.base_url is None or self.base_url == self._api.home
        return self._api.key if own else ""


def _find_address(api: API, environ: Mapping[str, str]) -> str:
    """The address from the variable that the provider's own tools read, or the provider's."""
    given = environ.get(api.place, "").strip()
    try:
        return check_base_url(given) if given else api.home
    except ValueError as error:
        msg = f"{api.place}: {error}"
        raise InputError(msg) from None
