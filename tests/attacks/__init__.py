"""Attack programs: one attempt each, tried on every way that third-party code is run."""
