"""UiPath's evaluators: outputs, calls, similarity, classes."""
