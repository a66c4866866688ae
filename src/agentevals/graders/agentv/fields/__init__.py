"""Structured answers, compared field by field as AgentV does it."""
