"""Scoring: recorded conversations meet expectations, evaluators grade them, verdicts follow."""
