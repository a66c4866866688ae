"""What stands in for `google.adk.evaluation` and `google.genai.types`."""
