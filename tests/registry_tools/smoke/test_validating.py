import json
import shutil
import subprocess

import pytest

from registry_tools.cli.formats import FORMATS
from registry_tools.manifests import registry_folder
from registry_tools.smoke import smoke_rules
from tests.registry_tools.smoke.builders import BROKEN, CALM, ONE, judge
from tests.registry_tools.smoke.test_smoke_run import LEGACY
from tests.support import agentevals


def validate(root, *words):
    words = ("registry", "validate", *words, "--format", "json")
    done = agentevals(*words, cwd=root, XDG_CACHE_HOME=str(root / ".cache"))
    findings = json.loads(done.stdout)["findings"] if done.stdout else []
    return done.returncode, [one["rule"] for one in findings if one["rule"].startswith("smoke")]


def test_a_check_runs_what_it_checks(tmp_path):
    judge(tmp_path, CALM, ONE.replace("0.5", "0.75"))

    assert validate(tmp_path) == (1, ["smoke-result"])


def test_nothing_is_run_when_nobody_wants_it(tmp_path):
    judge(tmp_path, BROKEN)

    assert validate(tmp_path, "--no-smoke") == (0, [])


@pytest.mark.parametrize("isolation", ["basic", "partial", "strict"])
def test_an_isolation_can_be_demanded(tmp_path, isolation):
    judge(tmp_path, CALM)

    assert validate(tmp_path, "--isolation", isolation) == (0, [])


def test_a_registry_of_the_predecessor_passes_unchanged(tmp_path):
    shutil.copytree(LEGACY, tmp_path / "registry")

    code, said = validate(tmp_path / "registry")

    assert code == 0
    assert set(said) == {"smoke-unproven", "smoke-repeat"}


def test_only_what_changed_is_run(tmp_path):
    judge(tmp_path, BROKEN)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    other = tmp_path / "evaluators" / "other"
    shutil.copytree(tmp_path / "evaluators" / "judge", other)
    manifest = (other / "evaluator.yaml").read_text().replace('"name": "judge"', '"name": "other"')
    (other / "evaluator.yaml").write_text(manifest)
    (other / "judge.py").write_text(CALM)

    assert validate(tmp_path, "--changed-since", "main") == (0, [])
    assert validate(tmp_path) == (1, ["smoke-program"])


def test_what_nobody_has_to_think_about_is_put_right_before_it_is_run(tmp_path):
    judge(tmp_path, CALM, ONE)
    manifest = tmp_path / "evaluators" / "judge" / "evaluator.yaml"
    manifest.write_text(manifest.read_text().replace('"python"', '"javascript"'))

    assert validate(tmp_path, "--fix") == (0, [])
    assert registry_folder.read(tmp_path).entries[0].get_text("language") == "python"


def test_what_running_shows_is_told_in_every_format(tmp_path):
    judge(tmp_path, BROKEN)
    cache = str(tmp_path / ".cache")

    for name in FORMATS.ours:
        words = ("registry", "validate", "--format", name)
        done = agentevals(*words, cwd=tmp_path, XDG_CACHE_HOME=cache)

        assert (done.returncode, "smoke-program" in done.stdout) == (1, True), done.stderr


def test_each_rule_has_its_own_name_and_says_why():
    ids = [rule.id for rule in smoke_rules.RULES]

    assert len(set(ids)) == len(ids)
    assert all(rule.why and rule.bad and rule.good for rule in smoke_rules.RULES)
