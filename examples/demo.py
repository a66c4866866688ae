"""`make demo`: a pull request that mends one conversation of the weather agent and breaks another.

It is played here: a repository with a base and a head, the agent recorded on both, a stand-in for
GitHub on this machine, and the action's own entry point in between.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PLAYED = ROOT / "build" / "demo"
IGNORED = shutil.ignore_patterns("__pycache__", "demo.py")
GATE_FAILED = 1  # as it must: the pull request breaks a conversation

sys.path.insert(0, str(ROOT))

from tests.stand_in.server import running  # noqa: E402 -- it lies in the repository

# one more evaluator than the example has: fetched from a registry, held against its hash
REMOTE = """
  - name: numbers_agree # out of the registry of this repository
    type: remote
    ref: numbers_agree@^1.0
"""
COMMUNITY = "community/evaluators"

# what the pull request changes in the agent: Phoenix gets its Fahrenheit and its warning, …
MENDED = {
    '"unit": "celsius"}),\n': '"unit": "fahrenheit"}),\n'
    '                ("warn", {"place": "Phoenix", "about": "heat"}),\n',
    "with 41 degrees.": "with 106 °F. I sent a heat warning.",
}
# … and Bergen is forecast without being looked up
BROKEN = {'                ("geocode", {"place": "Bergen"}),\n': ""}


def main():
    shutil.rmtree(PLAYED, ignore_errors=True)
    checkout = PLAYED / "checkout"
    base, head = commits(checkout)
    with running() as github:
        offer(github.world.repository(COMMUNITY))
        pull = github.world.pull(base_sha=base, head_sha=head, head_ref="fahrenheit")
        code = act(checkout, github, pull)
        (comment,) = github.world.repository().comments_on(pull.number)
    if code != GATE_FAILED:
        sys.exit(code or "the demo found no mistake, but there is one")
    show(comment.body, checkout / "agentevals-report")


def offer(repository):
    """This repository's evaluators, as a registry on GitHub has them: folders and an index."""
    registry = PLAYED / "registry"
    shutil.copytree(ROOT / "evaluators", registry / "evaluators", ignore=IGNORED)
    git(registry, "init", "--quiet", "--initial-branch", "main")
    tip = commit(registry, "Evaluators")
    run("registry", "index", cwd=registry)
    files = [path for path in registry.rglob("*") if path.is_file() and ".git" not in path.parts]
    repository.commits["main"] = tip
    repository.files[tip] = {str(f.relative_to(registry)): f.read_bytes() for f in files}


def commits(checkout):
    """The repository as it was, and as the pull request wants it."""
    shutil.copytree(HERE, checkout, ignore=IGNORED)
    with (checkout / "eval_config.yaml").open("a", encoding="utf-8") as config:
        config.write(REMOTE)
    git(checkout, "init", "--quiet", "--initial-branch", "main")
    base = commit(checkout, "The weather agent, its evaluation, and what was recorded")
    script = checkout / "weather_agent" / "script.py"
    text = script.read_text(encoding="utf-8")
    for old, new in {**MENDED, **BROKEN}.items():
        text = text.replace(old, new)
    script.write_text(text, encoding="utf-8")
    for conversation in ("phoenix", "umbrella"):
        record(checkout, conversation)
    return base, commit(checkout, "Answer in the unit that was asked for")


def record(checkout, conversation):
    agent = [sys.executable, "weather_agent/agent.py", conversation]
    traces = Path("traces", f"{conversation}.jsonl")
    (checkout / traces).unlink()
    run("record", "-o", str(traces), "--", *agent, cwd=checkout)


def run(*words, cwd):
    program = [sys.executable, "-m", "agentevals", *words]
    subprocess.run(program, cwd=cwd, check=True, capture_output=True)


def commit(checkout, message):
    git(checkout, "add", "--all")
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    git(checkout, *who, "commit", "--quiet", "--message", message)
    return git(checkout, "rev-parse", "HEAD").strip()


def git(checkout, *words):
    done = subprocess.run(
        ["git", *words], cwd=checkout, check=True, capture_output=True, encoding="utf-8"
    )
    return done.stdout


def act(checkout, github, pull):
    """Run the action as GitHub's runner does, but for the container around it."""
    event = PLAYED / "event.json"
    event.write_text(json.dumps(payload(pull)), encoding="utf-8")
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(PLAYED),
        "GITHUB_WORKSPACE": str(checkout),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_SHA": pull.head_sha,
        "GITHUB_WORKFLOW": "evals",
        "GITHUB_RUN_ID": "815",
        "GITHUB_RUN_NUMBER": "12",
        "GITHUB_STEP_SUMMARY": str(PLAYED / "summary.md"),
        "GITHUB_OUTPUT": str(PLAYED / "outputs.txt"),
        "AGENTEVALS_EVALUATOR_REPO": COMMUNITY,
        "AGENTEVALS_API_URL": github.url,
        "AGENTEVALS_CACHE": str(PLAYED / "cache"),
        **github.environ,
        "INPUT_GITHUB-TOKEN": github.token,
        "INPUT_CONFIG": "eval_config.yaml",
        "INPUT_TRACES": "traces/*.jsonl",
        "INPUT_EVAL-SET": "eval_set.json",
    }
    print("$ python -I -m agentevals.action    # what the container runs\n", flush=True)
    entry = [sys.executable, "-I", "-m", "agentevals.action"]
    return subprocess.run(entry, cwd=checkout, env=environment, check=False).returncode


def payload(pull):
    """The event as GitHub sends it, as far as the action reads it."""
    repository = {"id": 100, "full_name": "o/r", "default_branch": "main"}
    head = {"ref": pull.head_ref, "sha": pull.head_sha, "repo": repository}
    base = {"ref": pull.base_ref, "sha": pull.base_sha, "repo": repository}
    request = {
        "number": pull.number,
        "state": "open",
        "draft": False,
        "mergeable": True,
        "head": head,
        "base": base,
        "user": {"login": "somebody"},
    }
    return {
        "action": "opened",
        "number": pull.number,
        "pull_request": request,
        "repository": repository,
    }


def show(body, report):
    """The comment as text, and where to look at everything."""
    (PLAYED / "comment.md").write_text(body, encoding="utf-8")
    visible = re.sub(r"<!--.*?-->\n?", "", body, flags=re.DOTALL)
    print(f"\n{'─' * 30} the comment on the pull request {'─' * 30}\n\n{visible}")
    print("─" * 92)
    print("As GitHub draws such a comment:  docs/images/comment.png")
    for path in (PLAYED / "comment.md", PLAYED / "summary.md", *sorted(report.iterdir())):
        print(f"  {path.relative_to(ROOT)}")
    print("\nThe pull request mends phoenix and breaks umbrella. docs/action.md has the workflow.")


if __name__ == "__main__":
    main()
