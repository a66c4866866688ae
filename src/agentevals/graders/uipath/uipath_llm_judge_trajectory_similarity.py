"""`uipath-llm-judge-trajectory-similarity`: the agent did what was expected of it."""

from agentevals.graders.uipath.judged import TrajectoryJudge


class TrajectorySimilarity(TrajectoryJudge):
    """How far the judge finds that the course of the run is the one that is expected."""

    type = "uipath_llm_judge_trajectory_similarity"
    usual = """\
An agent was given an input and worked on it. Judge how far what it did is what was expected of it:
whether it took the steps that are named, with the right tools and values, in an order that makes
sense, and came to the result that is expected.

What it was given:
{{UserOrSyntheticInput}}
What is expected of it:
{{ExpectedAgentBehavior}}
What it did:
{{AgentRunHistory}}
"""
