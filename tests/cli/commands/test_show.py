import json
import os
import re
import subprocess
import sys

import msgspec
import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.cases import Status
from agentevals.model.results import Blame, Result
from agentevals.model.review import Scene
from agentevals.report.outputs import OUTPUTS
from tests.cli.commands.test_explain import cancel, lacking, write
from tests.compare.runs import against, case, report, result, run
from tests.support import DOCS, agentevals

BASE = {"cancel": {"tool_trajectory_avg_score": 1.0, "response_match_score": 1.0}}


def fine(**fields):
    return case("fine", result("words", 1.0), **fields)


def broken():
    error = Result(
        name="words", type="words", status=Status.ERROR, error="no key", blame=Blame.OUTSIDE
    )
    return case("broken", error)


@pytest.fixture
def written(tmp_path):
    head = report([cancel(), lacking(), fine()])
    return write(tmp_path / "report.json", against(head, run(BASE)))


def show(*words, **variables):
    return agentevals("show", *words, **variables)


def names(shown):
    assert shown.returncode == 0, shown.stderr
    return [one["case_id"] for found in json.loads(shown.stdout) for one in found["lines"]]


def test_a_list_has_the_verdict_and_one_line_per_case(written):
    shown = show(written)

    assert shown.returncode == 0
    page = DOCS.joinpath("output.md").read_text().split("## A report in the terminal")[1]
    assert shown.stdout == page.partition("```text\n")[2].partition("```")[0]


@pytest.mark.parametrize("form", ["report", "review"])
@pytest.mark.parametrize(
    ("status", "found"),
    [
        ("failed", ["cancel"]),
        ("passed", ["fine"]),
        ("error", ["broken"]),
        ("not-evaluated", ["where"]),
    ],
)
def test_cases_are_chosen_by_how_they_ended_in_both_forms(tmp_path, form, status, found):
    head = report([cancel(), lacking(), fine(), broken()])
    path = write(tmp_path / "r.json", against(head), name=form)

    assert names(show(path, "--status", status, "--json")) == found


def test_the_two_forms_of_a_report_have_the_same_list(tmp_path):
    outcome = against(report([cancel(), lacking(), fine()]))
    first, second = (
        show(write(tmp_path / f"{form}.json", outcome, name=form), "--sort", "name").stdout
        for form in ("report", "review")
    )

    assert first == second
    assert first.startswith("FAIL  1 of 3 cases failed")


def test_a_report_in_which_nothing_could_be_judged_has_no_verdict_in_both_forms(tmp_path):
    outcome = against(report([lacking()]))
    for form in ("report", "review"):
        path = write(tmp_path / f"{form}.json", outcome, name=form)

        assert show(path).stdout.startswith("NOT EVALUATED  1 case lacks evidence")


def test_cases_that_regressed_are_chosen_by_the_comparison(written):
    [listing] = json.loads(show(written, "--status", "regressed", "--json").stdout)
    [line] = listing["lines"]

    assert (line["case_id"], line["changes"]) == ("cancel", ["regressed"])
    assert line["base"]["verdict"] == "pass"
    assert (listing["verdict"], listing["cases"], listing["named"]) == ("fail", 3, 3)


def test_a_list_by_evaluator_is_about_the_evaluator(written):
    shown = show(written, "--evaluator", "tool_trajectory_avg_score", "--status", "failed")

    assert shown.stdout.splitlines()[2:] == [
        "✗ cancel  0.00   regressed from pass 1.00; scored 0.00, needs 0.50",
        "",
        "1 of 3 cases",
    ]
    assert names(show(written, "--evaluator", "words", "--status", "passed", "--json")) == [
        "where",
        "fine",
    ]


@pytest.mark.parametrize("text", ["ORDER 3", "traces/cancel", "CANCEL", "needs 0.50"])
def test_a_text_is_found_in_question_recording_name_and_reason(written, text):
    assert names(show(written, "--grep", text, "--json")) == ["cancel"]


