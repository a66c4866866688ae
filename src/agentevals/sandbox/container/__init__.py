"""Third-party programs in a container: `executor: docker`."""
