"""Which configs are evaluated."""

from tests.action.job import agent, config


def test_those_that_lie_where_configs_usually_do(job):
    below = config(traces="../traces/*", eval_set="../eval_set.json")
    files = agent(failing=["oslo"]) | {f"{name}/eval_config.yaml": below for name in ("a", "[b]")}
    done = job.pull_request(agent(), files | {".hidden/eval_config.yaml": below}).run()

    assert [section["config"] for section in done.report["sections"]] == [
        "eval_config.yaml",
        "[b]/eval_config.yaml",
        "a/eval_config.yaml",
    ]


def test_a_link_that_nobody_has_named_is_nobodys_mistake(job):
    elsewhere = job.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "eval_config.yaml").write_text(config())
    job.pull_request(agent(), agent(failing=["oslo"]) | {"linked": elsewhere})
    done = job.run()

    assert [section["config"] for section in done.report["sections"]] == ["eval_config.yaml"]
    assert done.said("error") == []
