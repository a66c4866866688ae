"""`run --shard` and `merge`: parts of a run put together, and why they are not."""

import json
import shutil

import pytest

from tests.support import EXAMPLES, agentevals

RUN = ("run", "traces", "-c", "eval_config.yaml", "--allow-missing")


CONFIG = """
eval_set: eval_set.json
evaluators:
  - {name: tool_trajectory_avg_score, type: builtin, threshold: 1.0}
  - {name: token_usage_v1, type: builtin, max: 700}
"""


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLES / "traces", tmp_path / "traces")
    shutil.copy(EXAMPLES / "eval_set.json", tmp_path)
    (tmp_path / "eval_config.yaml").write_text(CONFIG)
    return tmp_path


def split(folder, total, *more):
    """The names of the parts that these many jobs write."""
    for number in range(1, total + 1):
        done = agentevals(*RUN, *more, "--shard", f"{number}/{total}", cwd=folder)
        assert done.returncode == 0, done.stderr
    return [f"agentevals-{number}-of-{total}.part" for number in range(1, total + 1)]


def even(text):
    """A report without durations."""
    document = json.loads(text)
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            value.pop("duration_ms", None)
        waiting += value.values() if isinstance(value, dict) else value
        waiting = [one for one in waiting if isinstance(one, dict | list)]
    return document


@pytest.mark.parametrize("total", [1, 2, 40])
def test_parts_come_to_what_one_run_comes_to(folder, total):
    whole = agentevals(*RUN, "-o", "report", cwd=folder)

    merged = agentevals("merge", *reversed(split(folder, total)), "-o", "report", cwd=folder)

    assert even(merged.stdout) == even(whole.stdout)
    assert (merged.returncode, merged.stderr) == (whole.returncode, whole.stderr)


def test_a_part_says_where_it_is_and_what_to_do_next(folder):
    done = agentevals(*RUN, "--shard", "1/2", "--part", "parts/a.part", cwd=folder)

    assert done.stdout.endswith(
        "is in parts/a.part; put all parts together with 'agentevals merge'\n"
    )
    assert (folder / "parts" / "a.part").is_file()


def test_programs_have_judged_before(folder):
    shutil.copytree(EXAMPLES / "evaluators", folder / "evaluators")
    program = "  - {name: units, type: code, path: ./evaluators/units.py, threshold: 1.0}\n"
    (folder / "eval_config.yaml").write_text(CONFIG + program)
    whole = agentevals(*RUN, "-o", "report", cwd=folder)
    parts = split(folder, 2)
    shutil.rmtree(folder / "evaluators")

    merged = agentevals("merge", *parts, "-o", "report", cwd=folder)

    assert even(merged.stdout) == even(whole.stdout)


def test_parts_are_compared_with_a_baseline(folder):
    agentevals(*RUN, "--output-file", "report=base.json", cwd=folder)
    files = split(folder, 2)

    done = agentevals("merge", *files, "-b", "base.json", "-o", "json", cwd=folder)

    assert json.loads(done.stdout)["comparison"]["against"]["paired"] > 1


def test_pairs_by_position_are_those_of_one_run(folder):
    whole = agentevals(*RUN, "--pair", "position", "-o", "report", cwd=folder)

    merged = agentevals(
        "merge", *split(folder, 3, "--pair", "position"), "-o", "report", cwd=folder
    )

    assert even(merged.stdout) == even(whole.stdout)


class TestRefused:
    def said(self, folder, *files):
        done = agentevals("merge", *files, cwd=folder)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    def test_a_part_is_missing(self, folder):
        first, _, third = split(folder, 3)

        assert self.said(folder, first, third) == (
            "agentevals: of 3 parts these are missing: 2; run them with '--shard N/3'\n"
        )

    def test_a_part_is_there_twice(self, folder):
        first, second = split(folder, 2)
        shutil.copy(folder / first, folder / "again.part")

        said = self.said(folder, first, second, "again.part")

        assert said == (
            f"agentevals: again.part: is part 1/2, as {first} is; give each part once\n"
        )

    def test_a_part_is_of_another_number_of_parts(self, folder):
        first, other = split(folder, 2)[0], split(folder, 3)[1]

        assert "is one of 3 parts, which is another number" in self.said(folder, first, other)

    def test_a_part_is_of_another_config(self, folder):
        first = split(folder, 2)[0]
        config = folder / "eval_config.yaml"
        config.write_text(config.read_text().replace("700", "701"))
        agentevals(*RUN, "--shard", "2/2", "--part", "b.part", cwd=folder)

        assert "was judged by another config or eval set" in self.said(folder, first, "b.part")

    def test_a_part_is_of_other_traces(self, folder):
        first = split(folder, 2)[0]
        trace = min((folder / "traces").iterdir())
        trace.write_text(trace.read_text() + "\n")
        agentevals(*RUN, "--shard", "2/2", "--part", "b.part", cwd=folder)

        assert "b.part: was made of other traces" in self.said(folder, first, "b.part")

    def test_a_file_is_no_part(self, folder):
        said = self.said(folder, "eval_config.yaml")

        assert "is no part of a run; give what 'agentevals run --shard' writes" in said

    def test_a_file_is_missing(self, folder):
        assert "nowhere.part: cannot be read: no such file" in self.said(folder, "nowhere.part")

    @pytest.mark.parametrize("at", [20, 100, -40, -33, -1])
    def test_a_part_was_changed(self, folder, at):
        (name,) = split(folder, 1)
        data = bytearray((folder / name).read_bytes())
        data[at] ^= 1
        (folder / name).write_bytes(data)

        assert "is damaged: it is cut off, or was changed" in self.said(folder, name)

    @pytest.mark.parametrize("kept", [18, 30, 60, 2000])
    def test_a_part_is_cut_off(self, folder, kept):
        (name,) = split(folder, 1)
        (folder / name).write_bytes((folder / name).read_bytes()[:kept])

        assert "is damaged: it is cut off" in self.said(folder, name)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shard", "5/4"), "--shard 5/4: must be a part of a whole, such as 1/4"),
        (("--part", "a.part"), "--part is for --shard I/N"),
        (("--shard", "1/4", "-o", "json"), "give --output to 'agentevals merge'"),
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_runs(folder, words, said):
    done = agentevals(*RUN, *words, cwd=folder)

    assert done.returncode == 2
    assert said in done.stderr
