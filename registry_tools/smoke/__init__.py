"""Running what a registry holds: fixtures, and inputs that nobody expects, behind walls."""
