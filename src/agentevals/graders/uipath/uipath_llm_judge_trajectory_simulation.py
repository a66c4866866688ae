"""`uipath-llm-judge-trajectory-simulation`: the agent did what was expected, in a played world."""

from typing import ClassVar

from agentevals.graders.uipath.judged import TrajectoryJudge


class TrajectorySimulation(TrajectoryJudge):
    """How far the judge finds the course of the run right, where tools or the user were played."""

    type = "uipath_llm_judge_trajectory_simulation"
    needed: ClassVar[int] = 4
    usual = """\
An agent was given an input and worked on it, while tools or the user were played to it. Judge how
far what it did is what was expected of it, given how it was played. Do not hold against the agent
what was played badly.

What it was given:
{{UserOrSyntheticInput}}
How it was to be played:
{{SimulationInstructions}}
What is expected of the agent:
{{ExpectedAgentBehavior}}
What it did:
{{AgentRunHistory}}
"""
