"""`sarif`: SARIF 2.1.0, for code scanning and editors."""

import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from agentevals.model.results import Severity
from agentevals.model.version import VERSION
from agentevals.text.harmless_lines import one_line
from agentevals.text.json_text import encode, pretty
from registry_tools.cli.formats import list_rules
from registry_tools.manifests.registry_finding import Finding, Outcome, Rule

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_MOST = 5_000  # results; GitHub shows no more


def render(outcome: Outcome) -> Iterator[str]:
    """Render rules with their reasons, then the findings."""
    known = list_rules()
    rules = [rule.id for rule in known]
    run = {
        "tool": {
            "driver": {
                "name": "agentevals registry",
                "version": VERSION,
                "rules": [_describe_rule(rule) for rule in known],
            }
        },
        "automationDetails": {"id": "agentevals/registry/"},
        "columnKind": "unicodeCodePoints",
        "results": [_describe_result(found, rules) for found in outcome.findings[:_MOST]],
    }
    yield f"{pretty({'$schema': _SCHEMA, 'version': '2.1.0', 'runs': [run]})}\n"


def _describe_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"Wrong:\n{rule.bad}\n\nRight:\n{rule.good}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _describe_result(finding: Finding, rules: list[str]) -> dict[str, Any]:
    physical: dict[str, Any] = {
        "artifactLocation": {
            "uri": quote(finding.path, safe="/", errors="replace"),
            "uriBaseId": "%SRCROOT%",
        }
    }
    if finding.line:
        physical["region"] = _region(finding)
    fix = f"; {finding.fix}" if finding.fix else ""
    text = one_line(f"{finding.message}{fix}").replace("](", "] (")
    return {
        "ruleId": finding.rule,
        **({"ruleIndex": rules.index(finding.rule)} if finding.rule in rules else {}),
        "level": _LEVELS[finding.severity],
        "message": {"text": text.replace("{", "{{").replace("}", "}}")},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {"agentevalsRegistry/v1": _compute_fingerprint(finding)},
    }


def _region(finding: Finding) -> dict[str, int]:
    given = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    return {name: value for name, value in given.items() if value}


def _compute_fingerprint(finding: Finding) -> str:
    """Compute a fingerprint that stays when the lines above move."""
    about = (finding.rule, finding.path, finding.message)
    return hashlib.sha256(encode(about)).hexdigest()
