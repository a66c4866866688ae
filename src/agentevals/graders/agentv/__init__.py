"""Evaluators of AgentV that are made of others, or compare fields."""