def test_a_list_is_sorted_by_name_score_and_time(tmp_path):
    def timed(name, score, milliseconds):
        spent = {"latency": {"overall": {"median": milliseconds, "count": 1}}}
        return case(name, result("words", score), performance=spent if milliseconds else {})

    cases = [timed("b", 0.9, 5), timed("c", None, 0), timed("a", 0.2, 70)]
    path = write(tmp_path / "r.json", against(report(cases)))

    assert names(show(path, "--sort", "name", "--json")) == ["a", "b", "c"]
    assert names(show(path, "--sort", "score", "--json")) == ["a", "b", "c"]
    assert names(show(path, "--sort", "time", "--json")) == ["a", "b", "c"]
    assert names(show(path, "--json")) == ["b", "c", "a"]


def test_a_case_is_shown_as_explain_shows_it(written):
    shown, explained = show(written, "where"), agentevals("explain", written, "where")

    assert shown.stdout == explained.stdout
    assert shown.stdout.endswith("  to do    Set A\n")
    as_json = show(written, "cancel", "--json").stdout
    assert as_json == agentevals("explain", written, "cancel", "-o", "json").stdout


def test_a_case_has_the_calls_of_the_base_beside_its_own(tmp_path):
    base = run(BASE, calls={"cancel": ("cancel(order_id)",)})
    path = write(tmp_path / "r.json", against(report([cancel()]), base))

    lines = show(path, "cancel").stdout.splitlines()

    at = lines.index("base       pass 1.00")
    assert lines[at + 1 : at + 3] == [
        "           - cancel(order_id)",
        "           + refund(order_id, amount)",
    ]


def test_attempts_are_one_line_in_the_list_and_each_shown_as_a_case(tmp_path):
    path = write(tmp_path / "r.json", against(report([fine(), fine(), cancel()])))

    assert "✓ fine    1.00   2 of 2 attempts passed; " in show(path).stdout
    assert "attempt 2 of 2" in show(path, "fine").stdout


def test_several_configs_are_listed_by_name(tmp_path):
    first = against(report([cancel(), fine()]))
    path = write(tmp_path / "r.json", first, msgspec.structs.replace(first, config="b.yaml"))

    assert [line for line in show(path).stdout.splitlines() if line.startswith("config")] == [
        "config  evals.yaml",
        "config  b.yaml",
    ]


def test_a_report_without_its_run_says_how_many_cases_it_does_not_name(tmp_path):
    head = report([cancel(), fine(), case("new", result("words", 1.0))])
    outcome = against(head, run(BASE | {"fine": {"words": 1.0}}))
    without = msgspec.structs.replace(outcome, report=None)
    (tmp_path / "r.json").write_text(
        "".join(OUTPUTS["review"].render(review_of(Scene(), [without])))
    )

    shown = show(str(tmp_path / "r.json")).stdout.splitlines()

    assert shown[0] == "FAIL  1 of 3 cases failed · score 0.83"
    assert shown[2].startswith("✗ cancel  0.50   regressed from pass 1.00; tool_trajectory_avg")
    assert shown[3:] == [
        "✓ new     1.00   it passed; the report does not keep by which evaluators",
        "1 more case that this report does not name",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cancle",), "it has no case 'cancle' (did you mean 'cancel'?)"),
        (("--evaluator", "wordz"), "it has no evaluator 'wordz' (did you mean 'words'?)"),
        (
            ("--status", "borderline"),
            "none of its 3 cases is one of those you ask for; leave out one of the options",
        ),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest(written, words, said):
    refused = show(written, *words)

    assert refused.returncode == 2
    assert refused.stderr == f"agentevals: {written}: {said}\n"


def test_a_choice_of_cases_beside_a_case_is_refused(written):
    refused = show(written, "cancel", "--sort", "name")

    assert refused.returncode == 2
    assert "remove them or the CASE" in refused.stderr


def test_an_unknown_status_is_refused_with_those_that_are_known(written):
    refused = show(written, "--status", "fail")

    assert refused.returncode == 2
    assert "not-evaluated" in refused.stderr


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"schema_version": "1.0"}'])
def test_a_file_that_is_no_report_is_refused_in_one_sentence(tmp_path, content):
    (tmp_path / "r.json").write_bytes(content)
    refused = show(str(tmp_path / "r.json"))

    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "give what '-o report' writes, or a report.json of the action" in refused.stderr


