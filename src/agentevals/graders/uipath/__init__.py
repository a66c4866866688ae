"""What UiPath's own evaluators have in common: outputs, calls, similarity, classes."""
