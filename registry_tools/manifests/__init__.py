"""How manifests are written: strict YAML, and where everything in it stands."""
