"""The SDK. STAND-IN."""
