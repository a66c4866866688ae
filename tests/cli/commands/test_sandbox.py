import json

from typer.testing import CliRunner

from agentevals.cli.commands.sandbox import app


def test_check_prints_a_line_per_promise_and_the_level() -> None:
    done = CliRunner().invoke(app, ["check"])

    first, *promises = done.stdout.splitlines()
    assert done.exit_code == 0, done.stdout
    assert first.startswith("isolation: ")
    assert sum(line.startswith(("held", "not available here")) for line in promises) >= 15


def test_check_prints_json_for_programs() -> None:
    told = json.loads(CliRunner().invoke(app, ["check", "--json"]).stdout)

    assert told["held"] is True
    assert {row["outcome"] for row in told["promises"]} <= {"held", "not available here"}
