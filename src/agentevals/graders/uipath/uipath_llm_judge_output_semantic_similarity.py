"""`uipath-llm-judge-output-semantic-similarity`: the output means what the expected one means."""

from agentevals.graders.uipath.judged import OutputJudge


class SemanticSimilarity(OutputJudge):
    """How far the judge finds that both outputs say the same, in whatever words."""

    type = "uipath_llm_judge_output_semantic_similarity"
    usual = """\
An agent put something out, and another output is known to be right. Judge how far both mean the
same. Wording, order and form do not matter; what is missing, added or contradicted does.

The agent's output:
{{ActualOutput}}
The output that is right:
{{ExpectedOutput}}
"""
