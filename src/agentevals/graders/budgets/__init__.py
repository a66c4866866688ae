"""Evaluators that hold what an agent used against what it may use."""
