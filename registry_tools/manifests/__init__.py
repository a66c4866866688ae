"""Manifests: the entries of a registry as they are read, before any rule judges them."""
