"""The one comment of a registry on a pull request, which every run writes anew."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from agentevals.action.job import Job
from agentevals.github import issue_comments
from agentevals.github.api_calls import InvalidError, PermissionMissingError
from agentevals.github.issue_comments import Comments, Mode, Text
from agentevals.model.errors import InputError, UnavailableError
from agentevals.report.pages.page_shortening import COMMENT, characters
from registry_tools.cli.checked_change_page import MOST, Page
from registry_tools.manifests.registry_finding import Outcome

_ROWS = (MOST, 100, 20, 5)  # fewer of them where GitHub finds the text too long
_RUN = re.compile(r"<!-- run=([0-9]{1,18})\.([0-9]{1,9}) -->")
_KEY = 200  # characters


def write(job: Job, outcome: Outcome) -> str:
    """Write the comment, and return its address; a failure is logged, and decides nothing."""
    context = job.context
    if job.inputs.comment == "off" or context.number is None or not context.base_ref:
        return ""
    if job.api is None:
        job.log.notice("comment: there is no token to write one with")
        return ""
    try:
        return _publish(job, outcome)
    except PermissionMissingError as error:
        _explain_refusal(job, error)
    except (UnavailableError, InputError) as error:
        job.log.warning(f"comment: {error}")
    return ""


def _publish(job: Job, outcome: Outcome) -> str:
    comments = Comments(
        api=job.github,
        repository=job.context.repository,
        number=job.context.number or 0,
        marker=_build_marker(job.key),
    )
    says_nothing = not outcome.checked and not outcome.findings
    if says_nothing and not comments.list_own():
        return ""
    for body in _build_bodies(job, outcome):
        mode, text = (
            Mode(job.inputs.comment),
            Text(merge=body.merge, contains=body.is_in, is_current=body.is_of_run),
        )
        try:
            found = issue_comments.publish(comments, text, mode, shared=False)
        except InvalidError as error:
            job.log.notice(f"comment: {error}; it is written again, shorter")
        else:
            return found.comment.html_url or "" if found else ""
    return ""


@dataclass(frozen=True)
class _Body:
    """The text of one run; that of a newer run stays."""

    text: str

    def merge(self, old: str | None) -> str:
        return old if old and self._is_older(old) else self.text

    def is_in(self, found: str) -> bool:
        return found == self.text or self._is_older(found)

    def is_of_run(self, found: str) -> bool:
        return _read_run(found) == _read_run(self.text)

    def _is_older(self, other: str) -> bool:
        return _read_run(self.text) < _read_run(other)


def _build_bodies(job: Job, outcome: Outcome) -> list[_Body]:
    """Return the text with fewer and fewer rows, as far as GitHub takes it."""
    context, scene = job.context, job.build_scene()
    head = f"{_build_marker(job.key)}\n<!-- run={context.run_id or 0}.{context.run_attempt} -->\n"
    pages = (Page(outcome, scene, context.base_ref or "", rows).render() for rows in _ROWS)
    bodies = [head + "".join(page) for page in pages]
    fitting = [body for body in bodies if characters(body) <= COMMENT]
    return [_Body(body) for body in fitting or [bodies[-1][: COMMENT // 2]]]


def _build_marker(key: str) -> str:
    """Return the hidden line that the comment begins with; it is no marker of evaluations."""
    written = quote(key[:_KEY], safe="/ ", errors="replace").replace(" ", "+")
    return f"<!-- agentevals:registry key={written.replace('--', '-%2D')} -->"


def _read_run(body: str) -> tuple[int, int]:
    found = _RUN.search(body.partition("\n")[2].partition("\n")[0])
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _explain_refusal(job: Job, error: PermissionMissingError) -> None:
    context = job.context
    if (context.fork or context.dependabot) and not context.privileged:
        why = "runs for forks and Dependabot may only read"
        job.log.notice(f"comment: not written, because {why}; the summary of this job has it all")
    else:
        job.log.warning(f"comment: {error}or do without: 'comment: off'")
