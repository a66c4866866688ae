"""Replacement modules for `google.adk.evaluation` and `google.genai.types`."""
