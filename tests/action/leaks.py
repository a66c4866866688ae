"""All that a step writes and sends, and an agent that repeats all secrets of the step."""

import base64
import binascii
import io
import json
import re
import tempfile
import zipfile
import zlib
from pathlib import Path

import msgspec

from agentevals.run.run_parts import Part
from tests.action.job import TRAJECTORY, agent, config, eval_set, transcript

# by every way in which a value of a step is known to be a secret
CANARIES = {
    "DATABASE_PASSWORD": "hunter2!canary",
    "SENTRY_DSN": "https://c4n4ry@o1.ingest.example/1",
    "DEPLOY_CREDENTIAL": "canary of two words",
    "DATABASE": "postgres://me:p4ss-canary@db.example/x",
    "SOMETHING": "q7Zp2Vx9Lk4Rt8WnCanary",
    "CUSTOMER": "canary-corp",
    "HOME_OF_DATA": "/srv/canary/data",
    "JUDGE_NAME": "gpt-4o-canary",
}
MASK = "CUSTOMER\nHOME_OF_DATA\nJUDGE_NAME\na canary that is no variable\ncanary.internal.example"
TOKENS = ("ghp" + "_canary" + "a1B2" * 8, "AKIA" + "CANARY1234567890")
HIDDEN = {
    **CANARIES,
    "DATABASE": "p4ss-canary",
    "a text": "a canary that is no variable",
    "a host": "canary.internal.example",
    **{f"token {number}": token for number, token in enumerate(TOKENS)},
}
ALL = " ; ".join(HIDDEN.values())

ECHO = """
import json, sys

given = sys.stdin.read()
print(given, file=sys.stderr)
said = json.loads(given)["invocations"][0].get("final_response") or ""
print(json.dumps({"score": float(said == "fine"), "details": {"issues": [said], said: said}}))
"""


def give_canaries(job):
    """The step has the secrets in its environment, and names some of them."""
    job.environ |= CANARIES
    return job.keeping_artifacts().given(mask=MASK, status="on")


def slipped(said="", name="paris", evaluator="echo", threshold=1.0):
    """An agent that says this everywhere, beside cases that say nothing of it."""
    echo = {"name": evaluator, "type": "code", "path": "./echo.py", "threshold": threshold}
    calls = ("geocode", said or "forecast")
    recorded = json.loads(transcript(name, *calls, answer=said or "fine", user=f"What is {said}?"))
    if said:
        call = recorded["messages"][1]["tool_calls"][0]["function"]
        call["arguments"] = json.dumps({"key": said, said: [said]})
        recorded["messages"][2]["content"] = json.dumps({"told": said})
    files = agent(cases=("oslo", "rome"))
    return files | {
        "eval_config.yaml": config(TRAJECTORY, echo),
        "eval_set.json": eval_set(name, "oslo", "rome"),
        "echo.py": ECHO,
        "traces/paris.json": json.dumps(recorded) + "\n",
    }


PACKED = re.compile(r"[A-Za-z0-9+/_.-]{60,}={0,2}")  # in either alphabet of base64
_ALPHABET = str.maketrans("-._", "++/")


def list_texts(job, done):
    """Yield all that was sent or written, and what is packed in it.

    The lines that ask the runner to mask something are none of it, nor is the event of GitHub.
    """
    event = (job.folder / "files" / "event.json").read_text()
    for text in _list_all(job, done):
        if text != event:
            yield text
            yield from (unfold(found) for found in PACKED.findall(text))


def unfold(packed):
    """Return the text that is compressed in this one; an empty one if that is nothing."""
    try:
        return zlib.decompress(base64.b64decode(packed.translate(_ALPHABET))).decode(
            errors="replace"
        )
    except (zlib.error, binascii.Error):
        return ""


def _list_all(job, done):
    for request in job.github.requests():
        body = request.body
        yield request.target
        yield from unpack(body) if body.startswith(b"PK") else [body.decode()]
    for upload in job.world.uploads.values():
        yield from [upload.name, *unpack(upload.content or b"")]
    for path in done.folder.rglob("*"):
        yield path.name
        yield show(path.read_bytes()) if path.is_file() else ""
    yield from (line for line in done.log.splitlines() if not line.startswith("::add-mask::"))
    yield done.summary
    yield from done.outputs.values()
    yield from (path.read_text() for path in (job.folder / "files").iterdir())


def unpack(content):
    """Yield what an artifact holds, as GitHub gets it."""
    if not content:
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name
            yield show(archive.read(name))


def show(content):
    """Return a file as text, also a part of a run, which is none."""
    if not content.startswith(b"agentevals part"):
        return content.decode()
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(content)
        part = Part(Path(file.name))
        return msgspec.json.encode([part.foot, list(part.list_cases())]).decode()


def find_leaks(job, done):
    """The secrets that are anywhere, with some of the text around them."""
    return {
        name: text[max(0, text.find(secret) - 80) :][:240]
        for text in list_texts(job, done)
        for name, secret in HIDDEN.items()
        if secret in text
    }
