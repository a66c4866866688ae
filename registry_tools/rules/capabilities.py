"""`capabilities`: what an evaluator needs, no more than that, and nothing that is not its own."""

import re
from collections.abc import Iterator

from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="capabilities",
    severity=Severity.ERROR,
    title=("Capabilities name exact hosts, variables and files, and nothing of the machine"),
    why=(
        "Fixtures run with these capabilities, and users agree to them. A run "
        "grants only the capabilities that the config also names. An evaluator "
        "cannot ask for hosts of the local network, tokens of a job, or files "
        "with secrets."
    ),
    bad='capabilities:\n  network: ["*.com", 169.254.169.254]\n  environment: [GITHUB_TOKEN]\n'
    "  files: [/etc/shadow]",
    good="capabilities:\n  network: [api.example.com]\n  environment: [EXAMPLE_API_KEY]",
)
_INNER = re.compile(
    r"localhost|.*\.(local|internal|localdomain)|metadata|127\..*|10\..*|192\.168\..*|169\.254\..*"
    r"|172\.(1[6-9]|2[0-9]|3[01])\..*|0(\.0)*|[0-9]+"
)
_JOBS = re.compile(
    r"(GITHUB|ACTIONS|RUNNER|AGENTEVALS|LD|DYLD|PYTHON|NODE|NPM|GIT|SSH)_.*|PYTHON\w*|PATH|HOME"
    r"|IFS|ENV|BASH_ENV|SHELL|TMPDIR"
)
_SECRET = re.compile(
    r"/?(proc|sys|dev|run|root|boot)(/.*)?|/?var/run(/.*)?|/?etc/(shadow|gshadow|sudoers|ssh)(/.*)?"
    r"|/?etc|/?home(/.*)?|.*/\.(ssh|aws|docker|kube|netrc|git-credentials|gnupg|config)(/.*)?"
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    if entry.manifest is None:
        return
    asked = entry.manifest.capabilities
    for key, given, objection in (
        ("network", asked.network, _check_host),
        ("environment", asked.environment, _check_variable),
        ("files", asked.files, _check_file),
    ):
        for index, item in enumerate(given):
            at = entry.locate("capabilities", key, index)
            if item in given[:index]:
                yield entry.report(RULE, f"{quote(item)} is here twice", at, fix="remove one")
            elif message := objection(item):
                yield entry.report(RULE, f"{quote(item)} {message}", at, fix="remove it")


def _check_host(host: str) -> str:
    name, _, port = host.partition(":")
    if _INNER.fullmatch(name):
        return "is a host of the machine's own network"
    if port and not 0 < int(port) < 1 << 16:
        return "has a port that there is not"
    if name.startswith("*.") and name.count(".") == 1:
        return "stands for every host of a top-level domain"
    return ""


def _check_variable(name: str) -> str:
    return "belongs to the machine or to the job" if _JOBS.fullmatch(name) else ""


def _check_file(path: str) -> str:
    if ".." in path.split("/") or path.startswith("~"):
        return "leads somewhere that only the machine knows"
    if _SECRET.fullmatch(path):
        return "may hold secrets of the machine"
    return ""