def test_a_report_without_cases_and_a_missing_file_are_refused(tmp_path):
    empty = show(write(tmp_path / "empty.json"))

    assert empty.returncode == 2
    assert "it has no cases, because nothing was evaluated" in empty.stderr
    assert "no such file" in show(str(tmp_path / "none.json")).stderr


def test_text_of_others_cannot_command_a_terminal(tmp_path):
    hostile = case("::error::\x1b[2J", result("words", 0.1), error="\x1b]0;x\x07\u202e##[x")
    path = write(tmp_path / "r.json", against(report([hostile])))

    shown = show(path).stdout

    assert not set(shown) & {"\x1b", "\x07", "\u202e"}
    assert "##[" not in shown
    assert not any(text.startswith("::") for text in shown.splitlines())


def on_terminal(*words, **variables):
    """What a terminal of 70 columns gets, and what stands on stderr."""
    ours, its = os.openpty()
    environ = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "COLUMNS": "70", "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-m", "agentevals", "show", *words],
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=subprocess.PIPE,
        env=environ | variables,
        timeout=60,
        check=False,
    )
    os.set_blocking(ours, False)
    try:
        shown = os.read(ours, 1 << 16).decode().replace("\r\n", "\n")
    except BlockingIOError:
        shown = ""
    os.close(its)
    os.close(ours)
    assert done.returncode == 0, done.stderr
    return shown, done.stderr.decode()


def test_on_a_terminal_the_pager_gets_it_in_colour_and_as_wide_as_that(written, tmp_path):
    script = tmp_path / "pager"
    script.write_text("#!/bin/sh\necho paged $LESS $1\ncat\n")
    script.chmod(0o755)

    shown, said = on_terminal(written, PAGER=f"{script} 'a b'")

    assert shown.startswith("paged FRX a b\n\x1b[31;1;7m FAIL \x1b[0m")
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", text) for text in shown.splitlines()]
    assert max(map(len, lines)) == 70
    assert said == ""


@pytest.mark.parametrize("pager", ["cat", ""])
def test_a_pager_can_be_switched_off(written, pager):
    shown, said = on_terminal(written, PAGER=pager, NO_COLOR="1")

    assert shown.startswith("FAIL  1 of 3 cases failed")
    assert said == ""


@pytest.mark.parametrize("pager", ["no-such-pager -x", "less 'unclosed"])
def test_a_pager_that_cannot_be_started_is_named_and_the_list_is_shown(written, pager):
    shown, said = on_terminal(written, PAGER=pager, NO_COLOR="1")

    assert shown.startswith("FAIL  1 of 3 cases failed")
    assert said.startswith("agentevals: warning: $PAGER ")
    assert "cannot be started: no" in said
    assert said.count("\n") == 1


def test_a_pager_that_ends_before_it_has_read_all_is_no_error(tmp_path):
    cases = [case(f"c{at}", result("words", 1.0)) for at in range(3_000)]
    path = write(tmp_path / "r.json", against(report(cases)))

    assert on_terminal(path, PAGER="true") == ("", "")


def test_an_interrupt_is_for_the_pager(written, tmp_path):
    script = tmp_path / "pager"
    script.write_text("#!/bin/sh\ntrap '' INT\nkill -INT $PPID\ncat\n")
    script.chmod(0o755)

    shown, said = on_terminal(written, PAGER=str(script), NO_COLOR="1")

    assert shown.startswith("FAIL  1 of 3 cases failed")
    assert said == ""


def test_less_is_the_pager_where_none_is_named(written):
    shown, said = on_terminal(written, NO_COLOR="1", LINES="40")

    assert "FAIL  1 of 3 cases failed" in shown
    assert said == ""


def test_in_a_pipe_there_is_neither_pager_nor_colour(written):
    shown = show(written, PAGER="false")

    assert shown.stdout.startswith("FAIL  1 of 3")
    assert "\x1b" not in shown.stdout
