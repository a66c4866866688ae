"""Trace formats. STAND-IN: owned by the loaders work."""
