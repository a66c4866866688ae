"""`uipath-llm-judge-output-strict-json-similarity`: key by key the same."""

from agentevals.graders.uipath.judged import OutputJudge


class StrictJsonSimilarity(OutputJudge):
    """How far the judge finds the output the same, key by key."""

    type = "uipath_llm_judge_output_strict_json_similarity"
    usual = """\
An agent put out JSON, and other JSON is known to be right. Go through the keys of what is right,
each of which has the same share in the score. A key counts in full if it is there with a value
that means the same, and not at all if it is missing, has another name or another value. Keys that
are not expected, and other kinds of values, take something off.

The agent's output:
{{ActualOutput}}
The output that is right:
{{ExpectedOutput}}
"""
