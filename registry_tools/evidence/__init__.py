"""Evidence: how well an evaluator judges examples that people labelled."""
