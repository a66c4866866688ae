"""The names of the output formats: a config may give one, and `agentevals.report` renders them."""

from agentevals.model.plugins import Table

REPORTERS = "agentevals.reporters"  # the entry points of other packages
OUTPUT_FORMATS: Table[None] = Table(
    "output format",
    dict.fromkeys(
        (
            *("table", "json", "report", "summary", "markdown", "junit"),
            *("review", "sarif", "ctrf", "badge", "comment", "failures", "html"),
        ),
        "",
    ),
    group=REPORTERS,
)
