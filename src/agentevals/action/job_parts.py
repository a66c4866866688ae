"""Parts of an evaluation: one job keeps each, and another puts them together."""

from collections.abc import Iterator
from pathlib import Path

from agentevals.action import config_scoring, job_configs, relevance, step_judges
from agentevals.action.checkouts import Checkouts, make_relative, open_checkouts
from agentevals.action.destinations import report_files
from agentevals.action.job import NAME, Job
from agentevals.action.publisher import set_unevaluated
from agentevals.action.rules import grant_changes
from agentevals.configs.plan import Plan
from agentevals.files import documents
from agentevals.files.document_places import quote
from agentevals.github.runner import step_outputs
from agentevals.github.runner.inputs import PLACE
from agentevals.model.errors import InputError
from agentevals.model.results import Evaluation
from agentevals.model.shards import Shard
from agentevals.report.report_folder import open_folder
from agentevals.run import part_merging, run_parts
from agentevals.run.run_parts import Part
from agentevals.sandbox import cancelling
from agentevals.text.wording import plural


def evaluate_part(job: Job, shard: Shard) -> int:
    """Evaluate the part of the conversations that falls to this job, and keep what it comes to."""
    with cancelling.insist(), documents.keep():
        checkouts = open_checkouts(job)
        chosen = job_configs.choose_configs(job, checkouts)
        if relevance.is_relevant(job, checkouts, chosen):
            files = dict(_score_parts(job, checkouts, chosen, shard))
            step_outputs.set_outputs(job.environ, _keep(job, files))
        else:
            job.log.notice("nothing that is evaluated was changed, so there is no part to keep")
    set_unevaluated(job)
    return 0


def _score_parts(
    job: Job, checkouts: Checkouts, chosen: tuple[Path, ...], shard: Shard
) -> Iterator[tuple[str, Path]]:
    """Yield the file of each config, with the name that it is kept under."""
    for number, config in enumerate(chosen, start=1):
        name = checkouts.name_config(config)
        several = f"-{number}" if len(chosen) > 1 else ""
        file = f"{NAME}{several}-{shard.number}-of-{shard.total}.part"
        with job.log.group(f"Evaluate part {shard} of {name}"):
            step_judges.check_judges(job, checkouts, config)
            held = grant_changes.hold_back(job, checkouts, config)
            with run_parts.write(job.scratch / file, job.log.redact) as part:
                config_scoring.score_part(job, checkouts, config, held.plan, shard, part)
            job.log.log(f"{plural(part.number, 'case')} in {file}")
        yield file, job.scratch / file


def _keep(job: Job, files: dict[str, Path]) -> dict[str, str]:
    """Put the files into the report folder, and into an artifact if possible."""
    folder, root = report_files.find_folder(job), job.workspace.root
    try:
        with open_folder(folder, root) as opened:
            for name, path in files.items():
                opened.write_bytes(name, [path.read_bytes()])
    except OSError as error:
        msg = f"{folder}: cannot be written: {(error.strerror or str(error)).lower()}; "
        raise InputError(msg + "name another report-dir, or make room") from None
    return {"report": make_relative(folder, root), **report_files.upload_files(job, files)}


def merge_parts(job: Job, checkouts: Checkouts, config: Path, plan: Plan) -> Evaluation:
    """Put the parts of a config together that other jobs of this run have kept."""
    found = [Part(path) for path in job.workspace.expand(job.inputs.parts, "parts").files]
    name = checkouts.name_config(config)
    of_config = [part for part in found if part.foot.config == name]
    if not of_config:
        msg = f"{PLACE}: 'parts': none of {plural(len(found), 'file')} is a part of {quote(name)}"
        msg += "; let the jobs with 'shard' end first, and download what they keep"
        raise InputError(msg)
    ordered = part_merging.sort_parts(of_config)
    part_merging.check_plan(ordered[0], plan, job.log.redact)
    run = part_merging.merge(ordered, plan, config_scoring.make_cleaner(job))
    return config_scoring.redact_report(run, job.log.redact)
