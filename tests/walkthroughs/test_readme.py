"""The README leads from an empty repository to a verdict, and so does every workflow."""

import re
import shutil
import subprocess
from itertools import product

import pytest
import yaml

from agentevals.cli import workflow_templates
from tests.walkthroughs.reader import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS = "OWNER/agentevals-action@v1"
WORKFLOW = re.compile(r"^```yaml\n(# \.github/workflows/.*?)^```", re.DOTALL | re.MULTILINE)


def steps(text):
    return [step for job in yaml.safe_load(text)["jobs"].values() for step in job.get("steps", ())]


def inputs(step, expressions=()):
    """The inputs of a step as the runner gives them."""
    given = {name: str(text) for name, text in step.get("with", {}).items()}
    for written, value in dict(expressions).items():
        given = {name: text.replace(f"${{{{ {written} }}}}", value) for name, text in given.items()}
    return given


def jobs(text):
    """The steps of each job of a pull request, with what its expressions stand for.

    They come once for each combination of a matrix.
    """
    for job in yaml.safe_load(text)["jobs"].values():
        if "github.event_name == 'push'" in job.get("if", ""):
            continue
        matrix = job.get("strategy", {}).get("matrix", {})
        for at, values in enumerate(product(*matrix.values())):
            named = {f"matrix.{name}": str(v) for name, v in zip(matrix, values, strict=True)}
            yield job.get("steps", ()), named | {"strategy.job-index": str(at)}


def evaluates(text):
    return any(
        step.get("uses") == OURS and inputs(step).get("command", "evaluate") == "evaluate"
        for step in steps(text)
    )


SHOWN = [
    pytest.param(text, id=f"{page.stem}-{at}")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for at, text in enumerate(WORKFLOW.findall(page.read_text(encoding="utf-8")))
    if evaluates(text)
]


def test_its_order_is_install_init_workflow():
    places = [
        README.index(text) for text in ("uv tool install git+", "agentevals init", WORKFLOW_AT)
    ]

    assert places == sorted(places)


WORKFLOW_AT = "# .github/workflows/agentevals.yml"


def test_it_warns_of_the_package_that_has_our_name():
    assert "Do not run `pip install agentevals`, because another project has that name" in README


def test_it_fits_on_a_screen():
    assert len(README.splitlines()) <= 80


def test_its_commands_end_in_a_pass(finished):
    _, printed = finished

    [verdict] = [text for text in printed if text.startswith(("PASS", "FAIL"))]
    assert verdict.startswith("PASS  4 cases passed")


def test_its_config_passes_as_well(reader):
    printed = reader.type("agentevals run --config eval_config.yaml")

    assert "tool_check" in printed
    assert printed.startswith("PASS  4 cases passed")


def files(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in found}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if not name.startswith((".git/", "agentevals-report/")) and "__pycache__" not in name
    }


def run(job, reader, text):
    """The steps of a workflow in the order of its jobs; of other actions, those of artifacts."""
    kept = reader.folder.parent / "artifacts"
    given, done = {}, None
    for listed, expressions in jobs(text):
        for step in listed:
            said = inputs(step, expressions)
            if step.get("uses", "").startswith("actions/upload-artifact@"):
                shutil.copytree(job.workspace / said["path"], kept / said["name"])
            elif step.get("uses", "").startswith("actions/download-artifact@"):
                for there in sorted(kept.glob(said.get("name") or said["pattern"])):
                    shutil.copytree(there, job.workspace / said["path"], dirs_exist_ok=True)
            elif "run" in step:
                type_script(step["run"], job, reader)
            elif step["uses"] == OURS:
                given = dict.fromkeys(given, "") | said  # what another step was given is not here
                done = job.given(**given).run_alone()
                expressions[f"steps.{step.get('id')}.outputs.report"] = done.outputs.get("report")
    assert done, text
    return done


def type_script(script, job, reader):
    reader.folder = job.workspace
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=job.workspace,
        env=reader.environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def propose(job, reader):
    """A pull request that changes what is evaluated with, and leaves the agent alone."""
    base = files(reader.folder) | {"requirements.txt": b""}
    config = base["eval_config.yaml"] + b"jobs: 2\n"
    return job.pull_request(base, base | {"eval_config.yaml": config})


@pytest.mark.parametrize(
    "text", [*SHOWN, pytest.param(workflow_templates.write_committed(), id="init")]
)
def test_a_workflow_evaluates_what_the_readme_has_made(job, reader, text):
    done = run(propose(job, reader), reader, text.replace("python agent.py", "python my_agent.py"))

    assert done.code == 0, done.log
    assert done.said("error") == []
    assert done.outputs["verdict"] == "passed"


def test_a_workflow_evaluates_what_init_has_written(job, reader):
    reader.type("agentevals init --force")
    written = (reader.folder / ".github/workflows/agentevals.yml").read_text()

    done = run(propose(job, reader), reader, written)

    assert done.code == 0, done.log
    assert done.outputs["verdict"] == "passed"


def test_the_first_config_asks_for_one_approval(job, reader):
    job.pull_request({"README.md": "An agent.\n"}, files(reader.folder))

    done = job.given(config="eval_config.yaml").run_alone()

    assert done.code == 1
    assert "Rule change needs approval: the base has no config" in job.comments[0]
