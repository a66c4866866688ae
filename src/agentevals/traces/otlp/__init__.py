"""OpenTelemetry's own format: one canonical document, its meaning, and its other spellings."""
